// Ticket: a small machine that waits for people and a timer, breaks and fails on request.

import { assign, fromPromise, setup } from 'xstate';
import { z } from 'zod';
import { defineMachine } from '../../../hosts/embedded/index.ts';

const input = z.strictObject({
  /** Opens a subtask that waits for itself to be closed. */
  withChild: z.boolean().optional(),
});

const events = z.discriminatedUnion('type', [
  z.object({ type: z.literal('CLOSE'), by: z.string().optional() }),
  z.object({ type: z.literal('BREAK') }),
  z.object({ type: z.literal('FAIL') }),
]);

const subtask = setup({}).createMachine({
  id: 'subtask',
  initial: 'open',
  states: {
    open: { tags: 'person', on: { CLOSE: 'closed' } },
    closed: { type: 'final' },
  },
});

const machine = setup({
  types: {
    input: undefined as z.output<typeof input> | undefined,
    context: {} as { by: string; withChild: boolean },
    events: {} as z.output<typeof events>,
    output: {} as { by: string },
  },
  actors: {
    subtask,
    reject: fromPromise(() => Promise.reject(new Error('the ticket cannot be closed'))),
  },
  guards: { hasChild: ({ context }) => context.withChild },
  actions: {
    throwUp: assign(() => {
      throw new Error('the ticket is torn');
    }),
  },
}).createMachine({
  id: 'ticket',
  initial: 'open',
  context: ({ input: given }) => ({ by: '', withChild: given?.withChild ?? false }),
  output: ({ context }) => ({ by: context.by }),
  states: {
    open: {
      tags: ['person', 'timer'],
      description: 'Somebody has to close it.',
      after: { 3_600_000: 'closed' },
      on: {
        CLOSE: {
          target: 'closed',
          actions: assign({ by: ({ event }) => event.by ?? 'nobody' }),
        },
        BREAK: { actions: 'throwUp' },
        FAIL: 'failing',
      },
      always: { guard: 'hasChild', target: 'divided' },
    },
    divided: {
      tags: 'outside',
      invoke: { id: 'part', src: 'subtask', onDone: 'closed' },
    },
    // Nobody catches what this promise rejects with, so the actor ends with that error.
    failing: { tags: 'call', invoke: { id: 'reject', src: 'reject' } },
    closed: { type: 'final' },
  },
});

export const ticket = defineMachine({
  machine,
  version: 1,
  schemas: { input: input.optional(), events },
});
export const part = defineMachine({ machine: subtask, version: 1 });
export default ticket;
