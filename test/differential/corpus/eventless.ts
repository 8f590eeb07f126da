// `always`: chains, choices, loops that end, and what they do between regions.

import { type AnyEventObject, assign, createMachine, raise, setup } from 'xstate';
import { type CorpusEntry, script, silent, silentWith } from './entry.ts';

const chain: CorpusEntry = {
  name: 'a chain of always from the start',
  machine: createMachine({
    id: 'chain',
    initial: 'a',
    states: {
      a: { always: 'b', exit: 'leaveA' },
      b: { always: { target: 'c', actions: 'between' }, entry: 'enterB' },
      c: { on: { GO: 'd' } },
      d: {
        always: [{ guard: ({ event }) => event.type === 'NEVER', target: 'a' }, { target: 'e' }],
      },
      e: { initial: 'x', states: { x: { always: 'y' }, y: { on: { GO: '#chain.a' } } } },
    },
  }),
  scripts: [script('GO', 'GO', 'GO'), script('NOPE', 'GO', 'NOPE')],
};

const counting: CorpusEntry = {
  name: 'a bounded loop of always',
  machine: setup({
    types: {
      context: {} as { left: number; sum: number },
      events: {} as { type: 'FILL'; by: number } | { type: 'LOOK' },
    },
    actions: { drained: silent, emptied: silent },
  }).createMachine({
    id: 'loop',
    context: { left: 3, sum: 0 },
    initial: 'draining',
    states: {
      draining: {
        always: [
          {
            guard: ({ context }) => context.left > 0,
            actions: [
              assign({ left: ({ context }) => context.left - 1 }),
              assign({ sum: ({ context }) => context.sum + context.left }),
              'drained',
            ],
          },
          { target: 'empty' },
        ],
      },
      empty: {
        entry: 'emptied',
        on: { FILL: { target: 'draining', actions: assign({ left: ({ event }) => event.by }) } },
      },
    },
  }),
  scripts: [
    script({ type: 'FILL', by: 2 }, 'LOOK', { type: 'FILL', by: 0 }),
    script('LOOK', { type: 'FILL', by: 40 }),
  ],
};

const regions = setup({
  guards: { both: ({ event }) => event.type === 'BOTH' },
  actions: { seen: silent, moved: silentWith },
});

const region = (name: string) =>
  regions.createStateConfig({
    initial: 'one',
    states: {
      one: {
        on: { [`GO_${name}`]: 'two' },
        always: {
          guard: 'both',
          target: 'end',
          actions: { type: 'moved', params: { from: `${name}.one` } },
        },
      },
      two: {
        always: {
          guard: 'both',
          target: 'end',
          actions: { type: 'moved', params: { from: `${name}.two` } },
        },
      },
      end: { on: { [`BACK_${name}`]: 'one' } },
    },
  });

// Eventless transitions are taken in the order in which the regions' states were last entered, also after a restore.
const entryOrder: CorpusEntry = {
  name: 'always in several regions at once, in the order of entry',
  machine: regions.createMachine({
    id: 'order',
    type: 'parallel',
    states: { a: region('a'), b: region('b'), c: region('c') },
    on: { BOTH: { actions: 'seen' } },
  }),
  scripts: [
    script('GO_a', 'BOTH', 'BACK_b', 'BACK_a', 'BOTH'),
    script('GO_c', 'GO_b', 'GO_a', 'BOTH'),
    script('GO_b', 'UNKNOWN', 'BOTH', 'BACK_a', 'GO_a', 'BACK_c', 'BOTH'),
  ],
};

const raising: CorpusEntry = {
  name: 'always before raised events, raised events before the next one',
  machine: createMachine({
    id: 'mix',
    initial: 'idle',
    states: {
      idle: {
        on: {
          GO: {
            target: 'first',
            actions: [
              raise(() => ({ type: 'INNER', n: 1 })),
              raise(() => ({ type: 'INNER', n: 2 })),
            ],
          },
        },
      },
      first: { entry: raise({ type: 'LAST' }), always: 'second' },
      second: {
        on: {
          INNER: {
            actions: {
              type: 'inner',
              params: ({ event }: { event: AnyEventObject }) => ({ n: event['n'] }),
            },
          },
          LAST: 'third',
        },
      },
      third: { on: { GO: 'idle', INNER: { actions: 'tooLate' } } },
    },
  }),
  scripts: [
    script('GO', 'GO', 'GO'),
    script({ type: 'INNER', n: 9 }, 'GO', { type: 'INNER', n: 3 }, 'LAST'),
  ],
};

const onRoot: CorpusEntry = {
  name: 'always on a compound ancestor and on the root',
  machine: setup({
    types: { context: {} as { heat: number } },
    actions: { sizzle: silent },
  }).createMachine({
    id: 'stove',
    context: { heat: 0 },
    initial: 'on',
    always: { guard: ({ context }) => context.heat > 4, target: '.burnt' },
    on: { HEAT: { actions: assign({ heat: ({ context }) => context.heat + 1 }) } },
    states: {
      on: {
        initial: 'cold',
        always: { guard: ({ context }) => context.heat === 3, target: '.hot', actions: 'sizzle' },
        states: {
          cold: { always: { guard: ({ context }) => context.heat === 2, target: 'warm' } },
          warm: {},
          hot: { entry: assign({ heat: ({ context }) => context.heat + 1 }) },
        },
      },
      burnt: { type: 'final' },
    },
  }),
  scripts: [script('HEAT', 'HEAT', 'HEAT', 'HEAT'), script('OTHER', 'HEAT', 'OTHER', 'HEAT')],
};

export const eventless: readonly CorpusEntry[] = [chain, counting, entryOrder, raising, onRoot];
