// Late: results that come when nobody waits for them any more are evidence, and move nothing.

import { expect, it } from 'vitest';
import { fromPromise, setup } from 'xstate';
import {
  type AnyMachineDefinition,
  defineMachine,
  type PromiseOptions,
} from '../../actors/index.ts';
import { type TestTroupe, until } from '../kit/index.ts';
import {
  calls,
  effectMachine,
  keptIn,
  machines,
  openForTest,
  openThreads,
  readMachine,
  replayableMachine,
} from './support/calls.ts';

interface LateRow {
  readonly revision: number | null;
  readonly event: string;
}

function lateRows(test: TestTroupe, address: string): readonly unknown[] {
  return test
    .rows<LateRow>("SELECT revision, event FROM journal WHERE kind = 'late' AND actor = ?", address)
    .map(({ revision, event }) => ({ revision, ...(JSON.parse(event) as object) }));
}

const answered = (output: unknown) => ({ kind: 'answered', output });

/** A machine whose promise answers when the test says so, once for each start. */
function promising(options: PromiseOptions): {
  readonly definition: AnyMachineDefinition;
  readonly answers: ((output: unknown) => void)[];
  readonly signals: AbortSignal[];
} {
  const answers: ((output: unknown) => void)[] = [];
  const signals: AbortSignal[] = [];
  const machine = setup({
    actors: {
      work: fromPromise(({ signal }) => {
        signals.push(signal);
        return new Promise((resolve) => answers.push(resolve));
      }),
    },
  }).createMachine({
    id: 'promiser',
    initial: 'working',
    states: {
      working: { invoke: { id: 'work', src: 'work', onDone: 'done', onError: 'failed' } },
      done: {},
      failed: {},
    },
  });
  const definition = defineMachine({ machine, version: 1, promises: { work: options } });
  return { definition, answers, signals };
}

const GIVEN_UP_MS = 3_000;

it.each([
  ['effect', 'unknown'],
  ['read', 'failed'],
] as const)(
  '[C3, C4] a promise of class %s is given up at its limit; what it answers later is late evidence',
  async (promiseClass, status) => {
    const { definition, answers, signals } = promising({ class: promiseClass, limitMs: 1_000 });
    const test = await openThreads({ machines: [definition], calls: [] });
    const { address } = await test.troupe.spawn(definition, { id: 'a' });
    await until(() => answers.length === 1);
    await test.clock.advance(1_000);
    expect(signals[0]?.aborted).toBe(true);
    expect((await test.troupe.get(address)).state).toBe('working');
    await test.clock.advance(2_000);
    await keptIn(test, address, 'failed');
    const before = await test.troupe.get(address);

    answers[0]?.('too late');
    await until(() => lateRows(test, address).length === 1);
    expect(lateRows(test, address)).toMatchObject([
      { revision: null, callId: 'promiser/a#work@1', attempt: 1, end: answered('too late') },
    ]);
    const after = await test.troupe.get(address);
    expect(after).toEqual(before);
    expect(after.calls).toMatchObject([{ status, attempt: 1 }]);
  },
);

it('[C3, C4] a promise without a class is an effect', async () => {
  const { definition, answers } = promising({ limitMs: 1_000 });
  const test = await openThreads({ machines: [definition], calls: [] });
  const { address } = await test.troupe.spawn(definition, { id: 'a' });
  await until(() => answers.length === 1);
  await test.clock.advance(GIVEN_UP_MS);
  await keptIn(test, address, 'failed');
  expect((await test.troupe.get(address)).calls).toMatchObject([
    { class: 'effect', status: 'unknown', error: { code: 'time_limit' } },
  ]);
});

it('[C4] a late answer of an earlier attempt neither moves the actor nor ends the attempt that runs', async () => {
  const test = await openForTest({ machines, calls });
  const { address } = await test.troupe.spawn(replayableMachine, { id: 'a' });
  await test.clock.settle();
  const first = test.pool.newest('repeat');
  first.cut('thread_ended', 'the test ended it');
  await test.clock.settle();
  const second = test.pool.newest('repeat');
  expect(second.attempt).toBe(2);

  first.answerLate('first');
  await until(() => lateRows(test, address).length === 1);
  expect((await test.troupe.get(address)).calls).toMatchObject([{ status: 'claimed', attempt: 2 }]);
  second.answer('second');
  expect(await keptIn(test, address, 'done')).toMatchObject({ output: 'second' });
  expect(lateRows(test, address)).toMatchObject([{ attempt: 1, end: answered('first') }]);
});

it('[C3] a promise cannot be declared replayable: a replay could run beside it', async () => {
  const { definition } = promising({ class: 'replayable' } as unknown as PromiseOptions);
  await expect(openThreads({ machines: [definition], calls: [] })).rejects.toMatchObject({
    code: 'invalid_definition',
    message: expect.stringContaining('cannot be ended from outside') as string,
  });
});

it('[C4] a doubled answer is late evidence, and the first one stands', async () => {
  const test = await openForTest({ machines, calls });
  const { address } = await test.troupe.spawn(effectMachine, { id: 'a' });
  await test.clock.settle();
  test.pool.newest('act').answer('first');
  test.pool.newest('act').answerLate('second');
  await until(() => lateRows(test, address).length === 1);
  expect(await keptIn(test, address, 'done')).toMatchObject({ output: 'first' });
  expect(test.rows('SELECT status FROM calls')).toEqual([{ status: 'done' }]);
  expect((await test.troupe.get(address)).revision).toBe(2);
});

