// Findings: each kind on a small machine, with the shortest way there.

import { expect, it } from 'vitest';
import { assign, cancel, createMachine, fromPromise, raise, setup } from 'xstate';
import { z } from 'zod';
import { step } from '../../actors/step/index.ts';
import { defineMachine } from '../../hosts/embedded/index.ts';
import { exploreWith } from '../kit/explore/explore.ts';
import { explore } from '../kit/index.ts';
import newcomer from './modules/newcomer.ts';
import { foundBy } from './support.ts';

const counter = setup({
  types: { context: {} as { count: number }, events: {} as { type: 'ADD' } | { type: 'SKIP' } },
}).createMachine({
  id: 'counter',
  context: { count: 0 },
  initial: 'counting',
  states: {
    counting: {
      on: {
        SKIP: {},
        ADD: {
          guard: ({ context }) => context.count < 5,
          actions: assign({ count: ({ context }) => context.count + 1 }),
        },
      },
    },
  },
});

it('[explore] an invariant that does not hold is found with its shortest path and its reason', () => {
  const report = explore(counter, {
    invariants: { small: ({ context }) => context.count < 3 || `${context.count} is too much` },
  });
  expect(report.findings).toMatchObject([
    { kind: 'invariant', message: "Invariant 'small' does not hold: 3 is too much." },
  ]);
  expect(foundBy(report)).toEqual({
    invariant: ['birth → "counting"', 'ADD → "counting"', 'ADD → "counting"', 'ADD → "counting"'],
  });
});

it('[explore] an invariant sees each step, also one to a state that was seen before', () => {
  const machine = createMachine({
    id: 'ring',
    initial: 'a',
    states: { a: { on: { NEXT: 'b' } }, b: { on: { NEXT: 'a' } } },
  });
  const report = explore(machine, {
    invariants: { onward: ({ value }, { before }) => before?.value !== 'b' || value !== 'a' },
  });
  expect(foundBy(report)).toEqual({ invariant: ['birth → "a"', 'NEXT → "b"', 'NEXT → "a"'] });
  const throwing = explore(machine, {
    invariants: {
      broken: () => {
        throw new Error('no such file');
      },
    },
  });
  expect(throwing.findings[0]?.message).toBe(
    "Invariant 'broken' does not hold: it throws: no such file.",
  );
});

it('[explore] machine code that throws is found, and the actor goes no further', () => {
  const machine = createMachine({
    id: 'torn',
    initial: 'whole',
    states: {
      whole: { on: { NEXT: 'worn' } },
      worn: {
        on: {
          PULL: {
            actions: assign(() => {
              throw new Error('it is torn');
            }),
          },
        },
      },
    },
  });
  const report = explore(machine);
  expect(report.findings).toHaveLength(1);
  expect(report.findings[0]?.message).toContain('it is torn (machine_threw)');
  expect(foundBy(report)).toEqual({
    threw: ['birth → "whole"', 'NEXT → "worn"', 'PULL → "worn"'],
  });
});

it('[explore] a context or an output that does not fit its schema is found', () => {
  const machine = setup({
    types: { context: {} as { count: number }, output: {} as { text: string } },
  }).createMachine({
    id: 'misfit',
    context: { count: 0 },
    output: { text: 7 as unknown as string },
    initial: 'on',
    states: {
      on: { on: { ADD: { actions: assign({ count: -1 }) }, END: 'off' } },
      off: { type: 'final' },
    },
  });
  const report = explore(
    defineMachine({
      machine,
      version: 1,
      schemas: {
        context: z.object({ count: z.number().min(0) }),
        output: z.object({ text: z.string() }),
      },
    }),
  );
  expect(report.findings.map(({ message }) => /\((\w+)\)$/.exec(message)?.[1])).toEqual([
    'context_invalid',
    'output_invalid',
    'context_invalid',
  ]);
});

it('[explore] a dead end and a timer that is never cancelled are found, each once', () => {
  const report = explore(newcomer);
  expect(foundBy(report)).toEqual({
    dead_end: ['birth → "closed"', 'OPEN → "open"', 'BREAK → "broken"'],
    stray_timer: [
      'birth → "closed"',
      'OPEN → "open"',
      'SHUT → "closed"',
      'timer shut fires → "closed"',
    ],
  });
  expect(report.findings).toHaveLength(2);
  expect(report.limits).toEqual(['timers']);
});

