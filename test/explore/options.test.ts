// Options: events that depend on the state, findings that are meant, answers and errors that no call could give.

import { expect, it } from 'vitest';
import { assign, createMachine, fromPromise, setup } from 'xstate';
import { z } from 'zod';
import { defineMachine, TroupeError } from '../../hosts/embedded/index.ts';
import { explore } from '../kit/index.ts';
import lamp from './modules/lamp.ts';
import newcomer from './modules/newcomer.ts';
import { foundBy } from './support.ts';

function refusal(run: () => unknown): Pick<TroupeError, 'code' | 'message'> {
  try {
    run();
  } catch (error) {
    if (error instanceof TroupeError) return { code: error.code, message: error.message };
    throw error;
  }
  throw new Error('nothing was refused');
}

it('[explore] events may depend on the state', () => {
  const machine = setup({
    types: { context: {} as { left: number }, events: {} as { type: 'TAKE'; count: number } },
  }).createMachine({
    id: 'shelf',
    context: { left: 3 },
    on: {
      TAKE: {
        actions: assign({ left: ({ context, event }) => context.left - event.count }),
      },
    },
  });
  const report = explore(machine, {
    events: ({ context: { left } }) =>
      [1, 2].filter((count) => count <= left).map((count) => ({ type: 'TAKE', count })),
    invariants: { none: ({ context }) => context.left >= 0 },
  });
  expect(report).toMatchObject({ states: 4, steps: 6, findings: [], isComplete: true });
});

it('[explore] events that depend on the state are checked like listed ones', () => {
  const events = () => [{ type: 'ON', by: 7 }];
  const refused = refusal(() => explore(lamp, { input: { watts: 40 }, events }));
  expect(refused.code).toBe('invalid_event');
  expect(refused.message).toContain('Event ON does not fit its schema');
});

it('[explore] a finding that is meant is accepted and counted, and the others stay', () => {
  const report = explore(newcomer, { accepts: ['dead_end'] });
  expect(Object.keys(foundBy(report))).toEqual(['stray_timer']);
  expect(report.notes).toContain('1 of kind dead_end accepted, as was told.');
  const clean = explore(newcomer, { accepts: ['dead_end', 'stray_timer', 'unhandled_error'] });
  expect(clean.findings).toEqual([]);
  expect(clean.notes.join()).not.toContain('unhandled_error');
});

it.each([
  ['both input and inputs', { input: { watts: 40 }, inputs: [{ watts: 60 }] }, 'both given'],
  ['inputs without any', { inputs: [] }, 'inputs is empty'],
])('[explore] %s are refused', (_what, options, why) => {
  const refused = refusal(() => explore(lamp, options));
  expect(refused.code).toBe('invalid_option');
  expect(refused.message).toContain(why);
});

it.each([
  [
    'an unknown option',
    { invariant: { never: () => false } },
    "option 'invariant' is unknown. Known are: input, inputs, events, results, errors, invariants,",
  ],
  ['an invariant that is none', { invariants: { never: false } }, 'a function for each invariant.'],
  [
    'answers that are no list',
    { results: { load: 1 } },
    'It is an object with a list for each source.',
  ],
  ['events of no form', { events: 'ON' }, "events is 'ON'. It is a list or a function."],
])('[explore] %s from plain JavaScript is refused with what is possible', (_what, options, why) => {
  const refused = refusal(() => explore(newcomer, options as object));
  expect(refused.code).toBe('invalid_option');
  expect(refused.message).toContain(why);
});

it.each([undefined, {}, 'door'])('[explore] %s is no machine', (explorable) => {
  const refused = refusal(() => explore(explorable as unknown as typeof newcomer));
  expect(refused.code).toBe('invalid_option');
  expect(refused.message).toContain('It is a machine of XState, or what defineMachine returns.');
});

it('[explore] an event that no state knows is refused with those that are known', () => {
  const refused = { code: 'invalid_event' };
  const typo = [{ type: 'OPN' }];
  const known = "events: no state of door knows 'OPN'. Its events are: OPEN, SHUT, PUSH, BREAK.";
  expect(refusal(() => explore(newcomer, { events: typo }))).toEqual({
    ...refused,
    message: known,
  });
  expect(refusal(() => explore(newcomer, { events: () => typo })).message).toBe(known);
});

it('[explore] what is always a mistake cannot be accepted', () => {
  const accepts = ['threw'] as unknown as readonly ['dead_end'];
  expect(refusal(() => explore(newcomer, { accepts }))).toEqual({
    code: 'invalid_option',
    message:
      "accepts: 'threw' is nothing that could be meant. Only these are: dead_end, stray_timer, unhandled_error.",
  });
});

it('[explore] an error that no row could hold is refused', () => {
  const machine = setup({ actors: { load: fromPromise(async () => 1) } }).createMachine({
    id: 'loader',
    initial: 'on',
    states: {
      on: { invoke: { id: 'l', src: 'load', onDone: 'off', onError: 'off' } },
      off: { type: 'final' },
    },
  });
  expect(refusal(() => explore(machine, { errors: { load: [new Error('no')] } }))).toEqual({
    code: 'invalid_option',
    message: "An error of 'load' in errors is no JSON: it is a Error.",
  });
});

it("[explore] what a child answers fits the child's schema", () => {
  const child = setup({ types: { output: {} as { sum: number } } }).createMachine({
    id: 'child',
    type: 'final',
    output: { sum: 1 },
  });
  const output = z.object({ sum: z.number() });
  const machines = [defineMachine({ machine: child, version: 1, schemas: { output } })];
  const parent = setup({ actors: { child } }).createMachine({
    id: 'parent',
    initial: 'on',
    states: {
      on: { invoke: { id: 'c', src: 'child', onDone: 'off', onError: 'off' } },
      off: { type: 'final' },
    },
  });
  const unknown = explore(parent, { machines });
  expect(unknown).toMatchObject({ limits: ['results'], isComplete: false, findings: [] });
  expect(unknown.notes[0]).toMatch(/^child never answered: /);
  const refused = refusal(() => explore(parent, { machines, results: { child: [{ sum: '1' }] } }));
  expect(refused.code).toBe('invalid_option');
  const known = explore(parent, { machines, results: { child: [{ sum: 1 }] } });
  expect(known).toMatchObject({ isComplete: true, findings: [] });
});

it('[explore] random ids as the names of properties make no new states', () => {
  const machine = setup({
    types: { context: {} as { open: Record<string, string> } },
  }).createMachine({
    id: 'desk',
    context: { open: {} },
    on: {
      TAKE: { actions: assign({ open: () => ({ [crypto.randomUUID()]: 'new' }) }) },
    },
  });
  expect(explore(machine)).toMatchObject({ states: 2, steps: 3, findings: [], isComplete: true });
});

it('[explore] a transition of a step that threw was not taken', () => {
  const report = explore(
    createMachine({
      id: 'torn',
      initial: 'whole',
      states: {
        whole: { on: { PULL: 'torn', END: 'end' } },
        torn: {
          entry: assign(() => {
            throw new Error('it is torn');
          }),
        },
        end: { type: 'final' },
      },
    }),
  );
  expect(report.findings.map(({ kind }) => kind)).toEqual(['threw']);
  expect(report.coverage.states.missed).toEqual(['torn.torn']);
  expect(report.coverage.transitions.missed).toEqual(['torn.whole: PULL → torn.torn']);
});
