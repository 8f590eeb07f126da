// Letters: a machine that grows from version to version, with all that a migration may have to carry over.

import { assign, fromPromise, setup } from 'xstate';
import { type AnyMachineDefinition, defineMachine, type Migration } from '../../../actors/index.ts';

export const DAY_MS = 86_400_000;

/** Never answers by itself: the scripted pool does, where it is asked to. */
const stamp = fromPromise<string>(() => new Promise(() => {}));

export const clerk = setup({}).createMachine({
  id: 'clerk',
  initial: 'reading',
  states: { reading: { on: { READ: 'finished' } }, finished: { type: 'final' } },
});

/** Version 1: a draft with a deadline, a call and a child, and two regions. */
const first = setup({
  types: { context: {} as { text: string } },
  actors: { stamp, clerk },
  actions: {
    throwUp: assign(() => {
      throw new Error('torn');
    }),
  },
}).createMachine({
  id: 'letter',
  initial: 'draft',
  context: { text: 'dear' },
  states: {
    draft: {
      after: { [DAY_MS]: 'forgotten' },
      on: { STAMP: 'stamping', GIVE: 'given', SPLIT: 'split', BREAK: { actions: 'throwUp' } },
    },
    stamping: { invoke: { id: 'stamp', src: 'stamp', onDone: 'sent', onError: 'draft' } },
    given: { invoke: { id: 'clerk', src: 'clerk', onDone: 'sent' } },
    split: {
      type: 'parallel',
      states: {
        left: { initial: 'a', states: { a: { on: { NEXT: 'b' } }, b: {} } },
        right: { initial: 'x', states: { x: { on: { TURN: 'y' } }, y: {} } },
      },
      on: { JOIN: 'draft' },
    },
    forgotten: { type: 'final' },
    sent: { type: 'final' },
  },
});

/** Version 2: `draft` is called `writing`, the text is a list, `stamping` has other ids. */
const second = setup({
  types: { context: {} as { lines: string[] } },
  actors: { stamp, clerk },
}).createMachine({
  id: 'letter',
  initial: 'writing',
  context: { lines: ['dear'] },
  states: {
    writing: {
      after: { [DAY_MS]: 'forgotten' },
      on: {
        STAMP: 'stamping',
        GIVE: 'given',
        BREAK: { actions: assign({ lines: ['mended'] }) },
        ADD: { actions: assign({ lines: ({ context }) => [...context.lines, 'more'] }) },
      },
    },
    stamping: { invoke: { id: 'seal', src: 'stamp', onDone: 'sent', onError: 'writing' } },
    given: { invoke: { id: 'reader', src: 'clerk', onDone: 'sent' } },
    split: {
      type: 'parallel',
      states: {
        left: { initial: 'a', states: { a: {}, b: {} } },
        right: { initial: 'x', states: { x: {}, y: {} } },
        third: { initial: 'm', states: { m: { on: { MOVE: 'n' } }, n: {} } },
      },
    },
    forgotten: { type: 'final' },
    sent: { type: 'final' },
  },
});

/** Version 3: while it is written, the letter is also checked by a call, and there is a reminder. */
const third = setup({
  types: { context: {} as { lines: string[]; count: number } },
  actors: { stamp, clerk },
}).createMachine({
  id: 'letter',
  initial: 'writing',
  context: { lines: ['dear'], count: 1 },
  states: {
    writing: {
      after: { [DAY_MS]: 'forgotten', 1_000: 'reminded' },
      invoke: { id: 'check', src: 'stamp', onDone: 'sent' },
      on: {
        STAMP: 'stamping',
        ADD: { actions: assign({ count: ({ context }) => context.count + 1 }) },
      },
    },
    reminded: {},
    stamping: { invoke: { id: 'seal', src: 'stamp', onDone: 'sent' } },
    given: { invoke: { id: 'reader', src: 'clerk', onDone: 'sent' } },
    forgotten: { type: 'final' },
    sent: { type: 'final' },
  },
});

/** The ids of version 2 for what version 1 has armed. */
export const toSecond: Migration = (stored) => {
  const { timers, calls, actors } = stored.armings;
  const isDraft = stored.value === 'draft';
  return {
    ...stored,
    value: isDraft ? 'writing' : withThird(stored.value),
    context: { lines: [stored.context['text']] },
    children: renamed(stored.children ?? {}),
    armings: {
      timers: Object.fromEntries(
        Object.entries(timers).map(([incarnation, id]) => [
          incarnation,
          id.replace('letter.draft', 'letter.writing'),
        ]),
      ),
      calls: renamed(calls),
      actors: renamed(actors),
    },
  };
};

function renamed<T>(record: Readonly<Record<string, T>>): Record<string, T> {
  const names: Readonly<Record<string, string>> = { stamp: 'seal', clerk: 'reader' };
  return Object.fromEntries(Object.entries(record).map(([id, value]) => [names[id] ?? id, value]));
}

function withThird(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('split' in value)) return value;
  return { split: { ...(value.split as object), third: 'm' } };
}

/** Orders what version 3 waits for in `writing`. */
export const toThird: Migration = (stored) => {
  const isWriting = stored.value === 'writing';
  const migrated = {
    ...stored,
    context: { ...stored.context, count: (stored.context['lines'] as unknown[]).length },
  };
  return isWriting
    ? {
        ...migrated,
        arms: {
          timers: { 'xstate.after.1000.letter.writing': 1_000 },
          children: { check: { src: 'stamp', input: null } },
        },
      }
    : migrated;
};

/** A stamp that was interrupted is set again. */
const promises = { stamp: { class: 'read' as const } };

export const letter1: AnyMachineDefinition = defineMachine({
  machine: first,
  version: 1,
  promises,
});
export const letter2: AnyMachineDefinition = letterOf(2, { 1: toSecond });
export const letter3: AnyMachineDefinition = letterOf(3, { 1: toSecond, 2: toThird });

/** The second or third version with other migrations. */
export function letterOf(
  version: 2 | 3,
  migrations: Readonly<Record<number, Migration>>,
): AnyMachineDefinition {
  return version === 2
    ? defineMachine({ machine: second, version, migrations, promises })
    : defineMachine({ machine: third, version, migrations, promises });
}
