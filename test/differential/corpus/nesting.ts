// Atomic, compound and parallel states, alone and inside each other.

import { assign, createMachine, setup } from 'xstate';
import { type CorpusEntry, script } from './entry.ts';

const trafficLight: CorpusEntry = {
  name: 'traffic light',
  machine: createMachine({
    id: 'light',
    initial: 'green',
    states: {
      green: { on: { NEXT: 'yellow', BREAK: 'broken' } },
      yellow: { on: { NEXT: 'red', BREAK: 'broken' } },
      red: { on: { NEXT: 'green', BREAK: 'broken' } },
      broken: {},
    },
  }),
  scripts: [
    script('NEXT', 'NEXT', 'NEXT', 'NEXT'),
    script('UNKNOWN', 'NEXT', 'UNKNOWN', 'BREAK', 'NEXT', 'BREAK'),
    script(),
  ],
};

const actionOrder: CorpusEntry = {
  name: 'entry and exit order over four levels',
  machine: createMachine({
    id: 'deep',
    initial: 'left',
    entry: 'enterRoot',
    exit: 'exitRoot',
    on: {
      RESET: { target: '.left', actions: 'reset' },
      RESTART: { target: '#deep', reenter: true, actions: 'restart' },
    },
    states: {
      left: {
        entry: 'enterLeft',
        exit: 'exitLeft',
        initial: 'one',
        states: {
          one: {
            entry: 'enterOne',
            exit: 'exitOne',
            initial: 'alpha',
            on: { SIDE: { target: 'two', actions: 'side' } },
            states: {
              alpha: {
                entry: 'enterAlpha',
                exit: 'exitAlpha',
                on: { CROSS: { target: '#omega', actions: 'cross' } },
              },
              beta: { entry: 'enterBeta', exit: 'exitBeta' },
            },
          },
          two: { entry: 'enterTwo', exit: 'exitTwo', on: { BACK: 'one.beta' } },
        },
      },
      right: {
        entry: 'enterRight',
        exit: 'exitRight',
        initial: 'inner',
        states: {
          inner: {
            entry: 'enterInner',
            exit: 'exitInner',
            initial: 'omega',
            states: {
              omega: {
                id: 'omega',
                entry: 'enterOmega',
                exit: 'exitOmega',
                on: { UP: '#deep.left.two' },
              },
            },
          },
        },
      },
    },
  }),
  scripts: [
    script('CROSS', 'UP', 'BACK', 'RESET'),
    script('SIDE', 'BACK', 'SIDE', 'RESTART', 'CROSS', 'RESET'),
    script('NOTHING', 'CROSS', 'NOTHING', 'RESTART'),
  ],
};

const initialActions: CorpusEntry = {
  name: 'initial transitions with actions',
  machine: setup({
    types: { context: {} as { trail: string[] } },
    actions: {
      mark: assign({
        trail: ({ context }, params: { at: string }) => [...context.trail, params.at],
      }),
    },
  }).createMachine({
    id: 'initials',
    context: { trail: [] },
    initial: { target: 'outer', actions: { type: 'mark', params: { at: 'root' } } },
    states: {
      outer: {
        entry: { type: 'mark', params: { at: 'outer' } },
        initial: { target: 'inner', actions: [{ type: 'mark', params: { at: 'outer.initial' } }] },
        states: {
          inner: { entry: { type: 'mark', params: { at: 'inner' } } },
          direct: { entry: { type: 'mark', params: { at: 'direct' } } },
        },
      },
      aside: {},
    },
    on: { DEFAULT: '.outer', DIRECT: '.outer.direct', ASIDE: '.aside' },
  }),
  scripts: [script('ASIDE', 'DEFAULT', 'DIRECT', 'DEFAULT'), script('DIRECT', 'ASIDE', 'DIRECT')],
};

