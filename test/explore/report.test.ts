// Report: coverage that is exact, limits that are said, paths as journals, bad input refused.

import { expect, it } from 'vitest';
import { assign, createMachine, raise, setup } from 'xstate';
import { explore, journalOf, openTestTroupe, until } from '../kit/index.ts';
import lamp, { machine as lampMachine } from './modules/lamp.ts';
import newcomer from './modules/newcomer.ts';

it('[explore] coverage names each state and transition that was missed', () => {
  const report = explore(
    createMachine({
      id: 'gaps',
      initial: 'a',
      states: {
        a: {
          on: { GO: [{ guard: () => false, target: 'never' }, { target: 'b' }], 'MOVE.*': 'b' },
        },
        b: { always: [{ guard: () => false, target: 'never' }, { target: 'c' }] },
        c: { after: { 10: 'a' }, on: { '*': { actions: [] } } },
        never: { on: { GO: 'a' } },
      },
    }),
  );
  expect(report.coverage).toEqual({
    states: { total: 4, visited: 3, missed: ['gaps.never'] },
    transitions: {
      total: 8,
      taken: 5,
      missed: [
        'gaps.a: GO [guarded] → gaps.never',
        'gaps.b: always [guarded] → gaps.never',
        'gaps.never: GO → gaps.a',
      ],
    },
  });
});

it('[explore] coverage sees states that are only passed through, and raised events', () => {
  const report = explore(
    createMachine({
      id: 'through',
      initial: 'a',
      states: {
        a: { on: { GO: 'b' } },
        b: { entry: raise({ type: 'ON' }), on: { ON: 'c' } },
        c: { always: 'd' },
        d: { type: 'final' },
      },
    }),
    { events: [{ type: 'GO' }] },
  );
  expect(report.states).toBe(3 - 1);
  expect(report.coverage.states.missed).toEqual([]);
  expect(report.coverage.transitions).toEqual({ total: 3, taken: 3, missed: [] });
});

it('[explore] coverage of parallel states: a transition that another one preempts was not taken', () => {
  const report = explore(
    createMachine({
      id: 'both',
      initial: 'on',
      states: {
        on: {
          type: 'parallel',
          states: {
            left: { initial: 'l', states: { l: { on: { OUT: '#both.first', IN: 'm' } }, m: {} } },
            right: { initial: 'r', states: { r: { on: { OUT: '#both.second', IN: 's' } }, s: {} } },
          },
        },
        first: { type: 'final' },
        second: { type: 'final' },
      },
    }),
    { until: ({ value }) => JSON.stringify(value).includes('"m"') },
  );
  expect(report.coverage.states.missed).toEqual(['both.second']);
  expect(report.coverage.transitions.missed).toEqual(['both.on.right.r: OUT → both.second']);
});

it('[explore] history is part of a state, and is not a state that could be covered', () => {
  const report = explore(
    createMachine({
      id: 'past',
      initial: 'room',
      states: {
        room: {
          initial: 'dark',
          states: {
            dark: { on: { SWITCH: 'light' } },
            light: { on: { SWITCH: 'dark' } },
            last: { type: 'history' },
          },
          on: { LEAVE: 'hall' },
        },
        hall: { on: { BACK: 'room.last' } },
      },
    }),
  );
  expect(report).toMatchObject({ states: 8, findings: [], isComplete: true });
  expect(report.coverage.states).toEqual({ total: 4, visited: 4, missed: [] });
  expect(report.coverage.transitions).toEqual({ total: 4, taken: 4, missed: [] });
});

const counter = setup({ types: { context: {} as { count: number } } }).createMachine({
  id: 'counter',
  context: { count: 0 },
  on: { ADD: { actions: assign({ count: ({ context }) => context.count + 1 }) } },
});

it('[explore] what is cut off is said: states, with what makes them, and depth', () => {
  const cut = explore(counter, { statesMax: 50 });
  expect(cut).toMatchObject({ states: 50, isComplete: false, limits: ['states'] });
  expect(cut.notes[0]).toContain(
    "more than 50 states; the rest was not looked at. In the context 'count' has 50 values.",
  );
  const shallow = explore(counter, { depthMax: 4 });
  expect(shallow).toMatchObject({ states: 4, depth: 4, isComplete: false, limits: ['depth'] });
});

