// `raise` at once, `sendTo` to self and to children, delayed and cancelled, and `forwardTo`.

import {
  type AnyEventObject,
  assign,
  cancel,
  createMachine,
  forwardTo,
  fromPromise,
  fromTransition,
  raise,
  sendParent,
  sendTo,
  setup,
} from 'xstate';
import { type CorpusEntry, done, script, silent } from './entry.ts';

const echo = createMachine({
  id: 'echo',
  initial: 'listening',
  states: {
    listening: { on: { HELLO: 'greeted', STOP: 'over' } },
    greeted: { on: { HELLO: {}, STOP: 'over' } },
    over: { type: 'final' },
  },
});

const raised: CorpusEntry = {
  name: 'raised events: order, payload, and what nobody handles',
  machine: createMachine({
    id: 'raised',
    context: { seen: [] as string[] },
    initial: 'idle',
    states: {
      idle: {
        on: {
          GO: {
            target: 'busy',
            actions: [
              raise({ type: 'ONE' }),
              raise(({ event }: { event: AnyEventObject }) => ({
                type: 'TWO',
                value: event['value'],
              })),
              raise({ type: 'NOBODY' }),
            ],
          },
        },
        exit: raise({ type: 'LEFT' }),
      },
      busy: {
        entry: raise({ type: 'THREE' }),
        on: {
          '*': {
            actions: assign({ seen: ({ context, event }) => [...context['seen'], event.type] }),
          },
          TWO: {
            actions: [
              {
                type: 'two',
                params: ({ event }: { event: AnyEventObject }) => ({ value: event['value'] }),
              },
              raise({ type: 'FOUR' }),
            ],
          },
          FOUR: 'idle',
        },
      },
    },
  }),
  scripts: [
    script({ type: 'GO', value: 7 }, 'GO'),
    script('ONE', { type: 'GO', value: { deep: [1, null, 'x'] } }, 'TWO'),
  ],
};

const acrossRegions: CorpusEntry = {
  name: 'one region raises, the other answers',
  machine: createMachine({
    id: 'ping',
    type: 'parallel',
    context: { balls: 0 },
    states: {
      left: {
        initial: 'ready',
        states: {
          ready: { on: { SERVE: { target: 'waiting', actions: raise({ type: 'PING' }) } } },
          waiting: {
            on: {
              PONG: [
                {
                  guard: ({ context }) => context.balls < 3,
                  target: 'waiting',
                  reenter: true,
                  actions: raise({ type: 'PING' }),
                },
                { target: 'ready', actions: 'point' },
              ],
            },
          },
        },
      },
      right: {
        initial: 'ready',
        states: {
          ready: {
            on: {
              PING: {
                actions: [
                  assign({ balls: ({ context }) => Number(context['balls']) + 1 }),
                  raise({ type: 'PONG' }),
                ],
              },
            },
          },
        },
      },
    },
  }),
  scripts: [script('SERVE', 'SERVE', 'PING'), script('PONG', 'PING', 'SERVE')],
};

const toSelf: CorpusEntry = {
  name: 'sendTo self, at once and delayed',
  machine: setup({
    types: { context: {} as { pause: number } },
    delays: { soon: ({ context }) => context.pause },
  }).createMachine({
    id: 'self',
    context: { pause: 25 },
    initial: 'idle',
    states: {
      idle: {
        on: {
          NOW: { actions: sendTo(({ self }) => self, { type: 'ECHO' }) },
          LATER: {
            actions: sendTo(
              ({ self }) => self,
              ({ context }) => ({ type: 'ECHO', pause: context.pause }),
              { id: 'echo', delay: 'soon' },
            ),
          },
          STOP: { actions: cancel('echo') },
          SCXML: { actions: sendTo('#_internal', { type: 'ECHO' }) },
          ECHO: 'heard',
        },
      },
      heard: { on: { NOW: 'idle' } },
    },
  }),
  scripts: [
    script('NOW', 'ECHO', 'NOW', 'LATER', 'STOP', 'LATER', { type: 'ECHO', pause: 25 }),
    script('SCXML', 'NOW', 'STOP', 'LATER', 'LATER'),
  ],
};

