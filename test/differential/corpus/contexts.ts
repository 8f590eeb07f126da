// Contexts: made from input, assigned by object and by function, fed by events; and two machines from daily work.

import { assign, emit, fromPromise, raise, setup } from 'xstate';
import { type CorpusEntry, done, due, failed, script, silent, silentWith } from './entry.ts';

const fromInput: CorpusEntry = {
  name: 'a context factory with input, and input in entry actions',
  machine: setup({
    types: {
      context: {} as { name: string; limits: { max: number }; list: number[] },
      input: {} as { name: string; max?: number },
    },
    actions: { born: silentWith },
  }).createMachine({
    id: 'made',
    context: ({ input }) => ({ name: input.name, limits: { max: input.max ?? 3 }, list: [] }),
    entry: {
      type: 'born',
      params: ({ context, event }) => ({ name: context.name, event: event.type }),
    },
    initial: 'filling',
    states: {
      filling: {
        always: {
          guard: ({ context }) => context.list.length >= context.limits.max,
          target: 'full',
        },
        on: {
          PUSH: {
            actions: assign({
              list: ({ context, event }) => [...context.list, Number(event['n'])],
            }),
          },
        },
      },
      full: { type: 'final' },
    },
    output: ({ context }) => ({
      name: context.name,
      sum: context.list.reduce((sum, n) => sum + n, 0),
    }),
  }),
  input: { name: 'box', max: 2 },
  scripts: [
    script({ type: 'PUSH', n: 1 }, { type: 'PUSH', n: 2.5 }),
    script('OTHER', { type: 'PUSH', n: -1 }, { type: 'PUSH', n: 1e21 }),
  ],
};

const assigning: CorpusEntry = {
  name: 'assign by object, by function, in sequence, with nested and shared values',
  machine: setup({
    types: { context: {} as { a: number; b: { c: unknown[]; d: unknown }; text: string } },
    actions: { seen: silentWith },
  }).createMachine({
    id: 'store',
    context: { a: 0, b: { c: [1, 2, 3], d: null }, text: '' },
    on: {
      FIXED: { actions: assign({ a: 5, text: 'fixed' }) },
      MIXED: {
        actions: assign({
          a: ({ context }) => context.a + 1,
          text: ({ context, event }) => `${context.a}:${event.type}`,
        }),
      },
      WHOLE: {
        actions: assign(({ context, event }) => ({
          b: { c: [...context.b.c, context.a], d: event['d'] ?? null },
        })),
      },
      CHAIN: {
        actions: [
          assign({ a: ({ context }) => context.a + 1 }),
          assign({ a: ({ context }) => context.a * 10 }),
          { type: 'seen', params: ({ context }) => context },
        ],
      },
      SHARE: { actions: assign(({ context }) => ({ b: { c: context.b.c, d: context.b.c } })) },
      NOTHING: { actions: assign({}) },
      UNICODE: { actions: assign({ text: 'ünïcødé \u2028 \\ " \u0000 👩‍🚀' }) },
      ODD: {
        actions: assign(() => ({
          a: -0.5,
          text: '__proto__',
          b: { c: [], d: { '1': 'one', '0': 'zero', b: false, a: true } },
        })),
      },
    },
  }),
  scripts: [
    script('FIXED', 'MIXED', { type: 'WHOLE', d: { x: 1 } }, 'CHAIN', 'SHARE', 'WHOLE'),
    script('NOTHING', 'UNICODE', 'ODD', 'SHARE', 'MIXED', 'CHAIN'),
  ],
};

