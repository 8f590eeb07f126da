// Stimuli: what is tried at a state, and in which order: timers, own messages, late and doubled answers, restarts.

import { expect, it } from 'vitest';
import { assign, createMachine, fromPromise, raise, sendParent, sendTo, setup } from 'xstate';
import { z } from 'zod';
import { defineCall, defineMachine } from '../../hosts/embedded/index.ts';
import { explore } from '../kit/index.ts';
import { foundBy } from './support.ts';

/** Fires timers and notes in which order; events only start it, so the orders are those of the timers alone. */
function ordersOf(machine: Parameters<typeof explore>[0], events: readonly string[]): string[] {
  const orders = new Set<string>();
  const report = explore(machine, {
    events: events.map((type) => ({ type })),
    invariants: {
      note: ({ context, timers }) => {
        if (timers.length === 0) orders.add((context as { fired: string }).fired);
        return true;
      },
    },
  });
  expect(report).toMatchObject({ findings: [], isComplete: true });
  return [...orders].filter((order) => order !== '').toSorted();
}

const noting = setup({
  types: { context: {} as { fired: string } },
  actions: {
    note: assign({ fired: ({ context, event }) => context.fired + event.type.slice(-1) }),
    armA: raise({ type: 'T.a' }, { id: 'a', delay: 20 }),
    armB: raise({ type: 'T.b' }, { id: 'b', delay: 10 }),
  },
});

it('[explore] of timers that are armed together the one with the smaller delay fires first', () => {
  const machine = noting.createMachine({
    id: 'together',
    context: { fired: '' },
    entry: [
      raise({ type: 'T.c' }, { id: 'c', delay: 30 }),
      raise({ type: 'T.a' }, { id: 'a', delay: 10 }),
      raise({ type: 'T.b' }, { id: 'b', delay: 10 }),
    ],
    on: { 'T.*': { actions: 'note' } },
  });
  expect(ordersOf(machine, [])).toEqual(['abc']);
});

it('[explore] a timer that is armed later may fire before or after one with a greater delay', () => {
  const machine = noting.createMachine({
    id: 'later',
    context: { fired: '' },
    initial: 'one',
    states: {
      one: {
        entry: raise({ type: 'T.a' }, { id: 'a', delay: 20 }),
        on: { GO: 'two', 'T.a': 'early' },
      },
      // Here both are live.
      two: {
        entry: raise({ type: 'T.b' }, { id: 'b', delay: 10 }),
        on: { 'T.*': { actions: 'note' }, GO: {} },
      },
      early: { type: 'final' },
    },
  });
  expect(ordersOf(machine, ['GO'])).toEqual(['ab', 'ba']);
});

it('[explore] timers that were armed apart are another state than those that were armed together', () => {
  const machine = noting.createMachine({
    id: 'apart',
    context: { fired: '' },
    initial: 'start',
    states: {
      start: {
        on: {
          TOGETHER: { target: 'armed', actions: ['armA', 'armB'] },
          APART: { target: 'half', actions: 'armA' },
        },
      },
      half: { on: { NEXT: { target: 'armed', actions: 'armB' }, 'T.a': 'early' } },
      armed: { on: { 'T.*': { actions: 'note' }, END: 'early' } },
      early: { type: 'final' },
    },
  });
  expect(ordersOf(machine, ['TOGETHER'])).toEqual(['ba']);
  expect(ordersOf(machine, ['TOGETHER', 'APART', 'NEXT'])).toEqual(['ab', 'ba']);
});

it('[explore] a timer never fires before one that was armed earlier with a delay no greater', () => {
  const machine = noting.createMachine({
    id: 'equal',
    context: { fired: '' },
    initial: 'one',
    states: {
      one: {
        entry: raise({ type: 'T.a' }, { id: 'a', delay: 10 }),
        on: { GO: '#equal.two' },
      },
      two: { entry: raise({ type: 'T.b' }, { id: 'b', delay: 10 }) },
    },
    on: { 'T.*': { actions: 'note' } },
  });
  expect(ordersOf(machine, ['GO'])).toEqual(['a', 'ab']);
});

