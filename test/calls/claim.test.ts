// Claim: from the order of a call to its start.

import { expect, it } from 'vitest';
import type { Boundary } from '../../actors/index.ts';
import { scriptedPool, until } from '../kit/index.ts';
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
  witness,
} from './support/calls.ts';

interface CallFacts {
  readonly id: string;
  readonly status: string;
  readonly host: string | null;
  readonly attempt: number;
  readonly started_at: number | null;
}

const CALLS = 'SELECT id, status, host, attempt, started_at FROM calls ORDER BY rowid';

/** The three calls, with one thread for each. */
const single = [
  behaving('look', 'read', { concurrency: 1 }),
  behaving('act', 'effect', { concurrency: 1, claimLimitMs: 500 }),
  behaving('repeat', 'replayable', { concurrency: 1 }),
];

it('[C1, K3] a call is on disk, claimed, before it starts, and not on disk before that commit', async () => {
  const boundaries: Boundary[] = [];
  const seen: { boundary: Boundary; calls: CallFacts[]; journal: number; started: number }[] = [];
  const pool = scriptedPool();
  let isOpen = false;
  const test = await openForTest({
    machines,
    calls,
    pool,
    boundary: (boundary) => {
      boundaries.push(boundary);
      if (!isOpen) return;
      seen.push({
        boundary,
        calls: test.rows<CallFacts>(CALLS),
        journal: test.rows('SELECT 1 FROM journal WHERE effects LIKE \'%"call"%\'').length,
        started: pool.started.length,
      });
    },
  });
  isOpen = true;
  await test.troupe.spawn(effectMachine, { id: 'a', input: doing([]) });
  await until(() => pool.started.length === 1);

  const at = (boundary: Boundary) => seen.find((look) => look.boundary === boundary);
  const [host] = test.rows<{ incarnation: string }>('SELECT incarnation FROM hosts');
  const claimed = { id: 'actor/a#work@1', status: 'claimed', host: host?.incarnation, attempt: 1 };
  expect(at('group.beforeCommit')).toMatchObject({ calls: [], journal: 0, started: 0 });
  expect(at('group.committed')).toMatchObject({ calls: [claimed], journal: 1, started: 0 });
  expect(at('perform.beforeCall')).toMatchObject({ calls: [claimed], journal: 1, started: 0 });
  expect(at('perform.callStarted')).toMatchObject({ calls: [claimed], journal: 1, started: 1 });
  const first = boundaries.indexOf('perform.beforeCall');
  expect(boundaries.slice(first - 2, first + 3)).toEqual([
    'group.beforeCommit',
    'group.committed',
    'perform.beforeCall',
    'perform.callStarted',
    'perform.done',
  ]);
});

it('[C1, C8] a call without a free thread is a row without host, and is claimed when one is free', async () => {
  const test = await openForTest({ machines, calls: single });
  for (const id of ['1', '2', '3']) await test.troupe.spawn(effectMachine, { id, input: id });
  await test.clock.settle();
  const waiting = { status: 'ordered', host: null, attempt: 0, started_at: null };
  const claimed = { status: 'claimed', host: expect.any(String), attempt: 1 };
  expect(test.rows(CALLS)).toMatchObject([claimed, waiting, waiting]);
  expect(test.pool.started).toHaveLength(1);

  test.pool.newest('act').answer(1);
  await keptIn(test, 'actor/1', 'done');
  expect(test.rows(CALLS)).toMatchObject([{ status: 'done' }, claimed, waiting]);
  expect(test.pool.started.map(({ input }) => input)).toEqual(['1', '2']);
});

it('[C1] a call that nobody claims within its claim limit is withdrawn and certainly not started', async () => {
  const test = await openForTest({ machines, calls: single });
  for (const id of ['1', '2']) await test.troupe.spawn(effectMachine, { id, input: id });
  await test.clock.advance(499);
  expect(test.rows(CALLS)).toMatchObject([{}, { status: 'ordered' }]);
  await test.clock.advance(1);
  expect(await keptIn(test, 'actor/2', 'failed')).toMatchObject({
    error: { code: 'not_started', outcome: 'notStarted' },
  });
  expect(test.rows(CALLS)).toMatchObject([{}, { status: 'notStarted', host: null, attempt: 0 }]);
  expect(test.pool.started.map(({ input }) => input)).toEqual(['1']);
});

it('[C1, C7] a call that is cancelled before it was claimed is withdrawn, and never starts', async () => {
  const test = await openForTest({ machines, calls: single });
  for (const id of ['1', '2', '3']) await test.troupe.spawn(effectMachine, { id, input: id });
  await test.troupe.send('actor/2', { type: 'LEAVE' });
  await keptIn(test, 'actor/2', 'left');
  expect(test.rows(CALLS)).toMatchObject([{}, { status: 'notStarted', attempt: 0 }, {}]);
  test.pool.newest('act').answer(1);
  await until(() => test.pool.started.length === 2);
  expect(test.pool.started.map(({ input }) => input)).toEqual(['1', '3']);
});