const toChild: CorpusEntry = {
  name: 'sendTo an invoked child, also from the entry actions of its own state',
  machine: setup({
    types: { context: {} as { words: number } },
    actors: { echo },
    actions: { ignored: silent },
  }).createMachine({
    id: 'caller',
    context: { words: 0 },
    initial: 'talking',
    states: {
      talking: {
        entry: [
          sendTo('echo', { type: 'HELLO' }),
          sendTo('echo', { type: 'HELLO', late: true }, { id: 'second', delay: 90 }),
        ],
        exit: [sendTo('echo', { type: 'STOP' }), cancel('second')],
        invoke: { id: 'echo', src: 'echo', onDone: 'silent' },
        on: {
          SAY: {
            actions: [
              assign({ words: ({ context }) => context.words + 1 }),
              sendTo('echo', ({ context, event }) => ({
                type: 'HELLO',
                words: context.words,
                said: event['said'],
              })),
              sendTo('#_echo', { type: 'HELLO' }),
              sendTo(({ context }) => (context.words > 0 ? 'echo' : 'nobody'), {
                type: 'HELLO',
                by: 'function',
              }),
            ],
          },
          MOVE: 'silent',
        },
      },
      silent: { on: { MOVE: 'talking', SAY: { actions: 'ignored' } } },
    },
  }),
  scripts: [
    script({ type: 'SAY', said: 'hi' }, 'MOVE', 'SAY', 'MOVE', { type: 'SAY', said: ['a'] }),
    script(done('echo'), 'MOVE', done('echo'), 'SAY'),
  ],
};

const forwarding: CorpusEntry = {
  name: 'forwardTo a child',
  machine: setup({
    actors: {
      tally: fromTransition(
        (state: number, event: { type: 'ADD'; by: number }) => state + event.by,
        0,
      ),
    },
  }).createMachine({
    id: 'relay',
    initial: 'on',
    invoke: { id: 'tally', src: 'tally' },
    states: {
      on: {
        on: {
          ADD: { actions: forwardTo('tally') },
          LATER: { actions: forwardTo('tally', { delay: 60, id: 'held' }) },
          OFF: 'off',
        },
      },
      off: { entry: cancel('held'), on: { ON: 'on' } },
    },
  }),
  scripts: [
    script({ type: 'ADD', by: 4 }, { type: 'LATER', by: 5 }, 'OFF', { type: 'ADD', by: 1 }, 'ON', {
      type: 'ADD',
      by: 2,
    }),
  ],
};

const unreachable: CorpusEntry = {
  name: 'sendTo nobody: unknown child, no parent, an undefined target, a child that is gone',
  machine: setup({
    actors: { task: fromPromise(async () => 1) },
    actions: { before: silent, after: silent },
  }).createMachine({
    id: 'lost',
    initial: 'alone',
    states: {
      alone: {
        on: {
          UNKNOWN: {
            actions: [
              'before',
              sendTo(({ event }) => String(event['to']), { type: 'HELLO' }),
              'after',
            ],
          },
          PARENT: { actions: sendParent({ type: 'HELLO' }) },
          NOBODY: { actions: forwardTo(({ event }) => String(event['to'] ?? '')) },
          WORK: 'working',
        },
      },
      working: {
        invoke: { id: 'task', src: 'task', onDone: 'alone' },
        on: { UNKNOWN: { actions: sendTo('task', { type: 'HELLO' }) } },
      },
    },
  }),
  scripts: [
    script(
      { type: 'UNKNOWN', to: 'task' },
      'PARENT',
      'NOBODY',
      'WORK',
      'UNKNOWN',
      done('task', 1),
      { type: 'UNKNOWN', to: 'task' },
    ),
    script('PARENT', 'WORK', 'PARENT', done('task', 1), { type: 'NOBODY', to: 'task' }),
  ],
};

export const sending: readonly CorpusEntry[] = [
  raised,
  acrossRegions,
  toSelf,
  toChild,
  forwarding,
  unreachable,
];