it('[explore] what an actor sends to itself comes back in order, and other things in between', () => {
  const seen = new Set<string>();
  const machine = noting.createMachine({
    id: 'selfsender',
    context: { fired: '' },
    initial: 'idle',
    states: {
      idle: {
        on: {
          GO: {
            target: 'sent',
            actions: [
              sendTo(({ self }) => self, { type: 'OWN.1' }),
              sendTo(({ self }) => self, { type: 'OWN.2' }),
            ],
          },
        },
      },
      sent: { on: { STOP: { target: 'stopped', actions: 'note' } } },
      stopped: {},
    },
    on: { 'OWN.*': { actions: 'note' } },
  });
  const report = explore(machine, {
    events: [{ type: 'GO' }, { type: 'STOP' }],
    invariants: {
      note: ({ context, mailbox }) => {
        if (mailbox.length === 0) seen.add(context.fired);
        return true;
      },
    },
  });
  expect(report).toMatchObject({ isComplete: true });
  expect([...seen].toSorted()).toEqual(['', '12', '12P', '1P2', 'P12']);
});

it('[explore] an actor that sends to itself without end is bounded, and that is said', () => {
  const machine = createMachine({
    id: 'echo',
    on: { CALL: { actions: sendTo(({ self }) => self, { type: 'ANSWER' }) }, ANSWER: {} },
  });
  const report = explore(machine, { events: [{ type: 'CALL' }] });
  expect(report).toMatchObject({ states: 5, isComplete: false, limits: ['mailbox'] });
  expect(report.notes).toHaveLength(1);
});

it('[explore] a call answers, or fails as its class may; what comes late or twice moves nothing', () => {
  const outcomes = (promiseClass: 'read' | 'effect') => {
    const machine = setup({
      types: { context: {} as { outcome: string } },
      actors: { load: fromPromise(async () => 1) },
    }).createMachine({
      id: 'caller',
      context: { outcome: '' },
      initial: 'calling',
      states: {
        calling: {
          invoke: {
            id: 'load',
            src: 'load',
            onDone: 'over',
            onError: {
              target: 'over',
              actions: assign({
                outcome: ({ event }) => (event.error as { outcome: string }).outcome,
              }),
            },
          },
        },
        over: { on: { AGAIN: 'calling' } },
      },
    });
    const seen = new Set<string>();
    const report = explore(
      defineMachine({ machine, version: 1, promises: { load: { class: promiseClass } } }),
      {
        invariants: {
          note: ({ context }) => {
            seen.add(context.outcome);
            return true;
          },
        },
      },
    );
    expect(report).toMatchObject({ findings: [], isComplete: true });
    expect(report.late).toBeGreaterThan(seen.size);
    return [...seen];
  };
  expect(outcomes('read')).toEqual(['', 'failed', 'notStarted']);
  expect(outcomes('effect')).toEqual(['', 'failed', 'unknown', 'notStarted']);
});

it('[explore] a child machine is not looked into: what it may answer is tried', () => {
  const child = createMachine({ id: 'child', initial: 'on', states: { on: { on: { GO: 'on' } } } });
  const parent = setup({
    types: { context: {} as { got: unknown } },
    actors: { child },
  }).createMachine({
    id: 'parent',
    context: { got: null },
    initial: 'on',
    states: {
      on: {
        invoke: {
          id: 'c',
          src: 'child',
          onDone: { target: 'off', actions: assign({ got: ({ event }) => event.output }) },
          onError: 'off',
        },
      },
      off: { type: 'final' },
    },
  });
  const report = explore(parent, { results: { child: [1, 2] } });
  expect(report).toMatchObject({ states: 4, steps: 4, findings: [], isComplete: true });
  expect(report.coverage.transitions.missed).toEqual([]);
});

it('[explore] times and random ids in a context make no new states', () => {
  const machine = setup({
    types: { context: {} as { atMs: number; at: string; id: string } },
  }).createMachine({
    id: 'stamped',
    context: () => ({ atMs: Date.now(), at: new Date().toISOString(), id: crypto.randomUUID() }),
    on: {
      AGAIN: {
        actions: assign({
          atMs: () => Date.now(),
          at: () => new Date().toISOString(),
          id: () => crypto.randomUUID(),
        }),
      },
    },
  });
  expect(explore(machine)).toMatchObject({ states: 1, steps: 2, findings: [], isComplete: true });
});

