// `invoke`: promises, machines and transition logic, with and without ids, their results and errors.

import { assign, createMachine, fromPromise, fromTransition, setup } from 'xstate';
import { type CorpusEntry, done, failed, script, silent } from './entry.ts';

interface User {
  readonly name: string;
  readonly admin?: boolean;
}

const promise: CorpusEntry = {
  name: 'a promise with input, guarded onDone and onError',
  machine: setup({
    types: { context: {} as { id: string; user: User | null; problem: unknown; tries: number } },
    actors: {
      fetchUser: fromPromise<User, { id: string; tries: number }>(async ({ input }) => ({
        name: input.id,
      })),
    },
    actions: { showUser: silent },
  }).createMachine({
    id: 'fetch',
    context: { id: 'u1', user: null, problem: null, tries: 0 },
    initial: 'idle',
    states: {
      idle: {
        on: {
          FETCH: {
            target: 'loading',
            actions: assign({ tries: ({ context }) => context.tries + 1 }),
          },
        },
      },
      loading: {
        invoke: {
          id: 'user',
          src: 'fetchUser',
          input: ({ context }) => ({ id: context.id, tries: context.tries }),
          onDone: [
            {
              guard: ({ event }) => event.output.admin === true,
              target: 'admin',
              actions: assign({ user: ({ event }) => event.output }),
            },
            {
              target: 'shown',
              actions: [assign({ user: ({ event }) => event.output }), 'showUser'],
            },
          ],
          onError: [
            {
              guard: ({ context }) => context.tries < 2,
              target: 'loading',
              reenter: true,
              actions: assign({ tries: ({ context }) => context.tries + 1 }),
            },
            { target: 'failed', actions: assign({ problem: ({ event }) => event.error }) },
          ],
        },
        on: { CANCEL: 'idle' },
      },
      shown: { on: { FETCH: 'loading' } },
      admin: { type: 'final' },
      failed: { on: { FETCH: 'idle' } },
    },
  }),
  scripts: [
    script(
      'FETCH',
      done('user', { name: 'Ada' }),
      'FETCH',
      done('user', { name: 'Root', admin: true }),
    ),
    script(
      'FETCH',
      failed('user', { code: 'offline', message: 'no net' }),
      failed('user', { code: 'offline', message: 'still' }),
      'FETCH',
    ),
    script('FETCH', 'CANCEL', done('user', { name: 'late' }), 'FETCH', 'CANCEL', 'CANCEL'),
  ],
};

const unhandled: CorpusEntry = {
  name: 'an unhandled child error ends the parent and stops every child',
  machine: setup({
    actors: {
      job: fromPromise(async () => 1),
      logic: fromTransition((state: { n: number }) => state, { n: 0 }),
    },
    actions: { neverRuns: silent },
  }).createMachine({
    id: 'fragile',
    initial: 'idle',
    exit: 'neverRuns',
    invoke: [
      { id: 'first', src: 'job' },
      { id: 'second', src: 'logic' },
    ],
    states: {
      idle: { on: { GO: 'busy' } },
      busy: { invoke: { id: 'third', src: 'job', onDone: 'idle' } },
    },
  }),
  scripts: [
    script('GO', failed('third', { code: 'boom', message: 'third failed' })),
    script(failed('first', 'just text')),
    script('GO', done('third', 1), done('first', 1), failed('second', { message: 'late' })),
    script(failed('nobody', { message: 'of no child' })),
  ],
};

