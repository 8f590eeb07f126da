// Machines of these tests, and what a store holds of their actors.

import { assign, createMachine, emit, fromPromise, sendTo, setup } from 'xstate';
import type { TestTroupe } from '../kit/index.ts';

/** Counts, draws lots and keeps a timer armed: every step leaves another snapshot. */
export const counter = setup({
  types: {
    context: {} as { count: number; drawn: number; atMs: number },
    emitted: {} as { type: 'ODD' },
  },
  actions: {
    count: assign({
      count: ({ context }) => context.count + 1,
      drawn: () => Math.random(),
      atMs: () => Date.now(),
    }),
    tell: emit({ type: 'ODD' }),
    break: assign(() => {
      throw new Error('broken');
    }),
  },
}).createMachine({
  id: 'counter',
  context: { count: 0, drawn: 0, atMs: 0 },
  initial: 'even',
  on: { FREEZE: '.frozen', END: '.ended', BREAK: { actions: 'break' } },
  states: {
    even: {
      tags: 'even',
      after: { 60_000: 'frozen' },
      on: { COUNT: { target: 'odd', actions: 'count' } },
    },
    odd: { entry: 'tell', on: { COUNT: { target: 'even', actions: 'count' } } },
    frozen: { tags: ['cold'] },
    ended: { type: 'final' },
  },
  output: ({ context }) => ({ count: context.count }),
});

/** The same with what broke it mended. */
export const mended = counter.provide({ actions: { break: assign({}) } });

/** The same with a change that shows. */
export const changed = counter.provide({ actions: { tell: () => {} } });

const part = setup({
  actors: { check: fromPromise(async () => 'checked') },
}).createMachine({
  id: 'part',
  initial: 'open',
  states: {
    open: {
      invoke: { id: 'check', src: 'check', onDone: 'checked' },
    },
    checked: { on: { CLOSE: 'closed' } },
    closed: { type: 'final' },
  },
});

/** Orders of everything that a machine can order: calls, a child, messages to others, notifications, a timer. */
export const work = setup({
  types: { context: {} as { answer: unknown; failure: unknown } },
  actors: { part, fetch: fromPromise(async () => 'fetched') },
  actions: {
    note: () => {},
    tell: sendTo(({ system }) => system.get('log/all'), { type: 'TOLD' }),
    remind: sendTo(({ system }) => system.get('log/all'), { type: 'REMIND' }, { delay: 50 }),
  },
}).createMachine({
  id: 'work',
  context: { answer: null, failure: null },
  initial: 'idle',
  states: {
    idle: {
      on: {
        FETCH: 'fetching',
        DIVIDE: 'divided',
        TELL: { actions: ['note', 'tell', 'remind'] },
        WAIT: 'waiting',
        END: 'ended',
      },
    },
    fetching: {
      on: { ABANDON: 'idle' },
      invoke: {
        id: 'fetch',
        src: 'fetch',
        onDone: { target: 'idle', actions: assign({ answer: ({ event }) => event.output }) },
        onError: { target: 'idle', actions: assign({ failure: ({ event }) => event.error }) },
      },
    },
    divided: {
      invoke: { id: 'part', src: 'part', onDone: 'idle' },
      on: { CLOSE: { actions: sendTo('part', { type: 'CLOSE' }) }, LEAVE: 'idle' },
    },
    waiting: { after: { 1_000: 'late' }, on: { NUDGE: {} } },
    late: {},
    ended: { type: 'final' },
  },
});

/** Takes what others send. */
export const log = createMachine({
  id: 'log',
  initial: 'open',
  states: { open: { on: { TOLD: {} } } },
});

/** All that a store holds, without the hosts. */
export function dumpOf({ rows }: TestTroupe): Readonly<Record<string, unknown>> {
  const tables = ['actors', 'messages', 'journal', 'calls', 'receipts', 'undeliverable', 'meta'];
  return Object.fromEntries(tables.map((table) => [table, rows(`SELECT * FROM ${table}`)]));
}
