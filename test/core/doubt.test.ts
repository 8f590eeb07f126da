// V7: a commit that failed may be on disk all the same. Until a fence has told, nothing is stepped, performed or answered.

import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { assign, fromPromise, setup } from 'xstate';
import { defineMachine } from '../../actors/index.ts';
import {
  CALL_ABORT_GRACE_MS,
  DOUBT_MS_MAX,
  SHUTDOWN_WRITE_MS_MAX,
  STORAGE_RETRY_MS_MAX,
  STORAGE_RETRY_MS_MIN,
} from '../../actors/limits.ts';
import type { Store } from '../../persistence/index.ts';
import type { TestTroupe } from '../kit/index.ts';
import { message, refusal, start, storeOf } from './harness.ts';

const worker = defineMachine({
  machine: setup({
    types: { context: {} as { asked: number } },
    actors: { act: fromPromise(async () => 'never acted here') },
  }).createMachine({
    id: 'worker',
    context: { asked: 0 },
    initial: 'idle',
    states: {
      idle: { on: { GO: 'acting' } },
      acting: { invoke: { id: 'act', src: 'act', onDone: 'idle', onError: 'idle' } },
    },
    on: { ASK: { actions: assign({ asked: ({ context }) => context.asked + 1 }) } },
  }),
  version: 1,
  promises: { act: { class: 'effect' } },
});

function syncFailed(): Error {
  return new Database.SqliteError('disk I/O error', 'SQLITE_IOERR_FSYNC');
}

/** The next commit fails; its group is on disk, or not. */
function failNextCommit(store: Store, isKept: boolean): void {
  const commit = store.commit.bind(store);
  store.commit = () => {
    store.commit = commit;
    if (isKept) commit();
    else store.rollback();
    throw syncFailed();
  };
}

/** The storage cannot be opened until the result is called. */
function takeAway(store: Store): () => void {
  const reopen = store.reopen.bind(store);
  store.reopen = () => {
    throw new Database.SqliteError('disk I/O error', 'SQLITE_IOERR');
  };
  return () => {
    store.reopen = reopen;
  };
}

async function working(): Promise<{ test: TestTroupe; store: Store }> {
  const test = await start({ machines: [worker] });
  await test.troupe.spawn(worker, { id: '1' });
  await test.clock.settle();
  return { test, store: storeOf(test.troupe) };
}

