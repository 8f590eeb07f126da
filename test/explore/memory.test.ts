// Memory: a host that never restarts, against one that restarts before a step. Both must take the same step.

import { expect, it } from 'vitest';
import { assign, createMachine, fromPromise, setup, spawnChild, stopChild } from 'xstate';
import { explore } from '../kit/index.ts';
import { foundBy } from './support.ts';

interface Lists {
  readonly a: number[];
  readonly b: number[];
}

it('[explore] what was shared several steps before shows after a restart, and only then', () => {
  const machine = setup({ types: { context: {} as Lists } }).createMachine({
    id: 'shared',
    context: () => ({ a: [], b: [] }),
    initial: 'apart',
    states: {
      apart: { on: { JOIN: { target: 'joined', actions: assign(() => oneList()) } } },
      joined: { on: { WAIT: 'waiting' } },
      waiting: { on: { GO: 'ready' } },
      ready: {
        on: {
          ADD: {
            target: 'end',
            actions: assign(({ context }) => {
              context.a.push(1);
              return { a: context.a };
            }),
          },
        },
      },
      end: { type: 'final' },
    },
  });
  expect(foundBy(explore(machine))).toEqual({
    restore_differs: [
      'birth → "apart"',
      'JOIN → "joined"',
      'WAIT → "waiting"',
      'GO → "ready"',
      'ADD → "ready"',
    ],
  });
});

function oneList(): Lists {
  const list: number[] = [];
  return { a: list, b: list };
}

it('[explore] what machine code changes in place at one try is not there at the next', () => {
  const machine = setup({ types: { context: {} as { seen: string[] } } }).createMachine({
    id: 'scribbler',
    context: () => ({ seen: [] }),
    initial: 'on',
    states: {
      on: {
        on: {
          A: { target: 'off', actions: assign(({ context }) => scribbled(context.seen, 'a')) },
          B: { target: 'off', actions: assign(({ context }) => scribbled(context.seen, 'b')) },
        },
      },
      off: { type: 'final' },
    },
  });
  const seen: string[][] = [];
  const report = explore(machine, {
    invariants: {
      note: ({ status, context }) => {
        if (status === 'done') seen.push(context.seen);
        return true;
      },
    },
  });
  expect(report).toMatchObject({ states: 3, findings: [], isComplete: true });
  expect(seen).toEqual([['a'], ['b']]);
});

function scribbled(seen: string[], name: string): { seen: string[] } {
  seen.push(name);
  return { seen };
}

it('[explore] a name in the system that one try takes is free at the next', () => {
  const machine = setup({ actors: { load: fromPromise(async () => 1) } }).createMachine({
    id: 'named',
    initial: 'on',
    states: {
      on: {
        on: {
          A: { target: 'off', actions: spawnChild('load', { id: 'one', systemId: 'worker' }) },
          B: { target: 'off', actions: spawnChild('load', { id: 'two', systemId: 'worker' }) },
        },
      },
      off: { on: { END: { target: 'end', actions: [stopChild('one'), stopChild('two')] } } },
      end: { type: 'final' },
    },
  });
  const report = explore(machine, { accepts: ['dead_end', 'unhandled_error'] });
  expect(report).toMatchObject({ findings: [], isComplete: true });
  expect(report.coverage.transitions.missed).toEqual([]);
});

it('[explore] an event that the state at hand does not know is tried, too: nothing may move', () => {
  const machine = createMachine({
    id: 'deaf',
    initial: 'on',
    states: { on: { on: { END: 'off' } }, off: { type: 'final' }, never: { on: { OTHER: 'off' } } },
  });
  const tried: string[] = [];
  const report = explore(machine, {
    events: [{ type: 'OTHER' }, { type: 'END' }],
    invariants: {
      note: ({ value }, { stimulus }) => {
        if (stimulus.kind === 'event') tried.push(`${stimulus.event.type} ${String(value)}`);
        return true;
      },
    },
  });
  expect(report).toMatchObject({ states: 2, steps: 3, findings: [], isComplete: true });
  expect(tried).toEqual(['OTHER on', 'END off']);
});
