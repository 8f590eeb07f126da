// Shallow and deep history, with and without defaults.

import { assign, createMachine, setup } from 'xstate';
import { type CorpusEntry, script } from './entry.ts';

const shallow: CorpusEntry = {
  name: 'shallow history',
  machine: createMachine({
    id: 'pay',
    initial: 'method',
    states: {
      method: {
        initial: 'cash',
        states: {
          cash: { on: { SWITCH: 'check' } },
          check: {
            initial: 'blank',
            states: { blank: { on: { SIGN: 'signed' } }, signed: {} },
            on: { SWITCH: 'cash' },
          },
          last: { type: 'history' },
        },
        on: { NEXT: 'review' },
      },
      review: { on: { PREVIOUS: 'method.last', FRESH: 'method' } },
    },
  }),
  scripts: [
    script('SWITCH', 'SIGN', 'NEXT', 'PREVIOUS', 'SIGN', 'NEXT', 'PREVIOUS'),
    script('NEXT', 'PREVIOUS', 'SWITCH', 'NEXT', 'FRESH', 'NEXT', 'PREVIOUS'),
  ],
};

const deep: CorpusEntry = {
  name: 'deep history',
  machine: createMachine({
    id: 'tool',
    initial: 'on',
    states: {
      on: {
        initial: 'draw',
        states: {
          draw: {
            initial: 'pen',
            states: {
              pen: { entry: 'usePen', on: { PICK: 'brush' } },
              brush: {
                initial: 'thin',
                entry: 'useBrush',
                states: { thin: { on: { WIDEN: 'wide' } }, wide: { entry: 'widened' } },
              },
            },
            on: { ERASE: 'erase' },
          },
          erase: { on: { DRAW: 'draw' } },
          memory: { type: 'history', history: 'deep' },
        },
        on: { OFF: 'off' },
      },
      off: { on: { ON: 'on.memory', RESET: 'on' } },
    },
  }),
  scripts: [
    script('PICK', 'WIDEN', 'OFF', 'ON', 'OFF', 'RESET', 'OFF', 'ON'),
    script('OFF', 'ON', 'ERASE', 'OFF', 'ON', 'DRAW', 'OFF', 'ON'),
  ],
};

const defaults: CorpusEntry = {
  name: 'history with a default target, a default without one, and one by id',
  machine: createMachine({
    id: 'memo',
    initial: 'outside',
    states: {
      outside: { on: { NAMED: 'box.named', PLAIN: 'box.plain', FAR: 'box.far', BOX: 'box' } },
      box: {
        initial: { target: 'first', actions: 'boxInitial' },
        entry: 'enterBox',
        states: {
          first: { on: { GO: 'second' } },
          second: { initial: 'x', states: { x: { on: { GO: 'y' } }, y: { id: 'far' } } },
          named: { type: 'history', target: 'second' },
          plain: { type: 'history', history: 'shallow' },
          far: { type: 'history', history: 'deep', target: '#far' },
        },
        on: { OUT: 'outside' },
      },
    },
  }),
  scripts: [
    script('NAMED', 'GO', 'OUT', 'PLAIN', 'OUT', 'FAR'),
    script('PLAIN', 'GO', 'OUT', 'NAMED', 'OUT', 'FAR'),
    script('FAR', 'OUT', 'FAR', 'OUT', 'BOX', 'OUT', 'PLAIN'),
  ],
};

const parallelHistory: CorpusEntry = {
  name: 'deep and shallow history of a parallel state',
  machine: createMachine({
    id: 'desk',
    initial: 'open',
    states: {
      open: {
        type: 'parallel',
        states: {
          page: {
            initial: 'one',
            states: { one: { on: { TURN: 'two' } }, two: { on: { TURN: 'three' } }, three: {} },
          },
          note: {
            initial: 'none',
            states: {
              none: { on: { NOTE: 'some' } },
              some: { initial: 'short', states: { short: { on: { NOTE: 'long' } }, long: {} } },
            },
          },
          deepMemory: { type: 'history', history: 'deep' },
          shallowMemory: { type: 'history' },
        },
        on: { CLOSE: 'closed' },
      },
      closed: { on: { DEEP: 'open.deepMemory', SHALLOW: 'open.shallowMemory', OPEN: 'open' } },
    },
  }),
  scripts: [
    script('NOTE', 'TURN', 'NOTE', 'CLOSE', 'DEEP', 'TURN', 'CLOSE', 'SHALLOW'),
    script('CLOSE', 'DEEP', 'NOTE', 'CLOSE', 'SHALLOW', 'NOTE', 'CLOSE', 'OPEN'),
    script('TURN', 'CLOSE', 'OPEN', 'CLOSE', 'DEEP'),
  ],
};

const regionHistory: CorpusEntry = {
  name: 'history inside one region, with counted entries',
  machine: setup({
    types: { context: {} as { entries: number } },
    actions: { entered: assign({ entries: ({ context }) => context.entries + 1 }) },
  }).createMachine({
    id: 'regions',
    context: { entries: 0 },
    type: 'parallel',
    states: {
      player: {
        initial: 'stopped',
        states: {
          stopped: { on: { PLAY: 'playing', RESUME: 'playing.where' } },
          playing: {
            entry: 'entered',
            initial: 'intro',
            on: { STOP: 'stopped' },
            states: {
              intro: { entry: 'entered', on: { SKIP: 'body' } },
              body: { entry: 'entered', on: { SKIP: 'outro' } },
              outro: { entry: 'entered', type: 'final' },
              where: { type: 'history' },
            },
            onDone: { target: 'stopped' },
          },
        },
      },
      volume: {
        initial: 'low',
        states: { low: { on: { LOUDER: 'high' } }, high: { on: { SOFTER: 'low' } } },
      },
    },
  }),
  scripts: [
    script('PLAY', 'SKIP', 'STOP', 'RESUME', 'LOUDER', 'SKIP', 'RESUME'),
    script('RESUME', 'LOUDER', 'STOP', 'PLAY', 'SKIP', 'STOP', 'SOFTER', 'RESUME'),
  ],
};

// XState leaves `page` itself out of its active nodes here: its default history names the parallel parent, which is left
// but not entered again. From there on only the live snapshot can follow it (see Reference.isLegal).
const ownHistory: CorpusEntry = {
  name: 'a parallel state is sent to its own history from inside before it has one',
  machine: createMachine({
    id: 'loop',
    initial: 'page',
    states: {
      page: {
        type: 'parallel',
        entry: 'enterPage',
        exit: 'exitPage',
        tags: 'page',
        on: { OUT: 'away', AGAIN: { target: 'page', reenter: true } },
        states: {
          text: {
            entry: 'enterText',
            exit: 'exitText',
            initial: 'one',
            states: { one: { on: { BACK: '#loop.page.memory', NEXT: 'two' } }, two: {} },
          },
          memory: { type: 'history' },
          images: { entry: 'enterImages', exit: 'exitImages' },
        },
      },
      away: { on: { BACK: 'page.memory' } },
    },
  }),
  scripts: [
    script('BACK', 'NEXT', 'OUT', 'BACK', 'OUT'),
    script('BACK', 'AGAIN', 'BACK', 'NEXT', 'OUT'),
    script('NEXT', 'OUT', 'BACK', 'BACK', 'AGAIN'),
  ],
};

export const history: readonly CorpusEntry[] = [
  shallow,
  deep,
  defaults,
  parallelHistory,
  regionHistory,
  ownHistory,
];