describe('a commit that failed', () => {
  it('[V7, K3] and is on disk is performed and answered, after the fence, once', async () => {
    const { test, store } = await working();
    failNextCommit(store, true);
    const sent = test.troupe.send('worker/1', message('GO'), { messageId: 'go' });
    await test.clock.settle();
    expect(test.rows('SELECT status FROM calls')).toEqual([{ status: 'claimed' }]);
    expect(test.pool.started).toEqual([]);
    await test.clock.advance(STORAGE_RETRY_MS_MIN);
    expect(await sent).toMatchObject({ messageId: 'go' });
    expect(test.pool.started).toHaveLength(1);
    expect(test.rows("SELECT value FROM meta WHERE key = 'fence'")).toHaveLength(1);
    test.pool.newest('worker.act').answer('done');
    await test.clock.settle();
    expect(await test.troupe.get('worker/1')).toMatchObject({ state: 'idle', revision: 3 });
    expect(test.rows('SELECT attempt FROM calls')).toEqual([{ attempt: 1 }]);
  });

  it('[V7, M1] and is not on disk is refused as not written, and nothing of it is performed', async () => {
    const { test, store } = await working();
    failNextCommit(store, false);
    const sent = refusal(test.troupe.send('worker/1', message('GO')), 'storage_unavailable');
    await test.clock.settle();
    await test.clock.advance(STORAGE_RETRY_MS_MIN);
    expect(await sent).toMatchObject({
      outcome: 'notWritten',
      details: { sqlite: 'SQLITE_IOERR_FSYNC' },
    });
    expect(test.pool.started).toEqual([]);
    await test.troupe.send('worker/1', message('GO'));
    await test.clock.settle();
    expect(test.pool.started).toHaveLength(1);
    expect(await test.troupe.get('worker/1')).toMatchObject({ state: 'acting', revision: 2 });
  });

  it.each([true, false])(
    '[V7, C4] with the end of a call in it (kept: %s) tells that end once',
    async (isKept) => {
      const { test, store } = await working();
      await test.troupe.send('worker/1', message('GO'));
      await test.clock.settle();
      failNextCommit(store, isKept);
      test.pool.newest('worker.act').answer('done');
      await test.clock.settle();
      await test.clock.advance(STORAGE_RETRY_MS_MIN);
      expect(await test.troupe.get('worker/1')).toMatchObject({ state: 'idle', revision: 3 });
      expect(test.rows("SELECT 1 FROM journal WHERE kind = 'late'")).toEqual([]);
      expect(test.rows('SELECT status FROM calls')).toEqual([{ status: 'done' }]);
    },
  );

  it('[V7] while the storage is away nothing is stepped or performed, and those who ask are told', async () => {
    const { test, store } = await working();
    failNextCommit(store, true);
    const giveBack = takeAway(store);
    const sent = refusal(test.troupe.send('worker/1', message('GO')), 'storage_unavailable');
    await test.clock.settle();
    const asked = test.troupe.send('worker/1', message('ASK'));
    expect(await refusal(asked, 'storage_unavailable')).toMatchObject({ outcome: 'notWritten' });
    await test.clock.advance(DOUBT_MS_MAX);
    const error = await sent;
    expect(error).toMatchObject({ outcome: 'unknown' });
    expect(error.message).toContain('send it again with the same messageId');
    expect(test.pool.started).toEqual([]);
    giveBack();
    await test.clock.advance(STORAGE_RETRY_MS_MAX);
    expect(test.pool.started).toHaveLength(1);
    expect(await test.troupe.get('worker/1')).toMatchObject({ state: 'acting', revision: 2 });
  });

  it('[V7] whose fence fails, too, stays in doubt until a fence holds', async () => {
    const { test, store } = await working();
    failNextCommit(store, true);
    const sent = test.troupe.send('worker/1', message('GO'));
    await test.clock.settle();
    failNextCommit(store, true);
    await test.clock.advance(STORAGE_RETRY_MS_MIN);
    expect(test.pool.started).toEqual([]);
    await test.clock.advance(STORAGE_RETRY_MS_MAX);
    expect(await sent).toMatchObject({ address: 'worker/1' });
    expect(test.pool.started).toHaveLength(1);
  });

  it('[V7, V9] of a host that closes meanwhile is told as unknown, and the next host finds it', async () => {
    const { test, store } = await working();
    failNextCommit(store, true);
    takeAway(store);
    const sent = refusal(test.troupe.send('worker/1', message('GO')), 'storage_unavailable');
    await test.clock.settle();
    const left = test.leave();
    await test.clock.advance(CALL_ABORT_GRACE_MS + SHUTDOWN_WRITE_MS_MAX);
    expect(await sent).toMatchObject({ outcome: 'unknown' });
    await left;
    await test.reopen();
    // It was claimed, and nobody knows what a host did that is gone (C5).
    expect(await test.troupe.get('worker/1')).toMatchObject({ state: 'idle', revision: 3 });
    expect(test.pool.started).toEqual([]);
  });

  it('[V7, V4] of a host that was fenced meanwhile performs nothing', async () => {
    const fatal: unknown[] = [];
    const test = await start({ machines: [worker], onFatal: (error) => fatal.push(error) });
    await test.troupe.spawn(worker, { id: '1' });
    await test.clock.settle();
    failNextCommit(storeOf(test.troupe), true);
    const sent = refusal(test.troupe.send('worker/1', message('GO')), 'storage_unavailable');
    await test.clock.settle();
    test.write('DELETE FROM hosts');
    await test.clock.advance(STORAGE_RETRY_MS_MIN);
    expect(await sent).toMatchObject({ outcome: 'unknown' });
    expect(fatal).toMatchObject([{ code: 'host_fenced' }]);
    expect(test.pool.started).toEqual([]);
  });
});
