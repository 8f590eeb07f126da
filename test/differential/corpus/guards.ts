// Guards: named, inline, combined, with parameters, on the state, and missing.

import { and, assign, createMachine, not, or, setup, stateIn } from 'xstate';
import { type CorpusEntry, script, silent } from './entry.ts';

const named: CorpusEntry = {
  name: 'named and inline guards in order',
  machine: setup({
    types: {
      context: {} as { coins: number },
      events: {} as { type: 'COIN'; value: number } | { type: 'PUSH' } | { type: 'PEEK' },
    },
    guards: {
      paid: ({ context }) => context.coins >= 50,
      exact: ({ context }) => context.coins === 50,
    },
    actions: {
      collect: assign({
        coins: ({ context, event }) => (event.type === 'COIN' ? context.coins + event.value : 0),
      }),
    },
  }).createMachine({
    id: 'gate',
    context: { coins: 0 },
    initial: 'locked',
    states: {
      locked: {
        on: {
          COIN: { actions: 'collect' },
          PUSH: [
            { guard: 'exact', target: 'open', actions: 'collect' },
            { guard: 'paid', target: 'change' },
            { guard: ({ context }) => context.coins > 0, actions: 'collect' },
          ],
        },
      },
      change: { on: { PUSH: { target: 'open', actions: 'collect' } } },
      open: { on: { PUSH: { guard: ({ event }) => event.type === 'PUSH', target: 'locked' } } },
    },
  }),
  scripts: [
    script(
      'PUSH',
      { type: 'COIN', value: 20 },
      'PUSH',
      { type: 'COIN', value: 50 },
      'PUSH',
      'PUSH',
    ),
    script(
      { type: 'COIN', value: 40 },
      { type: 'COIN', value: 40 },
      'PUSH',
      'PUSH',
      'PUSH',
      'PEEK',
    ),
  ],
};

const combined: CorpusEntry = {
  name: 'and, or, not',
  machine: setup({
    types: { context: {} as { a: boolean; b: boolean } },
    actions: { none: silent, one: silent },
    guards: {
      a: ({ context }) => context.a,
      b: ({ context }) => context.b,
      both: and(['a', 'b']),
      neither: not(or(['a', 'b'])),
    },
  }).createMachine({
    id: 'logic',
    context: { a: false, b: false },
    initial: 'asking',
    states: {
      asking: {
        on: {
          A: { actions: assign({ a: ({ context }) => !context.a }) },
          B: { actions: assign({ b: ({ context }) => !context.b }) },
          ASK: [
            { guard: 'neither', actions: 'none' },
            { guard: 'both', target: 'agreed' },
            {
              guard: and([or(['a', ({ context }) => context['b']]), not(and(['a', 'b']))]),
              actions: 'one',
            },
          ],
        },
      },
      agreed: { on: { ASK: { guard: not('neither'), target: 'asking' } } },
    },
  }),
  scripts: [
    script('ASK', 'A', 'ASK', 'B', 'ASK', 'ASK'),
    script('B', 'ASK', 'B', 'ASK', 'A', 'B', 'ASK', 'A', 'B', 'ASK'),
  ],
};

const byState: CorpusEntry = {
  name: 'stateIn by path, by object and by id',
  machine: createMachine({
    id: 'doors',
    type: 'parallel',
    states: {
      front: {
        initial: 'shut',
        states: {
          shut: { on: { FRONT: 'open' } },
          open: { id: 'frontOpen', on: { FRONT: 'shut' } },
        },
      },
      back: {
        initial: 'shut',
        states: {
          shut: { on: { BACK: { guard: not(stateIn('#frontOpen')), target: 'open' } } },
          open: { on: { BACK: 'shut' } },
        },
      },
      alarm: {
        initial: 'quiet',
        states: {
          quiet: {
            on: {
              CHECK: [
                { guard: stateIn({ front: 'open', back: 'open' }), target: 'ringing' },
                { guard: stateIn('back.open'), actions: 'backOnly' },
                { actions: 'calm' },
              ],
            },
          },
          ringing: {
            always: {
              guard: and([stateIn('front.shut'), stateIn({ back: 'shut' })]),
              target: 'quiet',
            },
          },
        },
      },
    },
  }),
  scripts: [
    script('CHECK', 'BACK', 'CHECK', 'FRONT', 'CHECK', 'FRONT', 'BACK'),
    script('FRONT', 'BACK', 'CHECK', 'FRONT', 'BACK', 'FRONT', 'CHECK', 'BACK', 'FRONT'),
  ],
};

const parameters: CorpusEntry = {
  name: 'guard and action parameters, fixed and computed',
  machine: setup({
    types: {
      context: {} as { level: number; limit: number },
      events: {} as { type: 'RAISE' | 'LOWER'; by: number },
    },
    guards: {
      atLeast: ({ context }, params: { level: number }) => context.level >= params.level,
      fits: ({ context }, params: { by: number }) => context.level + params.by <= context.limit,
    },
    actions: {
      move: assign({ level: ({ context }, params: { by: number }) => context.level + params.by }),
      report: () => {},
    },
  }).createMachine({
    id: 'tank',
    context: { level: 0, limit: 10 },
    initial: 'low',
    states: {
      low: {
        always: { guard: { type: 'atLeast', params: { level: 5 } }, target: 'high' },
        on: {
          RAISE: {
            guard: { type: 'fits', params: ({ event }) => ({ by: event.by }) },
            actions: [
              { type: 'move', params: ({ event }) => ({ by: event.by }) },
              {
                type: 'report',
                params: ({
                  context,
                  event,
                }: {
                  context: { level: number };
                  event: { by: number };
                }) => ({ level: context.level, by: event.by }),
              },
            ],
          },
        },
      },
      high: {
        on: {
          LOWER: [
            {
              guard: { type: 'atLeast', params: ({ context }) => ({ level: context.limit }) },
              target: 'low',
              actions: { type: 'move', params: { by: -9 } },
            },
            {
              target: 'low',
              actions: { type: 'move', params: ({ event }) => ({ by: -event.by }) },
            },
          ],
          RAISE: {
            guard: { type: 'fits', params: ({ event }) => event },
            actions: { type: 'move', params: ({ event }) => event },
          },
        },
      },
    },
  }),
  scripts: [
    script(
      { type: 'RAISE', by: 3 },
      { type: 'RAISE', by: 30 },
      { type: 'RAISE', by: 4 },
      { type: 'LOWER', by: 6 },
    ),
    script(
      { type: 'RAISE', by: 9 },
      { type: 'RAISE', by: 1 },
      { type: 'LOWER', by: 1 },
      { type: 'LOWER', by: 1 },
    ),
  ],
};

const faulty: CorpusEntry = {
  name: 'guards that throw or are not implemented',
  machine: createMachine({
    id: 'faulty',
    context: { tries: 0 },
    initial: 'idle',
    states: {
      idle: {
        on: {
          THROW: {
            guard: () => {
              throw new Error('the guard gave up');
            },
            target: 'never',
          },
          MISSING: { guard: 'nowhere', target: 'never' },
          TRY: { actions: assign({ tries: ({ context }) => Number(context['tries']) + 1 }) },
        },
      },
      never: {},
    },
  }),
  scripts: [script('TRY', 'THROW', 'TRY'), script('TRY', 'MISSING', 'TRY', 'THROW', 'TRY')],
};

export const guards: readonly CorpusEntry[] = [named, combined, byState, parameters, faulty];
