// K3: nothing leaves the process before its commit is on disk; what is ready together shares one commit.

import { describe, expect, it } from 'vitest';
import { createMachine, emit, fromPromise, setup, spawnChild } from 'xstate';
import { openTroupe } from '../../hosts/embedded/index.ts';
import { scriptedPool, type TestTroupe } from '../kit/index.ts';
import { durable, place, start, storeOf } from './harness.ts';

const counter = createMachine({ id: 'counter', on: { COUNT: {} } });

/** What the host's connection says of itself: SQLite may change it by itself, so it is asked after a write. */
function pragmas(test: TestTroupe): unknown[] {
  const { connection } = storeOf(test.troupe);
  const names = ['journal_mode', 'synchronous', 'fullfsync', 'foreign_keys', 'busy_timeout'];
  return names.map((name) => connection.pragma(name, { simple: true }));
}

const FULL = 2;

describe('the sync', () => {
  it('[K3] is full, also after writes and after opening a store again', async () => {
    const test = await start({ machines: [durable(counter)] });
    const expected = ['wal', FULL, 1, 1, 0];
    expect(pragmas(test)).toEqual(expected);
    await test.troupe.spawn(durable(counter), { id: '1' });
    await test.troupe.send('counter/1', { type: 'COUNT' });
    expect(pragmas(test)).toEqual(expected);
    await test.reopen();
    expect(pragmas(test)).toEqual(expected);
    await test.troupe.send('counter/1', { type: 'COUNT' });
    expect(pragmas(test)).toEqual(expected);
  });

  it('[K3] is full for a process that only sends', async () => {
    const test = await start({ machines: [durable(counter)] });
    await test.troupe.spawn(durable(counter), { id: '1' });
    const sender = await start({ store: test.file, clock: test.clock });
    await sender.troupe.send('counter/1', { type: 'COUNT' });
    expect(pragmas(sender).slice(0, 2)).toEqual(['wal', FULL]);
  });
});

describe('what a step orders', () => {
  const seen: string[] = [];
  const noisy = setup({
    types: { emitted: {} as { type: 'said' } },
    actors: { job: fromPromise(async () => 'done') },
    actions: { tell: () => seen.push('notification') },
  }).createMachine({
    id: 'noisy',
    on: { GO: { actions: [spawnChild('job', { id: 'job' }), 'tell', emit({ type: 'said' })] } },
  });

  it('[K3] call, notification, receipt and watchers come after the commit', async () => {
    const pool = scriptedPool({ onStart: () => seen.push('call') });
    const test = await start({
      machines: [durable(noisy)],
      pool,
      boundary: (point) => seen.push(point),
    });
    await test.troupe.spawn(durable(noisy), { id: '1' });
    await test.clock.settle();
    const watching = (async () => {
      for await (const change of test.troupe.watch('noisy/1')) {
        if (change.emitted.length > 0) return seen.push('watcher');
      }
    })();
    await test.clock.settle();
    seen.length = 0;
    await test.troupe.send('noisy/1', { type: 'GO' }).then(() => seen.push('receipt'));
    await watching;
    const committed = seen.indexOf('group.committed');
    expect(seen.slice(0, committed + 1)).toEqual([
      'group.begun',
      'group.beforeCommit',
      'group.committed',
    ]);
    for (const each of ['call', 'notification', 'receipt', 'watcher']) {
      expect(seen.filter((name) => name === each)).toHaveLength(1);
      expect(seen.indexOf(each)).toBeGreaterThan(committed);
    }
  });

  it('[K3] a call is on disk as claimed before it starts', async () => {
    const claims: unknown[] = [];
    const pool = scriptedPool({
      onStart: ({ callId }) => {
        claims.push(...test.rows('SELECT status, attempt FROM calls WHERE id = ?', callId));
      },
    });
    const test = await start({ machines: [durable(noisy)], pool });
    await test.troupe.spawn(durable(noisy), { id: '1' });
    await test.troupe.send('noisy/1', { type: 'GO' });
    expect(claims).toEqual([{ status: 'claimed', attempt: 1 }]);
  });

  it('[K3] nothing of a group that is not committed ever starts', async () => {
    let isBroken = false;
    const test = await start({
      machines: [durable(noisy)],
      boundary: (point) => {
        if (isBroken && point === 'group.beforeCommit') throw new Error('the process died here');
      },
    });
    await test.troupe.spawn(durable(noisy), { id: '1' });
    await test.clock.settle();
    seen.length = 0;
    isBroken = true;
    await expect(test.troupe.send('noisy/1', { type: 'GO' })).rejects.toThrow('died here');
    await test.clock.advance(60_000);
    expect(test.pool.started).toEqual([]);
    expect(seen).toEqual([]);
    isBroken = false;
    await test.reopen();
    expect(await test.troupe.get('noisy/1')).toMatchObject({ revision: 1, calls: [] });
  });
});

describe('group commit', () => {
  const groups = (test: Pick<TestTroupe, 'rows'>) =>
    test.rows<{ commit_group: number }>('SELECT commit_group FROM hosts')[0]?.commit_group ?? 0;

  it('[K3] 64 sends of one moment to 64 actors share one commit', async () => {
    const test = await start({ machines: [durable(counter)] });
    const ids = Array.from({ length: 64 }, (_, index) => String(index));
    await Promise.all(ids.map((id) => test.troupe.spawn(durable(counter), { id })));
    await test.clock.settle();
    const before = groups(test);
    await Promise.all(ids.map((id) => test.troupe.send(`counter/${id}`, { type: 'COUNT' })));
    await test.clock.settle();
    expect(groups(test) - before).toBe(1);
    expect(test.rows('SELECT count(*) AS steps FROM journal')).toEqual([{ steps: 128 }]);
  });

  it('[K3] it holds with the real clock, too', async () => {
    const { file } = place();
    const troupe = await openTroupe({ store: file, machines: [durable(counter)] });
    const ids = Array.from({ length: 64 }, (_, index) => String(index));
    await Promise.all(ids.map((id) => troupe.spawn(durable(counter), { id })));
    await Promise.all(ids.map((id) => troupe.send(`counter/${id}`, { type: 'COUNT' })));
    const [host] = storeOf(troupe).hosts.all();
    await troupe.close();
    expect(host?.commit_group).toBeLessThan(64);
  });

  it('[K3] a group without work commits nothing', async () => {
    const test = await start({ machines: [durable(counter)] });
    const before = groups(test);
    await test.clock.advance(60_000);
    expect(groups(test)).toBe(before);
  });
});
