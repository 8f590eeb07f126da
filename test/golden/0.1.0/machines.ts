// The machines of the golden store of 0.1.0. They stay as they are, like its bytes.

import { assign, emit, fromPromise, fromTransition, setup } from 'xstate';
import { z } from 'zod';
import { defineMachine } from '../../../actors/index.ts';

const helper = setup({}).createMachine({
  id: 'helper',
  initial: 'working',
  states: { working: { on: { FINISH: 'finished' } }, finished: { type: 'final' } },
});

const count = fromTransition((context: { n: number }) => ({ n: context.n + 1 }), { n: 0 });

const never = fromPromise<string, { of: string }>(() => new Promise(() => {}));

const order = setup({
  types: { context: {} as { notes: string[]; answer: string } },
  actors: { helper, count, read: never, write: never },
  actions: {
    note: assign({ notes: ({ context, event }) => [...context.notes, event.type] }),
    answer: assign({ answer: ({ event }) => String((event as { output?: unknown }).output) }),
    throwUp: assign(() => {
      throw new Error('torn on purpose');
    }),
  },
}).createMachine({
  id: 'order',
  initial: 'open',
  context: { notes: [], answer: '' },
  output: ({ context }) => ({ notes: context.notes }),
  states: {
    open: {
      tags: 'person',
      after: { 3_600_000: 'late' },
      on: {
        NOTE: { actions: ['note', emit({ type: 'NOTED' })] },
        READ: 'reading',
        WRITE: 'writing',
        HELP: 'helped',
        SPLIT: 'split',
        BREAK: { actions: 'throwUp' },
        CLOSE: 'closed',
      },
    },
    reading: {
      tags: 'call',
      invoke: {
        id: 'read',
        src: 'read',
        input: { of: 'paper' },
        onDone: { target: 'open', actions: 'answer' },
        onError: 'failed',
      },
      on: { GIVE_UP: 'open' },
    },
    writing: {
      tags: 'call',
      invoke: {
        id: 'write',
        src: 'write',
        input: { of: 'ink' },
        onDone: 'closed',
        onError: 'failed',
      },
    },
    helped: {
      invoke: [
        { id: 'helper', src: 'helper', onDone: 'closed' },
        { id: 'count', src: 'count' },
      ],
      on: { GIVE_UP: 'open' },
    },
    split: {
      type: 'parallel',
      states: {
        left: { initial: 'a', states: { a: { on: { NEXT: 'b' } }, b: {} } },
        right: {
          initial: 'x',
          states: { x: { on: { TURN: 'y' } }, y: {}, again: { type: 'history' } },
        },
        past: { type: 'history', history: 'deep', target: 'left' },
      },
      on: { PAUSE: 'paused' },
    },
    paused: { on: { GO_ON: 'split.past' } },
    failed: { type: 'final' },
    late: { type: 'final' },
    closed: { type: 'final' },
  },
});

export const orders = defineMachine({
  machine: order,
  version: 1,
  schemas: { context: z.object({ notes: z.array(z.string()), answer: z.string() }) },
  promises: { read: { class: 'read' }, write: { class: 'effect' } },
});

export const machines = [orders];