const order: CorpusEntry = {
  name: 'an order with payment, deadline and compensation',
  machine: setup({
    types: {
      context: {} as { orderId: string; attempts: number; receipt: unknown; why: string | null },
      input: {} as { orderId: string },
      emitted: {} as { type: 'orderChanged'; to: string },
    },
    actors: {
      charge: fromPromise<{ receipt: string }, { orderId: string; attempt: number }>(
        async ({ input }) => ({ receipt: input.orderId }),
      ),
      refund: fromPromise(async () => null),
    },
    actions: {
      announce: emit((_, params: { to: string }) => ({
        type: 'orderChanged' as const,
        to: params.to,
      })),
      nudgeWarehouse: silent,
    },
    delays: { backoff: ({ context }) => 1_000 * context.attempts },
    guards: { canRetry: ({ context }) => context.attempts < 3 },
  }).createMachine({
    id: 'order',
    context: ({ input }) => ({ orderId: input.orderId, attempts: 0, receipt: null, why: null }),
    initial: 'paying',
    states: {
      paying: {
        initial: 'charging',
        after: { 60_000: { target: 'failed', actions: assign({ why: 'deadline' }) } },
        states: {
          charging: {
            tags: ['call'],
            entry: assign({ attempts: ({ context }) => context.attempts + 1 }),
            invoke: {
              id: 'charge',
              src: 'charge',
              input: ({ context }) => ({ orderId: context.orderId, attempt: context.attempts }),
              onDone: {
                target: '#order.shipping',
                actions: assign({ receipt: ({ event }) => event.output.receipt }),
              },
              onError: [
                { guard: 'canRetry', target: 'waiting' },
                { target: '#order.failed', actions: assign({ why: 'payment' }) },
              ],
            },
          },
          waiting: { tags: ['timer'], after: { backoff: 'charging' } },
        },
        on: { CANCEL: { target: 'failed', actions: assign({ why: 'cancelled' }) } },
      },
      shipping: {
        entry: [
          { type: 'announce', params: { to: 'shipping' } },
          raise({ type: 'NUDGE' }, { id: 'nudge', delay: 5_000 }),
        ],
        on: { NUDGE: { actions: 'nudgeWarehouse' }, SHIPPED: 'complete', CANCEL: 'refunding' },
      },
      refunding: { tags: ['call'], invoke: { id: 'refund', src: 'refund', onDone: 'failed' } },
      complete: {
        type: 'final',
        entry: { type: 'announce', params: { to: 'complete' } },
        output: 'complete',
      },
      failed: {
        type: 'final',
        entry: { type: 'announce', params: { to: 'failed' } },
        output: ({ context }) => context.why,
      },
    },
    output: ({ context, event }) => ({ orderId: context.orderId, outcome: event.output ?? null }),
  }),
  input: { orderId: 'o-1' },
  scripts: [
    script(
      failed('charge', { code: 'busy' }),
      due('backoff', 'order.paying.waiting'),
      done('charge', { receipt: 'r-1' }),
      'NUDGE',
      'SHIPPED',
    ),
    script(
      failed('charge', 1),
      due('backoff', 'order.paying.waiting'),
      failed('charge', 2),
      due('backoff', 'order.paying.waiting'),
      failed('charge', 3),
    ),
    script(done('charge', { receipt: 'r-2' }), 'CANCEL', failed('refund', { code: 'bank_closed' })),
    script(due(60_000, 'order.paying')),
    script('CANCEL'),
  ],
};

const conference: CorpusEntry = {
  name: 'a conference room with floor, recording and idle timeout',
  machine: setup({
    types: { context: {} as { queue: string[]; speaker: string | null } },
    actions: {
      recordingLost: silent,
      mark: silent,
      enqueue: assign({
        queue: ({ context, event }) =>
          context.queue.includes(String(event['who']))
            ? context.queue
            : [...context.queue, String(event['who'])],
      }),
      next: assign(({ context }) => ({
        speaker: context.queue[0] ?? null,
        queue: context.queue.slice(1),
      })),
    },
    guards: { waiting: ({ context }) => context.queue.length > 0 },
    actors: { recorder: fromPromise(async () => 'file') },
  }).createMachine({
    id: 'room',
    context: { queue: [], speaker: null },
    type: 'parallel',
    states: {
      floor: {
        initial: 'free',
        states: {
          free: { always: { guard: 'waiting', target: 'taken' }, entry: assign({ speaker: null }) },
          taken: { entry: 'next', on: { YIELD: 'free' }, after: { 30_000: 'free' } },
        },
        on: { ASK: { actions: 'enqueue' } },
      },
      recording: {
        initial: 'off',
        states: {
          off: { on: { RECORD: 'on' } },
          on: {
            invoke: {
              id: 'recorder',
              src: 'recorder',
              onDone: 'off',
              onError: { target: 'off', actions: 'recordingLost' },
            },
            on: { RECORD: 'off', YIELD: { actions: 'mark' } },
          },
        },
      },
      presence: {
        initial: 'some',
        on: { '*': { target: '.some', reenter: false } },
        states: { some: { after: { 600_000: 'idle' } }, idle: {} },
      },
    },
  }),
  scripts: [
    script(
      { type: 'ASK', who: 'a' },
      'RECORD',
      { type: 'ASK', who: 'b' },
      'YIELD',
      due(30_000, 'room.floor.taken'),
      done('recorder', 'file'),
    ),
    script(
      due(600_000, 'room.presence.some'),
      { type: 'ASK', who: 'a' },
      { type: 'ASK', who: 'a' },
      'RECORD',
      failed('recorder', { message: 'disk' }),
      'YIELD',
    ),
  ],
};

export const contexts: readonly CorpusEntry[] = [fromInput, assigning, order, conference];
