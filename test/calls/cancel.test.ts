// Cancel: an actor that has no use for its call any more asks for its end, and goes on without it.

import { expect, it } from 'vitest';
import { z } from 'zod';
import { until } from '../kit/index.ts';
import type { Act } from './modules/behave.ts';
import {
  behaving,
  calls,
  doing,
  effectMachine,
  keptIn,
  machines,
  openForTest,
  openThreads,
  readMachine,
  replayableMachine,
  witness,
} from './support/calls.ts';

const STATUS = 'SELECT status, attempt FROM calls';

it('[C7] leaving an invoke aborts its call: requested at once, acknowledged when it has stopped', async () => {
  const test = await openThreads();
  const seen = witness();
  const gate = seen.gate('stop');
  const acts: Act[] = [
    { do: 'awaitAbort' },
    { do: 'await', file: gate.file },
    { do: 'throw', message: 'stopped before it was sent', outcome: 'failed' },
  ];
  const { address } = await test.troupe.spawn(effectMachine, {
    id: 'a',
    input: doing(acts, seen.file),
  });
  await seen.seen('begin');
  await test.troupe.send(address, { type: 'LEAVE' });
  await keptIn(test, address, 'left');
  await seen.seen('aborted');
  expect(test.rows(STATUS)).toEqual([{ status: 'cancelling', attempt: 1 }]);

  gate.open();
  await until(() => test.rows(STATUS).some((row) => row['status'] === 'cancelled'));
  expect((await test.troupe.get(address)).revision).toBe(2);
});

it.each([
  ['read', readMachine, 'cancelled'],
  ['effect', effectMachine, 'unknown'],
  ['replayable', replayableMachine, 'unknown'],
] as const)(
  '[C7] of a %s that stops without a word about what it did, nobody knows more than its class tells',
  async (_class, machine, status) => {
    const test = await openForTest({ machines, calls });
    const { address } = await test.troupe.spawn(machine, { id: 'a' });
    await test.clock.settle();
    await test.troupe.send(address, { type: 'LEAVE' });
    await keptIn(test, address, 'left');
    test.pool.running[0]?.throw({ code: 'ABORT_ERR', message: 'aborted' });
    await until(() => test.rows(STATUS).some((row) => row['status'] === status));
    expect(test.rows(STATUS)).toEqual([{ status, attempt: 1 }]);
  },
);

it.each([
  [1, 'cancelled'],
  [2, 'unknown'],
] as const)(
  '[C7, C3] seed 719: attempt %i of a cancelled replayable that says nothing happened speaks for itself alone: %s',
  async (attempt, status) => {
    const test = await openForTest({ machines, calls });
    const { address } = await test.troupe.spawn(replayableMachine, { id: 'a' });
    await test.clock.settle();
    for (let cut = 1; cut < attempt; cut++) {
      test.pool.newest('repeat').cut('thread_ended');
      await test.clock.settle();
    }
    await test.troupe.send(address, { type: 'LEAVE' });
    await keptIn(test, address, 'left');
    const error = { code: 'refused', message: 'nothing happened', outcome: 'failed' } as const;
    test.pool.newest('repeat').throw(error);
    await until(() => test.rows(STATUS).every((row) => row['status'] !== 'cancelling'));
    expect(test.rows(STATUS)).toEqual([{ status, attempt }]);
  },
);

it('[C7] a call that answers all the same was too late to cancel: done, its answer late evidence', async () => {
  const test = await openThreads();
  const seen = witness();
  const { address } = await test.troupe.spawn(effectMachine, {
    id: 'a',
    input: doing([{ do: 'awaitAbort' }, { do: 'answer', value: 'sent' }], seen.file),
  });
  await seen.seen('begin');
  await test.troupe.send(address, { type: 'LEAVE' });
  await until(() => test.rows(STATUS).some((row) => row['status'] === 'done'));
  expect(await keptIn(test, address, 'left')).toMatchObject({ output: null });
  const [late] = await test.troupe.journal(address, { from: 3 });
  expect(late).toMatchObject({
    kind: 'late',
    revision: undefined,
    event: { callId: 'actor/a#work@1', end: { kind: 'answered', output: 'sent' } },
  });
});