it('[explore] a timer that is armed again without end is named, with where and how', () => {
  const { limits, notes } = explore(newcomer);
  expect(limits).toEqual(['timers']);
  expect(notes).toEqual([
    'Timer \'shut\' is armed again while earlier ones of its id are live, without end: where more than 2 of them were live, first in "open", nothing more was tried. The way there: birth, OPEN, SHUT, OPEN, SHUT, OPEN. Cancel it before it is armed again.',
  ]);
});

it('[explore] a machine whose input is missing: that it has none is said, and nothing counts as looked at', () => {
  const machine = setup({
    types: { context: {} as { invoice: string }, input: {} as { invoice: string } },
  }).createMachine({
    id: 'bill',
    context: ({ input }) => ({ invoice: input.invoice }),
    type: 'final',
  });
  const report = explore(machine);
  expect(report).toMatchObject({ states: 0, isComplete: false, limits: ['birth'] });
  expect(report.findings.map(({ kind }) => kind)).toEqual(['threw']);
  expect(report.findings[0]?.message).toContain(
    'It was born without an input: where the machine needs one, give it as "input".',
  );
  const given = explore(machine, { input: { invoice: '17' } });
  expect(given).toMatchObject({ states: 1, isComplete: true, findings: [] });
});

it('[explore] an abstraction makes few states of many', () => {
  const report = explore(counter, { abstract: ({ count }) => count % 7 });
  expect(report).toMatchObject({ states: 7, isComplete: true, limits: [] });
});

it('[explore] equal input gives an equal report', () => {
  expect(JSON.stringify(explore(newcomer))).toBe(JSON.stringify(explore(newcomer)));
});

it('[explore] what cannot be tried is refused with what to do', () => {
  const watts = { watts: 40 };
  const on = { type: 'ON', by: 'ann' };
  const code = (run: () => unknown) => {
    try {
      run();
      return 'nothing';
    } catch (error) {
      return (error as { code: string }).code;
    }
  };
  expect(code(() => explore(lamp, { input: watts, events: [on] }))).toBe('nothing');
  expect(code(() => explore(lamp))).toBe('invalid_input');
  expect(code(() => explore(lamp, { input: watts, events: [{ type: 'ON' }] }))).toBe(
    'invalid_event',
  );
  const internal = { type: 'xstate.done.actor.x' };
  expect(code(() => explore(lampMachine, { input: watts, events: [internal] }))).toBe(
    'invalid_event',
  );
  expect(code(() => explore(lamp, { input: watts, results: { load: [1] } }))).toBe(
    'invalid_option',
  );
  expect(code(() => explore(lamp, { input: watts, statesMax: 0 }))).toBe('invalid_option');
  expect(code(() => explore(lamp, { input: watts, depthMax: 1.5 }))).toBe('invalid_option');
  expect(code(() => explore(createMachine({})))).toBe('invalid_definition');
  const spawning = createMachine({ id: 'refused', invoke: { src: 'nowhere' } });
  expect(code(() => explore(spawning))).toBe('machine_refused');
});

it('[explore] an event of which only the schema knows the payload is left out, and that is said', () => {
  const report = explore(lamp, { input: { watts: 40 } });
  expect(report).toMatchObject({ isComplete: false, limits: ['events'], states: 1 });
  expect(report.notes[0]).toMatch(/^Event ON was not tried: .*List it under events\.$/);
});

it('[J1] a path is the journal that a host would write', async () => {
  const { findings } = explore(newcomer);
  const path = findings.find(({ kind }) => kind === 'stray_timer')?.path ?? [];
  const { defineMachine } = await import('../../hosts/embedded/index.ts');
  const door = defineMachine({ machine: newcomer, version: 1 });
  const test = await openTestTroupe({ machines: [door] });
  try {
    const { address } = await test.troupe.spawn(door, { id: 'explored' });
    await test.troupe.send(address, { type: 'OPEN' });
    await test.troupe.send(address, { type: 'SHUT' });
    await until(async () => (await test.troupe.get(address)).revision === 3);
    await test.clock.advance(5_000);
    await until(async () => (await test.troupe.get(address)).revision === 4);
    const written = await test.troupe.journal(address);
    const comparable = (entries: readonly object[]) =>
      entries.map((entry) => ({ ...entry, atMs: 0, message: 0 }));
    expect(comparable(journalOf(path))).toEqual(comparable(written));
  } finally {
    await test.close();
  }
});
