// Order: one machine that uses nearly all that a machine can: regions, history, timers that are left and cancelled, calls
// of each class and a promise, children that are invoked, spawned and stopped, sends to others, and code that throws.

import {
  type AnyActorRef,
  assign,
  cancel,
  emit,
  fromPromise,
  raise,
  sendTo,
  setup,
  spawnChild,
  stopChild,
} from 'xstate';
import { defineMachine } from '../../../../actors/index.ts';
import { bellMachine } from './bell.ts';
import { charge, look, quote, ship } from './calls.ts';

type Item = { readonly item: string };

/** What the registered call of that name replaces. */
const replaced = <TOutput>() =>
  fromPromise<TOutput, Item>(() => Promise.reject(new Error('a call replaces this')));

const orderMachine = setup({
  types: {
    context: {} as { item: string; rounds: number; nudges: number; payment: string | null },
    events: {} as
      | { type: 'PAY' }
      | { type: 'CANCEL' }
      | { type: 'HOLD' }
      | { type: 'GO_ON' }
      | { type: 'NUDGE'; by: number }
      | { type: 'RANG' }
      | { type: 'REMIND' }
      | { type: 'TELL'; other: string }
      | { type: 'TELL_LATER'; other: string }
      | { type: 'TELL_NOT' }
      | { type: 'BREAK' },
    input: {} as Item,
  },
  actors: {
    quote: replaced<{ price: number }>(),
    charge: replaced<{ payment: string }>(),
    ship: replaced<{ parcel: string }>(),
    look: replaced<{ isCharged: boolean }>(),
    note: fromPromise<number, Item>(async () => 1),
    bell: bellMachine,
  },
  guards: {
    isUnknown: ({ event }) =>
      (event as unknown as { error?: { outcome?: string } }).error?.outcome === 'unknown',
    isTired: ({ context }) => context.rounds >= 6,
  },
  delays: { patience: 20_000, reminder: 7_000 },
}).createMachine({
  id: 'order',
  context: ({ input }) => ({ item: input.item, rounds: 0, nudges: 0, payment: null }),
  type: 'parallel',
  on: {
    NUDGE: { actions: assign({ nudges: ({ context, event }) => context.nudges + event.by }) },
    TELL: {
      actions: sendTo(({ event, system }): AnyActorRef => system.get(event.other), {
        type: 'NUDGE',
        by: 1,
      }),
    },
    TELL_LATER: {
      actions: sendTo(
        ({ event, system }): AnyActorRef => system.get(event.other),
        { type: 'NUDGE', by: 2 },
        { delay: 'reminder', id: 'telling' },
      ),
    },
    TELL_NOT: { actions: cancel('telling') },
    BREAK: {
      actions: assign(({ context }) => {
        if (context.nudges % 5 === 4) throw new Error('this order is broken on purpose');
        return { nudges: context.nudges + 1 };
      }),
    },
  },
  states: {
    payment: {
      initial: 'quoting',
      on: { HOLD: '.held' },
      states: {
        quoting: {
          invoke: {
            src: 'quote',
            id: 'quote',
            input: ({ context }) => ({ item: context.item }),
            onDone: 'open',
            onError: 'open',
          },
        },
        open: {
          entry: raise({ type: 'REMIND' }, { delay: 'reminder', id: 'reminder' }),
          exit: cancel('reminder'),
          after: { patience: 'quoting' },
          on: {
            PAY: 'charging',
            CANCEL: 'cancelled',
            REMIND: { actions: raise({ type: 'REMIND' }, { delay: 'reminder', id: 'reminder' }) },
          },
        },
        charging: {
          invoke: {
            src: 'charge',
            id: 'charge',
            input: ({ context }) => ({ item: context.item }),
            onDone: {
              target: 'paid',
              actions: assign({ payment: ({ event }) => event.output.payment }),
            },
            onError: [{ guard: 'isUnknown', target: 'looking' }, { target: 'open' }],
          },
          on: { CANCEL: 'looking' },
        },
        looking: {
          invoke: {
            src: 'look',
            id: 'look',
            input: ({ context }) => ({ item: context.item }),
            onDone: [
              { guard: ({ event }) => event.output.isCharged, target: 'paid' },
              { target: 'open' },
            ],
            onError: { target: 'looking', reenter: true },
          },
          after: { patience: 'open' },
        },
        paid: { entry: emit({ type: 'PAID' }), after: { patience: 'open' } },
        cancelled: { after: { patience: 'quoting' } },
        held: {
          entry: spawnChild('bell', { id: 'spare', input: { rings: 9 } }),
          exit: stopChild('spare'),
          on: { GO_ON: 'back' },
          after: { patience: 'back' },
        },
        back: { type: 'history', target: 'quoting' },
      },
    },
    delivery: {
      initial: 'packing',
      states: {
        packing: {
          always: { guard: 'isTired', target: 'over' },
          invoke: {
            src: 'ship',
            id: 'ship',
            input: ({ context }) => ({ item: context.item }),
            onDone: 'shipped',
            onError: 'shipped',
          },
        },
        shipped: {
          entry: assign({ rounds: ({ context }) => context.rounds + 1 }),
          invoke: { src: 'bell', id: 'bell', input: { rings: 3 }, onDone: 'packing' },
          on: { GO_ON: { actions: sendTo('bell', { type: 'HUSH' }) } },
        },
        over: {
          invoke: {
            src: 'note',
            id: 'note',
            input: ({ context }) => ({ item: context.item }),
            onDone: 'noted',
            onError: 'noted',
          },
        },
        noted: { after: { patience: 'rested' } },
        rested: { entry: assign({ rounds: 0 }), always: 'packing' },
      },
    },
  },
});

export const order = defineMachine({
  machine: orderMachine,
  version: 1,
  calls: [quote, charge, ship, look],
});