const wordProcessor: CorpusEntry = {
  name: 'parallel regions',
  machine: createMachine({
    id: 'word',
    type: 'parallel',
    states: {
      bold: {
        initial: 'off',
        states: {
          off: { on: { BOLD: 'on', ALL: { target: 'on', actions: 'bolden' } } },
          on: { on: { BOLD: 'off', NONE: 'off' } },
        },
      },
      italic: {
        initial: 'off',
        states: {
          off: { on: { ITALIC: 'on', ALL: { target: 'on', actions: 'slant' } } },
          on: { on: { ITALIC: 'off', NONE: 'off' } },
        },
      },
      list: {
        initial: 'none',
        states: {
          none: { on: { LIST: 'bullets' } },
          bullets: { on: { LIST: 'numbers' } },
          numbers: { on: { LIST: 'none' } },
        },
      },
    },
  }),
  scripts: [
    script('BOLD', 'ALL', 'ITALIC', 'NONE', 'LIST'),
    script('ALL', 'NONE', 'ALL', 'LIST', 'LIST', 'LIST'),
    script('ITALIC', 'BOLD', 'NONE', 'NONE', 'UNKNOWN'),
  ],
};

const parallelInside: CorpusEntry = {
  name: 'parallel within compound within parallel',
  machine: createMachine({
    id: 'nest',
    type: 'parallel',
    states: {
      work: {
        initial: 'idle',
        states: {
          idle: { on: { START: 'busy' } },
          busy: {
            type: 'parallel',
            entry: 'enterBusy',
            exit: 'exitBusy',
            on: { HALT: 'idle' },
            states: {
              upload: {
                id: 'upload',
                initial: 'slow',
                states: {
                  slow: { entry: 'slow', on: { SHIFT: 'fast' } },
                  fast: { entry: 'fast', exit: 'leaveFast', on: { SHIFT: 'slow' } },
                },
              },
              check: {
                id: 'check',
                initial: 'loose',
                states: {
                  loose: { on: { SHIFT: 'strict' } },
                  strict: { exit: 'leaveStrict', on: { FAIL: '#nest.work.idle' } },
                },
              },
            },
          },
        },
        on: { BOTH: { target: ['#upload.fast', '#check.strict'], actions: 'both' } },
      },
      light: {
        initial: 'dark',
        states: {
          dark: { on: { TOGGLE: 'bright' } },
          bright: { on: { TOGGLE: 'dark', HALT: 'dark' } },
        },
      },
    },
  }),
  scripts: [
    script('START', 'SHIFT', 'TOGGLE', 'HALT', 'START'),
    script('BOTH', 'FAIL', 'BOTH', 'SHIFT', 'BOTH', 'HALT'),
    script('TOGGLE', 'START', 'SHIFT', 'FAIL', 'SHIFT'),
  ],
};

const regionReentry: CorpusEntry = {
  name: 'a region that re-enters takes its siblings along',
  machine: createMachine({
    id: 'turns',
    type: 'parallel',
    states: {
      a: {
        initial: 'one',
        on: { AGAIN_A: { target: '#turns.a', reenter: true } },
        states: {
          one: { on: { BOTH: { target: 'two', actions: 'a.one' } } },
          two: { on: { BOTH: { target: 'one', actions: 'a.two' } } },
        },
      },
      b: {
        initial: 'one',
        on: { AGAIN_B: { target: '#turns.b', reenter: true } },
        states: {
          one: { on: { BOTH: { target: 'two', actions: 'b.one' } } },
          two: { on: { BOTH: { target: 'one', actions: 'b.two' } } },
        },
      },
      only: {
        type: 'parallel',
        states: { lone: { initial: 'x', states: { x: { on: { BOTH: 'y' } }, y: {} } } },
      },
    },
  }),
  scripts: [
    script('AGAIN_A', 'BOTH', 'BOTH'),
    script('BOTH', 'AGAIN_B', 'AGAIN_A', 'BOTH', 'AGAIN_A', 'BOTH'),
  ],
};

export const nesting: readonly CorpusEntry[] = [
  trafficLight,
  actionOrder,
  initialActions,
  wordProcessor,
  parallelInside,
  regionReentry,
];
