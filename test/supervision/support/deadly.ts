// Deadly: machines whose code ends its process, or does not come back.

import { appendFileSync, existsSync, statSync } from 'node:fs';
import { assign, sendTo, setup } from 'xstate';
import { defineMachine } from '../../../actors/index.ts';

/** What a guard does to its process before it answers. */
export type Deed =
  | { readonly do: 'nothing' }
  | { readonly do: 'kill' }
  | { readonly do: 'abort' }
  | { readonly do: 'exit' }
  | { readonly do: 'loop' }
  /** Loops until the file is there. */
  | { readonly do: 'await'; readonly file: string }
  /** Loops for so long. */
  | { readonly do: 'spin'; readonly ms: number }
  /** Another deed for each process that comes: the file remembers how many came. Nothing when there are no more. */
  | { readonly do: 'inTurn'; readonly deeds: readonly Deed[]; readonly file: string };

function act(deed: Deed): void {
  switch (deed.do) {
    case 'nothing':
      return;
    case 'kill':
      process.kill(process.pid, 'SIGKILL');
      return loop(() => true);
    case 'abort':
      return process.abort();
    case 'exit':
      return process.exit(3);
    case 'loop':
      return loop(() => true);
    case 'await':
      return loop(() => !existsSync(deed.file));
    case 'spin': {
      // The language's own clocks stand still in a step (K1).
      const endNs = process.hrtime.bigint() + BigInt(deed.ms) * 1_000_000n;
      return loop(() => process.hrtime.bigint() < endNs);
    }
    case 'inTurn': {
      const turn = statSync(deed.file, { throwIfNoEntry: false })?.size ?? 0;
      appendFileSync(deed.file, '.');
      return act(deed.deeds[turn] ?? { do: 'nothing' });
    }
  }
}

function loop(goesOn: () => boolean): void {
  while (goesOn());
}

export interface DoEvent {
  readonly type: 'DO';
  readonly deed: Deed;
}

/** Does what it is told in a guard, and counts what it has taken. */
export const deadly = defineMachine({
  version: 1,
  machine: setup({
    types: { context: {} as { taken: number }, events: {} as DoEvent },
    guards: {
      survives: ({ event }) => {
        act(event.deed);
        return true;
      },
    },
  }).createMachine({
    id: 'deadly',
    context: { taken: 0 },
    on: {
      DO: {
        guard: 'survives',
        actions: assign({ taken: ({ context }) => context.taken + 1 }),
      },
    },
  }),
});

/** Passes what it gets on to another actor: in the group of its own step. */
export const passing = defineMachine({
  version: 1,
  machine: setup({
    types: { events: {} as { type: 'PASS'; to: string; event: DoEvent } },
  }).createMachine({
    id: 'passing',
    on: {
      PASS: {
        actions: sendTo(
          ({ system, event }) => system.get(event.to),
          ({ event }) => event.event,
        ),
      },
    },
  }),
});
