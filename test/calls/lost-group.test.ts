// Lost group: a storage that fails takes back a whole group; what it held about calls is done again, once.

import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import type { Boundary } from '../../actors/index.ts';
import { STORAGE_RETRY_MS_MAX, STORAGE_RETRY_MS_MIN } from '../../actors/limits.ts';
import { until } from '../kit/index.ts';
import {
  behaving,
  calls,
  effectMachine,
  keptIn,
  machines,
  openForTest,
  readMachine,
} from './support/calls.ts';

/** Makes the next passing of a boundary fail as a full disk does. */
function failing(): {
  boundary: (boundary: Boundary) => void;
  failAt: (at: Boundary) => void;
  failures: number;
} {
  let armed: Boundary | undefined;
  const disk = {
    failures: 0,
    failAt: (at: Boundary) => {
      armed = at;
    },
    boundary: (boundary: Boundary) => {
      if (boundary !== armed) return;
      armed = undefined;
      disk.failures++;
      throw new Database.SqliteError('database or disk is full', 'SQLITE_FULL');
    },
  };
  return disk;
}

const double = behaving('act', 'effect', { concurrency: 2, claimLimitMs: 5_000, limitMs: 20_000 });
const withDouble = [...calls.filter(({ name }) => name !== 'act'), double];

it('[C1, K2] a claim that was lost with its group starts nothing, and the call is claimed again', async () => {
  const disk = failing();
  const test = await openForTest({ machines, calls: withDouble, boundary: disk.boundary });
  for (const id of ['1', '2', '3']) await test.troupe.spawn(effectMachine, { id, input: id });
  await test.clock.settle();
  disk.failAt('group.beforeCommit');
  test.pool.newest('act').answer(1);
  await until(() => disk.failures === 1);
  await test.clock.settle();
  expect(test.pool.started).toHaveLength(2);
  expect(test.rows('SELECT status FROM calls ORDER BY rowid')).toEqual([
    { status: 'claimed' },
    { status: 'claimed' },
    { status: 'ordered' },
  ]);

  await test.clock.advance(STORAGE_RETRY_MS_MAX);
  await keptIn(test, 'actor/2', 'done');
  expect(test.pool.started.map(({ input }) => input)).toEqual(['1', '2', '3']);
});

it('[C1] what waited for a claim when a host started is claimed after a failure of the storage', async () => {
  const disk = failing();
  const test = await openForTest({ machines, calls: withDouble, boundary: disk.boundary });
  for (const id of ['1', '2', '3']) await test.troupe.spawn(effectMachine, { id, input: id });
  await test.clock.settle();
  await test.leave();
  disk.failAt('group.beforeCommit');
  const opened = test.reopen();
  await until(() => disk.failures === 1);
  await test.clock.advance(STORAGE_RETRY_MS_MAX);
  await opened;
  await until(() => test.pool.newest('act').input === '3');
  expect(test.pool.started.map(({ input }) => input)).toEqual(['1', '2', '3']);
});

it('[C1] a claim limit passes also after a failure of the storage', async () => {
  const disk = failing();
  const other = behaving('look', 'read', { concurrency: 1, claimLimitMs: 5_000, limitMs: 20_000 });
  const test = await openForTest({
    machines,
    calls: [other, double, ...calls.filter(({ name }) => name === 'repeat')],
    boundary: disk.boundary,
  });
  for (const id of ['1', '2']) await test.troupe.spawn(readMachine, { id, input: id });
  await test.clock.settle();
  disk.failAt('group.beforeCommit');
  await expect(test.troupe.send('reader/2', { type: 'PING' })).rejects.toMatchObject({
    code: 'storage_unavailable',
    outcome: 'notWritten',
  });
  await test.clock.advance(5_000);
  expect(await keptIn(test, 'reader/2', 'failed')).toMatchObject({
    pings: 0,
    error: { code: 'not_started' },
  });
});

it('[C4, K2] an answer that was lost with its group reaches its actor once', async () => {
  const disk = failing();
  const test = await openForTest({ machines, calls: withDouble, boundary: disk.boundary });
  await test.troupe.spawn(effectMachine, { id: '1' });
  await test.clock.settle();
  disk.failAt('group.beforeCommit');
  test.pool.newest('act').answer('once');
  await until(() => disk.failures === 1);
  disk.failAt('group.beforeCommit');
  await test.clock.advance(STORAGE_RETRY_MS_MIN);
  expect(disk.failures).toBe(2);
  await test.clock.advance(STORAGE_RETRY_MS_MAX);
  expect(await keptIn(test, 'actor/1', 'done')).toMatchObject({ output: 'once' });
  expect(test.rows("SELECT revision FROM journal WHERE kind = 'step'")).toHaveLength(2);
  expect(test.rows("SELECT 1 FROM journal WHERE kind = 'late'")).toEqual([]);
});
