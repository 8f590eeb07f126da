// The machine of the benchmark: 14 states, nested and parallel, 1 KB of context, one assignment a step.

import { assign, setup } from 'xstate';
import { defineMachine } from '../hosts/embedded/index.ts';

/** Bytes of text in the context. */
const CONTEXT_BYTES = 1_000;

export const machine = setup({
  types: { context: {} as { steps: number; payload: string }, events: {} as { type: 'NEXT' } },
  actions: { count: assign({ steps: ({ context }) => context.steps + 1 }) },
}).createMachine({
  id: 'bench',
  context: { steps: 0, payload: 'x'.repeat(CONTEXT_BYTES) },
  initial: 'idle',
  states: {
    idle: { on: { NEXT: { target: 'preparing', actions: 'count' } } },
    preparing: {
      initial: 'reading',
      states: {
        reading: { on: { NEXT: { target: 'checking', actions: 'count' } } },
        checking: { on: { NEXT: { target: 'ready', actions: 'count' } } },
        ready: { on: { NEXT: { target: '#bench.running', actions: 'count' } } },
      },
    },
    running: {
      type: 'parallel',
      on: { NEXT: { target: 'closing', actions: 'count' } },
      states: {
        work: { initial: 'busy', states: { busy: {}, blocked: {} } },
        watch: { initial: 'calm', states: { calm: {}, alarmed: {} } },
      },
    },
    closing: { tags: ['outside'], on: { NEXT: { target: 'idle', actions: 'count' } } },
  },
});

export const definition = defineMachine({ machine, version: 1 });
