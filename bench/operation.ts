// Operation: the five phases of the benchmark. The request is the actor's birth; prepare, dispatch, observe and verify are
// calls on worker threads that do nothing. Each phase is on disk before the next one starts.

import { fromPromise, setup } from 'xstate';
import { z } from 'zod';
import { defineCall, defineMachine } from '../hosts/embedded/index.ts';

/** Threads of each phase. */
const THREADS = 4;

const REQUEST = 'x'.repeat(1_000);

const phaseInput = z.object({ ledger: z.string().optional() });

const NO_OP = new URL('./calls/no-op.ts', import.meta.url);
const NOTED = new URL('./calls/noted.ts', import.meta.url);

export const prepare = definePhase('prepare', 'read', NO_OP);
export const dispatch = definePhase('dispatch', 'effect', NOTED);
const observe = definePhase('observe', 'read', NO_OP);
const verify = definePhase('verify', 'read', NO_OP);

function definePhase<const TName extends string>(
  name: TName,
  kind: 'read' | 'effect',
  module: URL,
) {
  return defineCall({
    name,
    module,
    class: kind,
    concurrency: THREADS,
    input: phaseInput,
    output: z.null(),
  });
}

interface Request {
  readonly text: string;
  /** The file in which each dispatch is noted. */
  readonly ledger?: string;
}

/** A request of 1 KB. */
export function requestOf(ledger?: string): Request {
  return ledger === undefined ? { text: REQUEST } : { text: REQUEST, ledger };
}

/** Stands in the machine for a call. */
const placeholder = fromPromise<null, z.output<typeof phaseInput>>(() => Promise.resolve(null));

const machine = setup({
  types: { context: {} as Request, input: {} as Request },
  actors: {
    prepare: placeholder,
    dispatch: placeholder,
    observe: placeholder,
    verify: placeholder,
  },
  actions: { tell: () => {} },
}).createMachine({
  id: 'operation',
  context: ({ input }) => input,
  initial: 'preparing',
  states: {
    preparing: {
      invoke: {
        src: 'prepare',
        id: 'prepare',
        input: {},
        onDone: 'dispatching',
        onError: 'failed',
      },
    },
    dispatching: {
      invoke: {
        src: 'dispatch',
        id: 'dispatch',
        input: ({ context: { ledger } }) => (ledger === undefined ? {} : { ledger }),
        onDone: 'observing',
        // What was interrupted is looked at, and never dispatched again.
        onError: 'observing',
      },
    },
    observing: {
      invoke: { src: 'observe', id: 'observe', input: {}, onDone: 'verifying', onError: 'failed' },
    },
    verifying: {
      invoke: { src: 'verify', id: 'verify', input: {}, onDone: 'completed', onError: 'failed' },
    },
    completed: { type: 'final', entry: 'tell' },
    failed: { type: 'final', entry: 'tell' },
  },
});

/** @param onEnded Hears of each operation that has ended, after that step is on disk: a notification. */
export function operationOf(onEnded: (address: string) => void) {
  return defineMachine({
    machine: machine.provide({ actions: { tell: ({ self }) => onEnded(self.id) } }),
    version: 1,
    calls: [prepare, dispatch, observe, verify],
  });
}
