// `spawnChild` and `stopChild` with fixed ids.

import {
  assign,
  createMachine,
  enqueueActions,
  fromPromise,
  fromTransition,
  sendTo,
  setup,
  spawnChild,
  stopChild,
} from 'xstate';
import { type CorpusEntry, done, failed, script, silent, silentWith } from './entry.ts';

const work = fromPromise<string, { n: number } | undefined>(
  async ({ input }) => `done ${input?.n ?? 0}`,
);
const log = fromTransition(
  (lines: string[], event: { type: 'LINE'; text: string }) => [...lines, event.text],
  [],
);
const inner = createMachine({
  id: 'inner',
  initial: 'on',
  states: { on: { entry: 'innerEntered', on: { END: 'off' } }, off: { type: 'final' } },
});

const spawnAndStop: CorpusEntry = {
  name: 'spawn, send, stop, spawn again',
  machine: setup({
    types: { context: {} as { n: number } },
    actors: { work, log },
    actions: { worked: silentWith },
  }).createMachine({
    id: 'shop',
    context: { n: 0 },
    initial: 'open',
    states: {
      open: {
        on: {
          SPAWN: {
            actions: [
              assign({ n: ({ context }) => context.n + 1 }),
              spawnChild('work', { id: 'worker', input: ({ context }) => ({ n: context.n }) }),
            ],
          },
          LOG: { actions: spawnChild('log', { id: 'log' }) },
          LINE: {
            actions: sendTo('log', ({ event }) => ({ type: 'LINE', text: String(event['text']) })),
          },
          STOP: { actions: stopChild('worker') },
          STOP_NAMED: { actions: stopChild(({ event }) => String(event['id'])) },
          STOP_ALL: { actions: [stopChild('worker'), stopChild('log'), stopChild('nobody')] },
          SWAP: {
            actions: [stopChild('worker'), spawnChild('work', { id: 'worker', input: { n: -1 } })],
          },
          FLEETING: {
            actions: [
              spawnChild('work', { id: 'fleeting', input: { n: 0 } }),
              stopChild('fleeting'),
            ],
          },
          'xstate.done.actor.worker': {
            actions: { type: 'worked', params: ({ event }) => ({ output: event['output'] }) },
          },
          CLOSE: 'closed',
        },
      },
      closed: { type: 'final' },
    },
  }),
  scripts: [
    script('SPAWN', 'LOG', { type: 'LINE', text: 'a' }, done('worker', 'done 1'), 'SPAWN', 'CLOSE'),
    script(
      'STOP',
      'SPAWN',
      'STOP',
      'STOP',
      'SPAWN',
      'SWAP',
      'FLEETING',
      { type: 'LINE', text: 'nobody listens' },
      'LOG',
      'STOP_ALL',
      'CLOSE',
    ),
    script(
      'LOG',
      'SPAWN',
      { type: 'STOP_NAMED', id: 'log' },
      { type: 'STOP_NAMED', id: 'nobody' },
      done('worker', 'x'),
      'STOP',
      'CLOSE',
    ),
  ],
};

const fromEntry: CorpusEntry = {
  name: 'spawned on entry, kept over states, stopped on exit',
  machine: setup({ actors: { inner, work }, actions: { noticed: silent } }).createMachine({
    id: 'host',
    initial: 'idle',
    entry: spawnChild('work', { id: 'always', input: { n: 1 } }),
    states: {
      idle: { on: { GO: 'busy' } },
      busy: {
        entry: [spawnChild('inner', { id: 'inner' }), sendTo('inner', { type: 'END' })],
        exit: stopChild('inner'),
        on: {
          BACK: 'idle',
          AGAIN: { target: 'busy', reenter: true },
          'xstate.done.actor.inner': 'idle',
          'xstate.error.actor.*': { actions: 'noticed' },
        },
      },
    },
  }),
  scripts: [
    script('GO', 'AGAIN', 'BACK', 'GO', done('inner')),
    script(
      'GO',
      failed('inner', { message: 'inner broke' }),
      failed('always', { message: 'always broke' }),
      'BACK',
      failed('stray', { message: 'nobody' }),
    ),
  ],
};

const replaced: CorpusEntry = {
  name: 'two spawns under one id, and children beside invokes',
  machine: setup({ actors: { work, log } }).createMachine({
    id: 'twice',
    initial: 'a',
    states: {
      a: {
        invoke: { id: 'log', src: 'log' },
        entry: [
          spawnChild('work', { id: 'w', input: { n: 1 } }),
          spawnChild('work', { id: 'w', input: { n: 2 } }),
        ],
        on: {
          NEXT: 'b',
          SAY: {
            actions: [sendTo('log', { type: 'LINE', text: 'said' }), sendTo('w', { type: 'HI' })],
          },
        },
      },
      b: { on: { NEXT: 'a', END: 'c', SAY: { actions: sendTo('w', { type: 'HI' }) } } },
      c: { type: 'final' },
    },
  }),
  scripts: [
    script('SAY', 'NEXT', 'SAY', 'NEXT', 'NEXT', 'END'),
    script('NEXT', done('w', 'done 2'), 'NEXT', 'NEXT', 'END'),
  ],
};

const enqueued: CorpusEntry = {
  name: 'spawned and stopped by enqueueActions, many children in order',
  machine: setup({
    types: { context: {} as { workers: string[] } },
    actors: { work },
    actions: { closing: silent },
  }).createMachine({
    id: 'crew',
    context: { workers: [] },
    initial: 'on',
    states: {
      on: {
        on: {
          HIRE: {
            actions: enqueueActions(({ context, enqueue }) => {
              enqueue.spawnChild('work', { id: 'first', input: { n: context.workers.length } });
              enqueue.spawnChild('work', { id: 'second', input: { n: context.workers.length } });
              enqueue.assign({ workers: ['first', 'second'] });
            }),
          },
          FIRE: {
            actions: enqueueActions(({ context, enqueue }) => {
              for (const worker of context.workers) enqueue.stopChild(worker);
              enqueue.assign({ workers: [] });
            }),
          },
          END: 'off',
        },
      },
      off: { type: 'final', entry: 'closing' },
    },
  }),
  scripts: [
    script('HIRE', 'FIRE', 'FIRE', 'HIRE', 'END'),
    script('HIRE', done('first', 'x'), 'FIRE', 'END'),
  ],
};

export const spawning: readonly CorpusEntry[] = [spawnAndStop, fromEntry, replaced, enqueued];