it('[explore] several births, and states from which nothing is tried any more', () => {
  const machine = setup({
    types: { context: {} as { count: number }, input: {} as number },
  }).createMachine({
    id: 'from',
    context: ({ input }) => ({ count: input }),
    on: { ADD: { actions: assign({ count: ({ context }) => context.count + 1 }) } },
  });
  const report = explore(machine, {
    inputs: [0, 10],
    until: ({ context }) => context.count % 10 === 3,
  });
  expect(report).toMatchObject({ states: 8, steps: 8, depth: 4, isComplete: true });
});

it('[explore] answers are checked by the schema of the call, and a missing one is said', () => {
  const look = defineCall({
    name: 'look',
    module: new URL('./look.ts', import.meta.url),
    class: 'read',
    input: z.unknown(),
    output: z.object({ found: z.boolean() }),
  });
  const machine = setup({
    actors: { look: fromPromise<{ found: boolean }, unknown>(async () => ({ found: true })) },
  }).createMachine({
    id: 'looker',
    initial: 'looking',
    states: {
      looking: { invoke: { id: 'look', src: 'look', onDone: 'over', onError: 'over' } },
      over: { type: 'final' },
    },
  });
  const definition = defineMachine({ machine, version: 1, calls: [look] });
  const report = explore(definition);
  expect(report).toMatchObject({ limits: ['results'], isComplete: false });
  expect(report.notes[0]).toContain('results: { "look": […] }');
  expect(report.coverage.transitions.missed).toEqual(['looker.looking: done look → looker.over']);
  const answered = explore(definition, { results: { look: [{ found: false }] } });
  expect(answered).toMatchObject({ isComplete: true, findings: [] });
  expect(() => explore(definition, { results: { look: ['gone'] } })).toThrow(
    /^An answer of 'look' in results does not fit its schema/,
  );
});

it('[explore] listed errors take the place of the usual ones', () => {
  const seen: unknown[] = [];
  const machine = setup({ actors: { load: fromPromise(async () => 1) } }).createMachine({
    id: 'errors',
    initial: 'loading',
    states: {
      loading: { invoke: { id: 'load', src: 'load', onDone: 'over', onError: 'over' } },
      over: { type: 'final' },
    },
  });
  explore(machine, {
    errors: { load: [{ code: 'ENOENT', message: 'none', outcome: 'failed' }] },
    invariants: {
      note: (_state, { stimulus }) => {
        if (stimulus.kind === 'error') seen.push(stimulus.error);
        return true;
      },
    },
  });
  expect(seen).toEqual([{ code: 'ENOENT', message: 'none', outcome: 'failed' }]);
});

it('[explore] a machine that sends to its parent needs one', () => {
  const machine = createMachine({
    id: 'reporter',
    entry: sendParent({ type: 'BORN' }),
    on: { ASK: { actions: sendParent({ type: 'TOLD' }) } },
    after: { 1_000: { actions: sendParent({ type: 'LATE' }) } },
  });
  expect(explore(machine).findings.map(({ kind }) => kind)).toEqual(['threw']);
  const report = explore(machine, { parent: 'boss/b' });
  expect(report).toMatchObject({ states: 2, findings: [] });
});

it('[explore] timers of after are called by delay and state', () => {
  const report = explore(
    createMachine({
      id: 'lamp',
      initial: 'on',
      states: { on: { after: { 60_000: 'off' } }, off: {} },
    }),
  );
  expect(foundBy(report)).toEqual({
    dead_end: ['birth → "on"', 'timer after 60000 of lamp.on fires → "off"'],
  });
});

it('[K9] parallel regions in one value but entered in another order are two states', () => {
  const region = (event: string) => ({
    initial: 'waiting',
    states: { waiting: { on: { [event]: 'in' } }, in: { on: { NONE: 'in' } } },
  });
  const machine = createMachine({
    id: 'entered',
    type: 'parallel',
    states: { left: region('LEFT'), right: region('RIGHT') },
  });
  // Both waiting; one in; the other in; both in, by either way.
  const report = explore(machine, { events: [{ type: 'LEFT' }, { type: 'RIGHT' }] });
  expect(report).toMatchObject({ states: 5, findings: [], isComplete: true });
});
