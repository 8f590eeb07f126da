// Self transitions: with and without re-entry, with what they cancel and order again.

import { assign, createMachine, fromPromise, raise, setup } from 'xstate';
import { type CorpusEntry, done, due, failed, script, silent } from './entry.ts';

const rearming: CorpusEntry = {
  name: 'a re-entering self transition cancels and re-arms the same ids',
  machine: setup({
    types: { context: {} as { visits: number } },
    actors: { poll: fromPromise<number, { visit: number }>(async ({ input }) => input.visit) },
    actions: { left: silent, slow: silent, again: silent, stay: silent, internal: silent },
  }).createMachine({
    id: 'watch',
    context: { visits: 0 },
    initial: 'polling',
    states: {
      polling: {
        entry: [
          assign({ visits: ({ context }) => context.visits + 1 }),
          raise({ type: 'HINT' }, { id: 'hint', delay: 30 }),
        ],
        exit: 'left',
        invoke: {
          id: 'poll',
          src: 'poll',
          input: ({ context }) => ({ visit: context.visits }),
          onDone: { target: 'polling', reenter: true },
          onError: 'broken',
        },
        after: { 1_000: { target: 'polling', reenter: true }, 2_000: { actions: 'slow' } },
        on: {
          AGAIN: { target: 'polling', reenter: true, actions: 'again' },
          STAY: { target: 'polling', actions: 'stay' },
          INTERNAL: { actions: 'internal' },
          HINT: { target: 'polling', reenter: true },
          OUT: 'broken',
        },
      },
      broken: { on: { AGAIN: 'polling' } },
    },
  }),
  scripts: [
    script(
      'AGAIN',
      'STAY',
      'INTERNAL',
      due(2_000, 'watch.polling'),
      due(1_000, 'watch.polling'),
      done('poll', 3),
    ),
    script('HINT', done('poll', 1), failed('poll', { code: 'offline' }), 'AGAIN', 'OUT'),
  ],
};

const compound: CorpusEntry = {
  name: 'self transitions of a compound state',
  machine: createMachine({
    id: 'shell',
    initial: 'box',
    states: {
      box: {
        entry: 'enterBox',
        exit: 'exitBox',
        initial: 'one',
        on: {
          SELF: 'box',
          SELF_REENTER: { target: 'box', reenter: true },
          CHILD: '.two',
          CHILD_REENTER: { target: '.two', reenter: true },
          NOTHING: {},
          EMPTY_REENTER: { reenter: true, actions: 'untouched' },
        },
        states: {
          one: { entry: 'enterOne', exit: 'exitOne', on: { NEXT: 'two' } },
          two: {
            entry: 'enterTwo',
            exit: 'exitTwo',
            on: { UP: { target: '#shell.box', reenter: true }, UP_INTERNAL: '#shell.box' },
          },
        },
      },
    },
  }),
  scripts: [
    script('NEXT', 'SELF', 'NEXT', 'SELF_REENTER', 'CHILD', 'CHILD', 'CHILD_REENTER', 'NOTHING'),
    script('CHILD', 'UP', 'NEXT', 'UP_INTERNAL', 'EMPTY_REENTER', 'NOTHING', 'SELF_REENTER'),
  ],
};

const root: CorpusEntry = {
  name: 'the root re-enters itself with timers and children',
  machine: setup({
    actors: { job: fromPromise(async () => 'ok') },
    actions: { enterTop: silent, exitTop: silent, enterB: silent },
  }).createMachine({
    id: 'top',
    initial: 'a',
    entry: 'enterTop',
    exit: 'exitTop',
    invoke: { id: 'job', src: 'job', onDone: '.b' },
    after: { 10_000: '.b' },
    on: { AGAIN: { target: '#top', reenter: true }, INNER: '#top' },
    states: { a: { on: { B: 'b' } }, b: { entry: 'enterB', after: { 10: 'a' } } },
  }),
  scripts: [
    script('B', 'AGAIN', done('job', 'ok'), 'INNER', due(10, 'top.b'), due(10_000, 'top')),
    script(due(10_000, 'top'), 'AGAIN', 'B', due(10, 'top.b'), done('job'), 'AGAIN'),
  ],
};

const region: CorpusEntry = {
  name: 'a re-entering region restarts its siblings, their timers too',
  machine: createMachine({
    id: 'pair',
    type: 'parallel',
    states: {
      fast: {
        entry: 'enterFast',
        after: { 5: { target: '#pair.fast', reenter: true } },
        on: { KICK: { target: '#pair.fast', reenter: true } },
      },
      slow: {
        initial: 'x',
        states: {
          x: { after: { 500: 'y' }, on: { KICK: { actions: 'kicked' } } },
          y: { on: { KICK: 'x' } },
        },
      },
    },
  }),
  scripts: [
    script('KICK', due(5, 'pair.fast'), due(500, 'pair.slow.x'), 'KICK', 'KICK'),
    script(due(500, 'pair.slow.x'), due(5, 'pair.fast'), 'KICK'),
  ],
};

export const reentering: readonly CorpusEntry[] = [rearming, compound, root, region];
