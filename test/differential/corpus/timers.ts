// `after` with numbers, names and computed delays; delayed `raise`, with and without id, and `cancel`.

import { assign, cancel, createMachine, raise, setup } from 'xstate';
import { type CorpusEntry, due, script, silent, silentWith } from './entry.ts';

const numeric: CorpusEntry = {
  name: 'after with numbers, guards and a choice',
  machine: setup({
    types: { context: {} as { rounds: number } },
    actions: { rested: silent },
  }).createMachine({
    id: 'blink',
    context: { rounds: 0 },
    initial: 'on',
    states: {
      on: {
        after: {
          100: { target: 'off', actions: assign({ rounds: ({ context }) => context.rounds + 1 }) },
        },
        on: { SKIP: 'off' },
      },
      off: {
        after: {
          50: [
            { guard: ({ context }) => context.rounds >= 2, target: 'rest' },
            { guard: () => false, target: 'on' },
          ],
          200: 'on',
        },
      },
      rest: { after: { 0: { actions: 'rested' }, 3_000_000_000: 'on' } },
    },
  }),
  scripts: [
    script(
      due(100, 'blink.on'),
      due(50, 'blink.off'),
      due(200, 'blink.off'),
      due(100, 'blink.on'),
      due(50, 'blink.off'),
    ),
    script(
      'SKIP',
      due(200, 'blink.off'),
      'SKIP',
      due(50, 'blink.off'),
      due(200, 'blink.off'),
      due(100, 'blink.on'),
    ),
    script(
      due(100, 'blink.on'),
      due(200, 'blink.off'),
      due(100, 'blink.on'),
      due(50, 'blink.off'),
      due(0, 'blink.rest'),
      due(3_000_000_000, 'blink.rest'),
    ),
  ],
};

const namedDelays: CorpusEntry = {
  name: 'named delays, fixed and computed from context and event',
  machine: setup({
    types: {
      context: {} as { attempt: number },
      events: {} as { type: 'FAIL'; wait?: number } | { type: 'OK' },
    },
    delays: {
      patience: 5_000,
      backoff: ({ context }) => 100 * 2 ** context.attempt,
      asked: ({ event }) => (event.type === 'FAIL' ? (event.wait ?? 7) : 1),
    },
    actions: { asked: silent },
  }).createMachine({
    id: 'retry',
    context: { attempt: 0 },
    initial: 'trying',
    states: {
      trying: {
        after: { patience: 'gaveUp' },
        on: {
          FAIL: {
            target: 'waiting',
            actions: assign({ attempt: ({ context }) => context.attempt + 1 }),
          },
        },
      },
      waiting: { after: { backoff: 'trying', asked: { actions: 'asked' } }, on: { OK: 'gaveUp' } },
      gaveUp: { type: 'final' },
    },
  }),
  scripts: [
    script(
      'FAIL',
      due('backoff', 'retry.waiting'),
      { type: 'FAIL', wait: 40 },
      due('asked', 'retry.waiting'),
      due('backoff', 'retry.waiting'),
    ),
    script({ type: 'FAIL', wait: 0 }, due('asked', 'retry.waiting'), 'OK'),
    script(due('patience', 'retry.trying')),
  ],
};

// A delay name without an implementation: XState raises at once.
const missingDelay: CorpusEntry = {
  name: 'an after whose named delay is not implemented',
  machine: createMachine({
    id: 'gap',
    initial: 'idle',
    states: {
      idle: { on: { GO: 'waiting' } },
      waiting: { after: { nowhere: 'through' } },
      through: { on: { GO: 'idle' } },
    },
  }),
  scripts: [script('GO', 'GO', 'GO')],
};

const delayedRaise: CorpusEntry = {
  name: 'delayed raise with id and cancel',
  machine: setup({
    types: { context: {} as { name: string } },
    actions: { chimed: silentWith },
  }).createMachine({
    id: 'bell',
    context: { name: 'bell' },
    initial: 'idle',
    states: {
      idle: {
        on: {
          WIND: { actions: raise({ type: 'RING' }, { id: 'ring', delay: 400 }) },
          WIND_BOTH: {
            actions: [
              raise(
                { type: 'RING' },
                { id: 'ring', delay: ({ context }) => context.name.length * 10 },
              ),
              raise(({ context }) => ({ type: 'CHIME', by: context.name }), {
                id: 'chime',
                delay: 800,
              }),
            ],
          },
          UNWIND: { actions: cancel('ring') },
          UNWIND_NAMED: { actions: cancel(({ event }) => String(event['id'])) },
          RING: 'ringing',
          CHIME: { actions: { type: 'chimed', params: ({ event }) => ({ by: event['by'] }) } },
        },
      },
      ringing: { entry: [cancel('ring'), cancel('chime'), cancel('never')], on: { WIND: 'idle' } },
    },
  }),
  scripts: [
    script('WIND', 'UNWIND', 'WIND', 'RING', 'WIND'),
    script(
      'WIND_BOTH',
      { type: 'CHIME', by: 'bell' },
      { type: 'UNWIND_NAMED', id: 'chime' },
      'RING',
    ),
    script('WIND', 'WIND', 'WIND_BOTH', 'UNWIND', 'UNWIND', 'RING', 'RING'),
  ],
};

const anonymousRaise: CorpusEntry = {
  name: 'delayed raise without id, several at once',
  machine: createMachine({
    id: 'drip',
    context: { drops: 0 },
    initial: 'open',
    entry: raise({ type: 'DROP' }, { delay: 10 }),
    states: {
      open: {
        entry: [raise({ type: 'DROP' }, { delay: 20 }), raise({ type: 'DROP' }, { delay: 20 })],
        on: {
          DROP: [
            { guard: ({ context }) => context.drops >= 3, target: 'full' },
            {
              actions: [
                assign({ drops: ({ context }) => Number(context['drops']) + 1 }),
                raise({ type: 'DROP' }, { delay: 1_000 }),
              ],
            },
          ],
        },
      },
      full: { on: { EMPTY: { target: 'open', actions: assign({ drops: 0 }) } } },
    },
  }),
  scripts: [
    script('DROP', 'DROP', 'DROP', 'DROP', 'EMPTY', 'DROP'),
    script('EMPTY', 'DROP', 'DROP'),
  ],
};

const nestedTimers: CorpusEntry = {
  name: 'after on ancestors and in parallel regions',
  machine: createMachine({
    id: 'kitchen',
    initial: 'cooking',
    states: {
      cooking: {
        type: 'parallel',
        after: { 900: 'late' },
        states: {
          oven: {
            initial: 'cold',
            states: { cold: { after: { 300: 'hot' } }, hot: { after: { 300: 'cold' } } },
          },
          pot: {
            initial: 'cold',
            after: { 500: '.boiling' },
            states: {
              cold: { after: { 300: 'warm' } },
              warm: {},
              boiling: { on: { SERVE: '#kitchen.served' } },
            },
          },
        },
      },
      late: { on: { SERVE: 'served' } },
      served: { after: { 60_000: 'cooking' } },
    },
  }),
  scripts: [
    script(
      due(300, 'kitchen.cooking.oven.cold'),
      due(300, 'kitchen.cooking.pot.cold'),
      due(500, 'kitchen.cooking.pot'),
      'SERVE',
      due(60_000, 'kitchen.served'),
    ),
    script(due(300, 'kitchen.cooking.pot.cold'), due(900, 'kitchen.cooking'), 'SERVE'),
  ],
};

export const timers: readonly CorpusEntry[] = [
  numeric,
  namedDelays,
  missingDelay,
  delayedRaise,
  anonymousRaise,
  nestedTimers,
];