it('[C4, K10] late evidence that is no JSON, or too large, is kept as what it was', async () => {
  const test = await openForTest({ machines, calls });
  for (const output of ['x'.repeat(2_000_000), new Map()]) {
    const { address } = await test.troupe.spawn(effectMachine);
    await test.clock.settle();
    test.pool.newest('act').answer('first');
    test.pool.newest('act').answerLate(output);
    await until(() => lateRows(test, address).length === 1);
    expect(lateRows(test, address)).toMatchObject([{ attempt: 1, end: { kind: 'malformed' } }]);
  }
});

it('[C4, C7] the answer to an earlier visit of a state is late, and the new visit has its own', async () => {
  const test = await openForTest({ machines, calls });
  const { address } = await test.troupe.spawn(effectMachine, { id: 'a' });
  await test.clock.settle();
  const first = test.pool.newest('act');
  await test.troupe.send(address, { type: 'AGAIN' });
  await until(() => test.pool.started.length === 2);
  expect(first.isAborted).toBe(true);
  first.answer('of the first visit');
  await until(() => lateRows(test, address).length === 1);
  expect(await keptIn(test, address, 'working')).toMatchObject({ output: null });
  test.pool.newest('act').answer('of the second');
  expect(await keptIn(test, address, 'done')).toMatchObject({ output: 'of the second' });
  expect(test.rows('SELECT id, status FROM calls ORDER BY rowid')).toEqual([
    { id: 'actor/a#work@1', status: 'done' },
    { id: 'actor/a#work@2', status: 'done' },
  ]);
});

it('[C4] the result of a call whose actor has ended is evidence in its journal, and no dead letter', async () => {
  const test = await openForTest({ machines, calls });
  const { address } = await test.troupe.spawn(effectMachine, { id: 'a' });
  await test.clock.settle();
  await test.troupe.send(address, { type: 'END' });
  await until(async () => (await test.troupe.get(address)).status === 'done');
  expect(test.pool.newest('act').isAborted).toBe(true);
  test.pool.newest('act').answer('too late');
  await until(() => lateRows(test, address).length === 1);
  expect(lateRows(test, address)).toMatchObject([{ end: answered('too late') }]);
  expect(test.rows('SELECT status FROM calls')).toEqual([{ status: 'done' }]);
  expect(await test.troupe.undeliverable()).toEqual([]);
  expect(test.rows('SELECT 1 FROM messages')).toEqual([]);
});

it('[C4] the result of a call whose actor was stopped with its parent is evidence, too', async () => {
  const parent = defineMachine({
    version: 1,
    machine: setup({ actors: { child: effectMachine.machine } }).createMachine({
      id: 'parent',
      initial: 'with',
      states: {
        with: { invoke: { id: 'child', src: 'child' }, on: { DROP: 'without' } },
        without: {},
      },
    }),
  });
  const test = await openForTest({ machines: [parent, ...machines], calls });
  const { address } = await test.troupe.spawn(parent, { id: 'p' });
  await until(() => test.pool.started.length === 1);
  await test.troupe.send(address, { type: 'DROP' });
  const child = 'actor/p.child@1';
  await until(async () => (await test.troupe.get(child)).status === 'stopped');
  expect(test.pool.newest('act').isAborted).toBe(true);
  test.pool.newest('act').throw({ code: 'aborted', message: 'stopped', outcome: 'failed' });
  await until(() => lateRows(test, child).length === 1);
  expect(test.rows('SELECT status FROM calls')).toEqual([{ status: 'cancelled' }]);
  expect(await test.troupe.undeliverable()).toEqual([]);
});

it('[C4, K5] the result of a call waits for a stuck actor, and moves it when it is free again', async () => {
  const test = await openForTest({ machines, calls });
  const { address } = await test.troupe.spawn(readMachine, { id: 'a' });
  await test.clock.settle();
  test.write("UPDATE actors SET status = 'stuck' WHERE id = 'reader/a'");
  test.pool.newest('look').answer('kept');
  await until(() => test.rows('SELECT 1 FROM messages WHERE held = 1').length === 1);
  expect(test.rows('SELECT status FROM calls')).toEqual([{ status: 'done' }]);
  test.write(
    "BEGIN; UPDATE actors SET status = 'active' WHERE id = 'reader/a'; UPDATE messages SET held = 0; COMMIT",
  );
  await test.clock.advance(50);
  expect(await keptIn(test, address, 'done')).toMatchObject({ output: 'kept' });
});

it('[C4, C3] a replayable that was withdrawn while its first attempt runs on is not started again', async () => {
  const test = await openForTest({ machines, calls });
  const { address } = await test.troupe.spawn(replayableMachine, { id: 'a' });
  await test.clock.settle();
  await test.troupe.send(address, { type: 'LEAVE' });
  await keptIn(test, address, 'left');
  await test.clock.advance(3_000);
  await test.clock.settle();
  expect(test.pool.started).toHaveLength(1);
  expect(test.rows('SELECT status FROM calls')).toEqual([{ status: 'unknown' }]);
});
