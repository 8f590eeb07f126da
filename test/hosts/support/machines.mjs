// Machines: what the hosts of these tests step. They run from dist.

import { assign, fromPromise, setup } from 'xstate';
import { z } from 'zod';
import { defineCall, defineMachine } from '../../../dist/hosts/embedded/index.js';

const placeholder = fromPromise(() => Promise.reject(new Error('no call')));

/** Goes through a call of each class, once. An effect that is unknown is looked after, never repeated. */
const job = setup({
  actors: { look: placeholder, act: placeholder, repeat: placeholder },
  actions: { note: assign((_, acted) => ({ acted })) },
}).createMachine({
  id: 'job',
  context: ({ input }) => ({ input, acted: undefined }),
  initial: 'looking',
  states: {
    looking: { invoke: { id: 'look', ...invoked('look'), onDone: 'acting', onError: 'failed' } },
    acting: {
      invoke: {
        id: 'act',
        ...invoked('act'),
        onDone: { target: 'repeating', actions: { type: 'note', params: 'done' } },
        onError: { target: 'lookingAfter', actions: { type: 'note', params: codeOf } },
      },
    },
    lookingAfter: {
      invoke: { id: 'lookAfter', ...invoked('look'), onDone: 'repeating', onError: 'failed' },
    },
    repeating: {
      invoke: { id: 'repeat', ...invoked('repeat'), onDone: 'over', onError: 'failed' },
    },
    failed: {},
    over: { type: 'final' },
  },
  output: ({ context }) => context.acted,
});

/** @param {string} call */
function invoked(call) {
  return { src: call, input: (/** @type {any} */ { context }) => inputOf(call, context.input) };
}

/**
 * @param {string} call
 * @param {{ witness: string, paceMs?: number, actUntilFile?: string }} input
 */
function inputOf(call, { witness, paceMs, actUntilFile }) {
  return { call, witness, paceMs, ...(call === 'act' ? { untilFile: actUntilFile } : {}) };
}

/** @param {{ event: { error: { code: string } } }} args */
function codeOf({ event }) {
  return event.error.code;
}

/** Counts; with a payload each of its steps writes that much: SQLite leaves pages alone that do not change. */
const counter = setup({
  actions: {
    count: assign(({ context: { count, payload } }) => ({
      count: count + 1,
      payload: payloadOf(count + 1, payload.length),
    })),
  },
}).createMachine({
  id: 'counter',
  context: ({ input }) => ({ count: 0, payload: payloadOf(0, input?.payloadCharacters ?? 0) }),
  initial: 'counting',
  on: { COUNT: { actions: 'count' } },
  states: { counting: { on: { END: 'over' } }, over: { type: 'final' } },
});

/**
 * @param {number} count
 * @param {number} characters
 */
function payloadOf(count, characters) {
  return String(count % 10).repeat(characters);
}

/** Rings once, so long after its birth. */
const bell = setup({
  delays: { due: ({ context }) => context.delayMs },
}).createMachine({
  id: 'bell',
  context: ({ input }) => ({ delayMs: input.delayMs }),
  initial: 'waiting',
  states: { waiting: { after: { due: 'over' } }, over: { type: 'final' } },
});

export const machines = [job, counter, bell].map((machine) =>
  defineMachine({ machine, version: 1 }),
);

/** @type {readonly ['look' | 'act' | 'repeat', 'read' | 'effect' | 'replayable'][]} */
const classes = [
  ['look', 'read'],
  ['act', 'effect'],
  ['repeat', 'replayable'],
];

export const calls = classes.map(([name, callClass]) =>
  defineCall({
    name,
    module: new URL('./work.mjs', import.meta.url),
    class: callClass,
    limitMs: 120_000,
    input: z.unknown(),
    output: z.unknown(),
  }),
);