const several: CorpusEntry = {
  name: 'several invokes on one state, some without onDone',
  machine: setup({
    types: { context: {} as { results: string[] } },
    actors: { a: fromPromise(async () => 'a'), b: fromPromise(async () => 'b') },
    actions: {
      keep: assign({
        results: ({ context }, params: { result: string }) => [...context.results, params.result],
      }),
    },
  }).createMachine({
    id: 'fan',
    context: { results: [] },
    initial: 'out',
    states: {
      out: {
        invoke: [
          {
            id: 'a',
            src: 'a',
            onDone: {
              actions: { type: 'keep', params: ({ event }) => ({ result: event.output }) },
            },
          },
          {
            id: 'b',
            src: 'b',
            onDone: {
              target: 'in',
              actions: { type: 'keep', params: ({ event }) => ({ result: event.output }) },
            },
            onError: 'in',
          },
          { id: 'quiet', src: 'a' },
        ],
        on: { STOP: 'in' },
      },
      in: { on: { STOP: 'out' } },
    },
  }),
  scripts: [
    script(done('a', 'a1'), done('quiet', 'q'), done('b', 'b1'), 'STOP', done('b', 'b2')),
    script(failed('b', { message: 'b' }), 'STOP', done('quiet'), 'STOP', 'STOP'),
  ],
};

const child = createMachine({
  id: 'child',
  context: ({ input }: { input: { start: number } }) => ({ count: input.start }),
  initial: 'counting',
  states: {
    counting: {
      entry: 'childEntered',
      after: { 500: 'over' },
      on: { UP: { actions: assign({ count: ({ context }) => context.count + 1 }) } },
    },
    over: { type: 'final' },
  },
  output: ({ context }) => ({ count: context.count }),
});

const machineChild: CorpusEntry = {
  name: 'a machine as child, with input and output',
  machine: setup({ types: { context: {} as { total: number } }, actors: { child } }).createMachine({
    id: 'parent',
    context: { total: 2 },
    initial: 'running',
    states: {
      running: {
        invoke: {
          id: 'kid',
          src: 'child',
          input: ({ context }) => ({ start: context.total }),
          onDone: {
            target: 'paused',
            actions: assign({ total: ({ context, event }) => context.total + event.output.count }),
          },
        },
      },
      paused: { on: { GO: 'running', END: 'ended' } },
      ended: { type: 'final' },
    },
    output: ({ context }) => context.total,
  }),
  scripts: [
    script(done('kid', { count: 5 }), 'GO', done('kid', { count: 7 }), 'END'),
    script('GO', done('kid', { count: 0 }), 'UNKNOWN', 'END'),
  ],
};

const counter = fromTransition(
  (state: { n: number }, event: { type: 'INC' }) =>
    event.type === 'INC' ? { n: state.n + 1 } : state,
  { n: 0 },
);

// Without an id XState names the child by its place: `<index>.<state id>`; an inline source likewise.
const unnamed: CorpusEntry = {
  name: 'invokes without id and with inline sources',
  machine: createMachine({
    id: 'inline',
    initial: 'one',
    states: {
      one: {
        invoke: [
          { src: counter, onDone: 'two' },
          {
            src: fromPromise(async () => 1),
            input: { fixed: true },
            onDone: { target: 'two', actions: 'secondDone' },
            onError: 'three',
          },
        ],
        on: { NEXT: 'two' },
      },
      two: {
        initial: 'x',
        states: { x: { invoke: { src: child, input: { start: 1 }, onDone: '#inline.three' } } },
        on: { NEXT: 'one' },
      },
      three: { on: { NEXT: 'one' } },
    },
  }),
  scripts: [
    script('NEXT', done('0.inline.two.x', { count: 1 }), 'NEXT', done('1.inline.one', 1), 'NEXT'),
    script(failed('1.inline.one', { message: 'no' }), 'NEXT', done('0.inline.one'), 'NEXT'),
  ],
};

const system: CorpusEntry = {
  name: 'an invoke with a system id, left and entered again',
  machine: setup({ actors: { counter } }).createMachine({
    id: 'wired',
    initial: 'on',
    states: {
      on: {
        invoke: { id: 'meter', src: 'counter', systemId: 'theMeter' },
        on: { FLIP: 'off', AGAIN: { target: 'on', reenter: true } },
      },
      off: { on: { FLIP: 'on' } },
    },
  }),
  scripts: [script('FLIP', 'FLIP', 'FLIP'), script('AGAIN', 'AGAIN', 'FLIP', 'AGAIN', 'FLIP')],
};

export const invoking: readonly CorpusEntry[] = [
  promise,
  unhandled,
  several,
  machineChild,
  unnamed,
  system,
];