it('[explore] a timer that is cancelled, or that a guard does not take, is no stray', () => {
  const report = explore(
    createMachine({
      id: 'tidy',
      initial: 'off',
      states: {
        off: { on: { ON: 'on' } },
        on: {
          entry: raise({ type: 'BLINK' }, { id: 'blink', delay: 10 }),
          exit: cancel('blink'),
          after: { 20: { guard: () => false, target: 'off' } },
          on: { BLINK: {}, OFF: 'off' },
        },
      },
    }),
  );
  expect(report.findings).toEqual([]);
  expect(report.isComplete).toBe(true);
});

it('[explore] a call whose failure nobody handles is found', () => {
  const report = explore(
    setup({ actors: { load: fromPromise(async () => 1) } }).createMachine({
      id: 'loader',
      initial: 'loading',
      states: {
        loading: { invoke: { id: 'load', src: 'load', onDone: 'loaded' } },
        loaded: { type: 'final' },
      },
    }),
  );
  expect(foundBy(report)).toEqual({
    unhandled_error: ['birth → "loading"', `load 'load' fails: failed → "loading"`],
  });
  expect(report.findings).toHaveLength(1);
});

it('[explore] what depends on more than the stored state steps otherwise after a restart', () => {
  const shared = setup({
    types: { context: {} as { a: number[]; b: number[] } },
  }).createMachine({
    id: 'shared',
    context: () => ({ a: [], b: [] }),
    initial: 'on',
    states: {
      on: {
        on: {
          // From now on both names stand for one list: the stored text knows nothing of that.
          JOIN: { target: 'joined', actions: assign(() => sameList()) },
        },
      },
      joined: {
        on: {
          ADD: {
            target: 'end',
            actions: assign(({ context }) => {
              context.a.push(1);
              return { a: context.a };
            }),
          },
        },
      },
      end: { type: 'final' },
    },
  });
  const report = explore(shared);
  expect(foundBy(report)).toEqual({
    restore_differs: ['birth → "on"', 'JOIN → "joined"', 'ADD → "joined"'],
  });
  expect(report.findings[0]?.message).toContain('"b":[1]');
});

function sameList(): { a: number[]; b: number[] } {
  const list: number[] = [];
  return { a: list, b: list };
}

it('[explore] machine code that remembers outside of its context is found', () => {
  let calls = 0;
  const report = explore(
    createMachine({
      id: 'forgetful',
      initial: 'a',
      states: {
        a: { on: { GO: [{ guard: () => calls++ % 2 === 0, target: 'b' }, { target: 'c' }] } },
        b: { type: 'final' },
        c: { type: 'final' },
      },
    }),
  );
  expect(foundBy(report)).toEqual({ restore_differs: ['birth → "a"', 'GO → "a"'] });
});

it('[explore] a late answer that moves the actor is found', () => {
  const machine = setup({ actors: { load: fromPromise(async () => 1) } }).createMachine({
    id: 'late',
    initial: 'loading',
    states: {
      loading: {
        invoke: { id: 'load', src: 'load', onDone: 'idle', onError: 'idle' },
        on: { CANCEL: 'idle' },
      },
      idle: { on: { '*': 'hit', 'xstate.done.actor.load': 'hit' } },
      hit: { type: 'final' },
    },
  });
  expect(explore(machine, { events: [{ type: 'CANCEL' }] })).toMatchObject({
    findings: [],
    late: 5,
  });
  // A step that forgets to ask whether the arming is live.
  const careless: typeof step = (subject, before, delivery) =>
    step(subject, before, { ...delivery, origin: { kind: 'event' } });
  const report = exploreWith(careless, machine, { events: [{ type: 'CANCEL' }] });
  const late = report.findings.filter(({ kind }) => kind === 'late_moved');
  expect(late[0]?.path.at(-1)?.text).toMatch(/^late: load 'load' answers/);
});
