// Behave: a call that does what its input says, and leaves a witness of what it did that is not the journal.

import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync } from 'node:fs';
import { threadId } from 'node:worker_threads';
import type { CallContext } from '../../../adapters/index.ts';

/** What to do, in order. */
export type Act =
  /** Answers with this value. */
  | { readonly do: 'answer'; readonly value?: unknown }
  /** Answers with what JSON cannot carry in the input, see `oddities`. */
  | { readonly do: 'odd'; readonly value: string }
  /** Answers with what the call knows of itself. */
  | { readonly do: 'tell' }
  | {
      readonly do: 'throw';
      readonly code?: string;
      readonly message: string;
      readonly outcome?: string;
      readonly details?: unknown;
    }
  /** Throws a text of so many characters as its message. */
  | { readonly do: 'throwLong'; readonly characters: number }
  /** Goes on when this file is there. */
  | { readonly do: 'await'; readonly file: string }
  /** Goes on when the signal has aborted. */
  | { readonly do: 'awaitAbort' }
  /** Never gives the thread back; writes `alive` lines until a file is there, if one is named. */
  | { readonly do: 'block'; readonly untilFile?: string }
  /** Waits in native code, where nothing can end a thread, until this file is there; a line `native` says that it does. */
  | { readonly do: 'blockNatively'; readonly file: string; readonly witness: string }
  | { readonly do: 'exit' }
  | { readonly do: 'exhaust' }
  /** What follows only from the second attempt on. */
  | { readonly do: 'firstOnly'; readonly act: Act };

export interface BehaveInput {
  readonly acts: readonly Act[];
  /** Every attempt appends `<word> <call id> <attempt>` lines to this file. */
  readonly witness?: string;
}

export default async function behave(input: BehaveInput, context: CallContext): Promise<unknown> {
  const witness = (word: string) => {
    if (input.witness === undefined) return;
    appendFileSync(input.witness, `${word} ${context.callId} ${context.attempt}\n`);
  };
  witness('begin');
  context.signal.addEventListener('abort', () => witness('aborted'), { once: true });
  try {
    let answer: unknown;
    for (const act of input.acts) answer = await perform(act, context, witness);
    return answer;
  } finally {
    witness('end');
  }
}

async function perform(
  act: Act,
  context: CallContext,
  witness: (word: string) => void,
): Promise<unknown> {
  switch (act.do) {
    case 'answer':
      return act.value;
    case 'odd':
      return oddities[act.value]?.();
    case 'tell':
      return { ...context, signal: context.signal.aborted, log: typeof context.log, threadId };
    case 'throw':
      throw Object.assign(new Error(act.message), act);
    case 'throwLong':
      throw new Error('x'.repeat(act.characters));
    case 'await':
      return conditionOf(() => existsSync(act.file));
    case 'awaitAbort':
      return conditionOf(() => context.signal.aborted);
    case 'block':
      while (act.untilFile === undefined || !existsSync(act.untilFile)) witness('alive');
      return undefined;
    case 'blockNatively':
      return blockNatively(act);
    case 'exit':
      return process.exit(0);
    case 'exhaust':
      return exhaust();
    case 'firstOnly':
      return context.attempt === 1 ? perform(act.act, context, witness) : undefined;
  }
}

function conditionOf(isTrue: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (isTrue()) resolve();
      else setTimeout(look, 1);
    };
    look();
  });
}

/** The line is written by the other process, so it proves that this thread waits for it. */
function blockNatively({
  witness,
  file,
}: {
  readonly witness: string;
  readonly file: string;
}): void {
  const script = 'echo native >> "$1"; while [ -e "$1" ] && [ ! -e "$2" ]; do sleep 0.02; done';
  execFileSync('sh', ['-c', script, 'sh', witness, file]);
}

function exhaust(): unknown {
  const kept: unknown[] = [];
  for (;;) kept.push('x'.repeat(1_000).split(''));
}

const circle: Record<string, unknown> = {};
circle['self'] = circle;

/** Answers that are not JSON, by name. */
const oddities: Readonly<Record<string, () => unknown>> = {
  function: () => () => 1,
  nestedFunction: () => ({ run: () => 1 }),
  symbol: () => Symbol('s'),
  bigint: () => 1n,
  nestedBigint: () => ({ count: 1n }),
  circle: () => circle,
  undefined: () => undefined,
  map: () => ({ entries: new Map([['a', 1]]) }),
  date: () => ({ at: new Date(0) }),
  notANumber: () => ({ value: Number.NaN }),
  holes: () => ({ list: [undefined, 1] }),
  error: () => ({ error: new Error('hidden') }),
  throwingGetter: () => ({
    get value(): never {
      throw new Error('the getter threw');
    },
  }),
  large: () => 'x'.repeat(1_048_600),
  fits: () => 'x'.repeat(1_000_000),
};