it.each([
  ['read', readMachine, 'cancelled'],
  ['effect', effectMachine, 'unknown'],
] as const)(
  '[C6, C7] a cancelled %s that answers in another form is not done',
  async (_class, machine, status) => {
    const texts = [
      behaving('look', 'read', { output: z.string() }),
      behaving('act', 'effect', { output: z.string() }),
    ];
    const test = await openForTest({ machines: [machine], calls: texts });
    const { address } = await test.troupe.spawn(machine, { id: 'a' });
    await test.clock.settle();
    await test.troupe.send(address, { type: 'LEAVE' });
    await keptIn(test, address, 'left');
    test.pool.running[0]?.answer({ value: 7 });
    await until(() => test.rows(STATUS).every((row) => row['status'] !== 'cancelling'));
    expect(test.rows(STATUS)).toEqual([{ status, attempt: 1 }]);
  },
);

it.each([
  ['read', readMachine, 'cancelled'],
  ['effect', effectMachine, 'unknown'],
  ['replayable', replayableMachine, 'unknown'],
] as const)(
  '[C7, C3] a %s that is deaf to its cancellation ends with its thread, once',
  async (_class, machine, status) => {
    const test = await openThreads();
    const seen = witness();
    const { address } = await test.troupe.spawn(machine, {
      id: 'a',
      input: doing([{ do: 'block' }], seen.file),
    });
    await seen.seen('alive');
    await test.troupe.send(address, { type: 'LEAVE' });
    await keptIn(test, address, 'left');
    await test.clock.advance(3_000);
    await until(() => test.rows(STATUS).some((row) => row['status'] === status));
    const lines = seen.lines().length;
    const { address: next } = await test.troupe.spawn(machine, {
      id: 'next',
      input: doing([{ do: 'answer', value: 1 }]),
    });
    await keptIn(test, next, 'done');
    expect(seen.lines()).toHaveLength(lines);
    expect(test.rows(STATUS)[0]).toEqual({ status, attempt: 1 });
  },
);

it('[C7, C1] a call that is ordered and cancelled in one group never starts', async () => {
  const test = await openForTest({ machines, calls });
  const spawned = test.troupe.spawn(effectMachine, { id: 'a' });
  const sent = test.troupe.send('actor/a', { type: 'LEAVE' });
  await Promise.all([spawned, sent]);
  await keptIn(test, 'actor/a', 'left');
  expect(test.rows(STATUS)).toEqual([{ status: 'notStarted', attempt: 0 }]);
  expect(test.pool.started).toEqual([]);
});

it('[C7] a cancelled call keeps its thread until it has ended, and the next one waits for it', async () => {
  const test = await openForTest({ machines, calls });
  for (const id of ['1', '2', '3']) await test.troupe.spawn(effectMachine, { id, input: id });
  await test.troupe.send('actor/1', { type: 'LEAVE' });
  await keptIn(test, 'actor/1', 'left');
  expect(test.pool.started.map(({ input, isAborted }) => [input, isAborted])).toEqual([
    ['1', true],
    ['2', false],
  ]);
  test.pool.running[0]?.throw({ code: 'aborted', message: 'stopped', outcome: 'failed' });
  await until(() => test.pool.started.length === 3);
  expect(test.rows(STATUS)).toEqual([
    { status: 'cancelled', attempt: 1 },
    { status: 'claimed', attempt: 1 },
    { status: 'claimed', attempt: 1 },
  ]);
});

it('[C7, C5] a cancelled call whose host dies is not run again, and its actor hears nothing', async () => {
  const test = await openForTest({ machines, calls });
  const classes = [
    [readMachine, 'cancelled'],
    [effectMachine, 'unknown'],
    [replayableMachine, 'unknown'],
  ] as const;
  for (const [machine] of classes) {
    const { address } = await test.troupe.spawn(machine, { id: 'a' });
    await test.troupe.send(address, { type: 'LEAVE' });
    await keptIn(test, address, 'left');
  }
  await test.reopen();
  await test.clock.advance(100);
  expect(test.pool.started).toHaveLength(3);
  expect(test.rows('SELECT status FROM calls ORDER BY rowid')).toEqual(
    classes.map(([, status]) => ({ status })),
  );
  for (const [machine] of classes) {
    expect(await test.troupe.get(`${machine.name}/a`)).toMatchObject({ revision: 2 });
  }
});
