// Behaving: a machine with one call, and calls that behave as their input says. It needs no test runner.

import { assign, fromPromise, setup } from 'xstate';
import { z } from 'zod';
import {
  type CallClass,
  type CallOptions,
  defineCall,
  defineMachine,
} from '../../../actors/index.ts';
import type { Act } from '../modules/behave.ts';

/** What the machine keeps of its call. */
export interface Kept {
  readonly input: unknown;
  readonly output: unknown;
  readonly error: unknown;
  readonly pings: number;
}

/** Its type is all that counts. */
const ANYTHING: unknown = undefined;

const placeholder = fromPromise<unknown, unknown>(() => Promise.reject(new Error('no call')));

/** A machine of this id that invokes the call `source` with its own input, keeps what comes back, and can leave or ask again. */
export function callerOf(id: string, source: string) {
  const machine = setup({
    types: {
      context: {} as Kept,
      input: ANYTHING,
      events: {} as { type: 'PING' } | { type: 'LEAVE' } | { type: 'AGAIN' } | { type: 'END' },
    },
    actors: { [source]: placeholder },
  }).createMachine({
    id,
    context: ({ input }) => ({ input, output: null, error: null, pings: 0 }),
    initial: 'working',
    on: {
      PING: { actions: assign({ pings: ({ context }) => context.pings + 1 }) },
      AGAIN: { target: '.working', reenter: true },
      END: '.over',
    },
    states: {
      working: {
        invoke: {
          id: 'work',
          src: source,
          input: ({ context }) => context.input,
          onDone: {
            target: 'done',
            actions: assign({ output: ({ event }) => event.output ?? null }),
          },
          onError: { target: 'failed', actions: assign({ error: ({ event }) => event.error }) },
        },
        on: { LEAVE: 'left' },
      },
      done: {},
      failed: {},
      left: {},
      over: { type: 'final' },
    },
  });
  return defineMachine({ machine, version: 1 });
}

/** A call whose function is `modules/behave.ts`. */
export function behaving(
  name: string,
  callClass: CallClass,
  options: Partial<CallOptions<string, unknown, unknown>> = {},
) {
  return defineCall({
    name,
    module: new URL('../modules/behave.ts', import.meta.url),
    class: callClass,
    limitMs: 1_000,
    input: z.unknown(),
    output: z.unknown(),
    ...options,
  });
}

export const readMachine = callerOf('reader', 'look');
export const effectMachine = callerOf('actor', 'act');
export const replayableMachine = callerOf('repeater', 'repeat');
export const machines = [readMachine, effectMachine, replayableMachine];

/** One call of each class. */
export const calls = [
  behaving('look', 'read'),
  behaving('act', 'effect'),
  behaving('repeat', 'replayable'),
];

/** An input for `behave`. */
export function doing(acts: readonly Act[], file?: string): { acts: readonly Act[] } {
  return { acts, ...(file === undefined ? {} : { witness: file }) };
}