it('[C1] the time limit runs from the start of a call, not from its order', async () => {
  const test = await openForTest({ machines, calls: single });
  for (const id of ['1', '2']) await test.troupe.spawn(effectMachine, { id, input: id });
  await test.clock.advance(400);
  test.pool.newest('act').answer(1);
  await until(() => test.pool.started.length === 2);
  await test.clock.advance(999);
  expect(test.pool.newest('act').isAborted).toBe(false);
  await test.clock.advance(1);
  expect(test.pool.newest('act').isAborted).toBe(true);
});

it('[C1] a waiting call of class effect is claimed by the next host, for it has not started', async () => {
  const test = await openForTest({ machines, calls: single });
  for (const id of ['1', '2']) await test.troupe.spawn(effectMachine, { id, input: id });
  await test.clock.settle();
  await test.reopen();
  await keptIn(test, 'actor/1', 'failed');
  await until(() => test.pool.started.length === 2);
  expect(test.pool.newest('act')).toMatchObject({ input: '2', attempt: 1 });
  test.pool.newest('act').answer('once');
  expect(await keptIn(test, 'actor/2', 'done')).toMatchObject({ output: 'once' });
});

it('[C8] waiting calls start in the order in which they were ordered, also when the clock goes back', async () => {
  const test = await openForTest({ machines, calls: single });
  const ids = ['1', '2', '3', '4', '5'];
  for (const id of ids) {
    await test.troupe.spawn(effectMachine, { id, input: id });
    await test.clock.settle();
    test.clock.jump(-1_000);
  }
  for (const id of ids) {
    await until(() => test.pool.newest('act').input === id);
    test.pool.newest('act').answer(id);
  }
  expect(test.pool.started.map(({ input }) => input)).toEqual(ids);
});

it('[C8] no more calls of one definition run than it allows, and others do not count', async () => {
  const limited = [
    behaving('look', 'read', { concurrency: 3 }),
    behaving('act', 'effect', { concurrency: 1 }),
    behaving('repeat', 'replayable'),
  ];
  const test = await openForTest({ machines, calls: limited });
  for (const id of ['1', '2', '3', '4', '5']) {
    await test.troupe.spawn(readMachine, { id });
    await test.troupe.spawn(effectMachine, { id });
  }
  await test.clock.settle();
  const running = () => test.pool.running.map(({ source }) => source).toSorted();
  expect(running()).toEqual(['act', 'look', 'look', 'look']);
  for (const attempt of test.pool.running) attempt.answer(1);
  await until(() => test.pool.started.length === 7);
  expect(running()).toEqual(['act', 'look', 'look']);
});

it('[C8] a host takes up all waiting calls as its threads become free', async () => {
  const pool = scriptedPool({ onStart: (attempt) => attempt.answer(attempt.input) });
  const test = await openForTest({ machines, calls: single, pool });
  const ids = Array.from({ length: 300 }, (_, index) => String(index));
  await Promise.all(ids.map((id) => test.troupe.spawn(effectMachine, { id, input: id })));
  await until(() => pool.started.length === ids.length);
  await test.clock.settle();
  expect(await test.troupe.list({ status: 'active', limit: 1_000 })).toHaveLength(300);
  expect(test.rows("SELECT 1 FROM calls WHERE status = 'done'")).toHaveLength(300);
  expect(test.rows('SELECT 1 FROM messages')).toEqual([]);
});

it('[C1, C2] a call in flight is not started again by events that reach its actor (A06)', async () => {
  const test = await openThreads();
  const seen = witness();
  const gate = seen.gate('go');
  const { address } = await test.troupe.spawn(effectMachine, {
    id: 'a',
    input: doing(
      [
        { do: 'await', file: gate.file },
        { do: 'answer', value: 1 },
      ],
      seen.file,
    ),
  });
  await seen.seen('begin');
  for (let count = 0; count < 20; count++) await test.troupe.send(address, { type: 'PING' });
  await until(async () => (await test.troupe.get(address)).revision === 21);
  gate.open();
  expect(await keptIn(test, address, 'done')).toMatchObject({ pings: 20, output: 1 });
  expect(seen.count('begin')).toBe(1);
  expect(test.rows(CALLS)).toMatchObject([{ attempt: 1, status: 'done' }]);
});

it('[C4, K3] an answer that is there at once finds its actor waiting, in each of 1,000 runs (A11)', async () => {
  const pool = scriptedPool({ onStart: (attempt) => attempt.answer(attempt.callId) });
  const many = [...single.slice(0, 1), behaving('act', 'effect', { concurrency: 64 })];
  const test = await openForTest({
    machines,
    calls: [...many, ...single.slice(2)],
    pool,
  });
  const ids = Array.from({ length: 1_000 }, (_, index) => String(index));
  await Promise.all(ids.map((id) => test.troupe.spawn(effectMachine, { id })));
  await until(
    () =>
      test.rows(
        `SELECT 1 FROM actors WHERE state = '"done"' AND json_extract(snapshot, '$.context.output') = id || '#work@1'`,
      ).length === ids.length,
  );
  expect(test.rows("SELECT 1 FROM journal WHERE kind = 'late'")).toEqual([]);
});
