// Errand: an actor that nothing from outside can move everywhere, and that ends: with its work done, in an error, or in the
// middle of open calls, timers, and a child that has a child of its own. It tells what it does.

import { assign, emit, fromPromise, log, sendTo, setup } from 'xstate';
import { defineMachine } from '../../../../actors/index.ts';
import { bellMachine } from './bell.ts';
import { look, quote, ship } from './calls.ts';

type Item = { readonly item: string };

/** What the registered call of that name replaces. */
const replaced = <TOutput>() =>
  fromPromise<TOutput, Item>(() => Promise.reject(new Error('a call replaces this')));

const helperMachine = setup({
  types: {
    input: {} as Item,
    context: {} as { item: string; pokes: number },
    events: {} as { type: 'POKE'; isHard: boolean } | { type: 'RANG' },
  },
  actors: { look: replaced<{ isCharged: boolean }>(), bell: bellMachine },
  delays: { work: 25_000 },
}).createMachine({
  id: 'helper',
  context: ({ input }) => ({ item: input.item, pokes: 0 }),
  initial: 'looking',
  states: {
    looking: {
      // Without `onError`: a look that fails is the end of the helper, in an error.
      invoke: {
        src: 'look',
        id: 'look',
        input: ({ context }) => ({ item: context.item }),
        onDone: 'working',
      },
    },
    working: {
      invoke: { src: 'bell', id: 'bell', input: { rings: 20 } },
      after: { work: 'done' },
      on: {
        POKE: {
          actions: assign({
            pokes: ({ context, event }) => {
              if (event.isHard && context.pokes > 1) throw new Error('poked too often');
              return context.pokes + 1;
            },
          }),
        },
      },
    },
    done: { type: 'final' },
  },
});

const errandMachine = setup({
  types: {
    input: {} as Item,
    context: {} as { item: string; visits: number; heard: number },
    events: {} as
      | { type: 'GO' }
      | { type: 'DROP' }
      | { type: 'POKE' }
      | { type: 'SAID'; visit: number },
    emitted: {} as { type: 'GONE'; visit: number },
  },
  actors: {
    quote: replaced<{ price: number }>(),
    ship: replaced<{ parcel: string }>(),
    helper: helperMachine,
  },
  actions: {
    // A notification: what it sends is a message from nobody.
    say: ({ self, context }) => self.send({ type: 'SAID', visit: context.visits }),
  },
  delays: { patience: 40_000, rest: 5_000 },
}).createMachine({
  id: 'errand',
  context: ({ input }) => ({ item: input.item, visits: 0, heard: 0 }),
  initial: 'planned',
  states: {
    planned: {
      on: { GO: 'going', DROP: 'dropped' },
      after: { patience: 'going' },
    },
    going: {
      entry: [
        assign({ visits: ({ context }) => context.visits + 1 }),
        'say',
        log(({ context }) => context.visits),
        emit(({ context }) => ({ type: 'GONE', visit: context.visits })),
      ],
      invoke: [
        {
          src: 'helper',
          id: 'helper',
          input: ({ context }) => ({ item: context.item }),
          onDone: 'resting',
          onError: 'planned',
        },
        {
          src: 'ship',
          id: 'ship',
          input: ({ context }) => ({ item: context.item }),
          onDone: {},
          onError: {},
        },
      ],
      after: { patience: 'planned' },
      on: {
        DROP: 'dropped',
        POKE: {
          actions: [false, true].map((isHard) => sendTo('helper', { type: 'POKE', isHard })),
        },
        SAID: { actions: assign({ heard: ({ event }) => event.visit }) },
      },
    },
    // Nothing from outside is known here.
    resting: { after: { rest: 'asking' } },
    asking: {
      // Without `onError`: a price that cannot be had is the end, in an error.
      invoke: {
        src: 'quote',
        id: 'price',
        input: ({ context }) => ({ item: context.item }),
        onDone: 'done',
      },
    },
    done: { type: 'final' },
    dropped: { type: 'final' },
  },
});

/** A child of `errand`; registered itself, too, so that its journal can be replayed. */
export const helper = defineMachine({ machine: helperMachine, version: 1, calls: [look] });

export const errand = defineMachine({ machine: errandMachine, version: 1, calls: [quote, ship] });
