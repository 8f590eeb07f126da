// G5: what each released version has written is read, settled, stepped and replayed by this one.

import { copyFileSync, existsSync, readdirSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type AnyMachineDefinition, checkActors } from '../../actors/index.ts';
import { createRegistry } from '../../actors/registry/index.ts';
import { replayRows } from '../../actors/replay/index.ts';
import { type JournalRow, Store, TroupeError, takeHostLock } from '../../persistence/index.ts';
import { place, refusal, start } from '../core/harness.ts';
import { type TestTroupe, virtualClock } from '../kit/index.ts';

const STORE_BYTES_MAX = 200_000;
const HOUR_MS = 3_600_000;

const versions = readdirSync(new URL('.', import.meta.url), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

const goldenOf = (version: string) =>
  fileURLToPath(new URL(`${version}/store.db`, import.meta.url));

async function machinesOf(version: string): Promise<readonly AnyMachineDefinition[]> {
  const { machines } = (await import(`./${version}/machines.ts`)) as {
    readonly machines: readonly AnyMachineDefinition[];
  };
  return machines;
}

/** A copy in a place of its own, whose host is proven dead: its lock file is there and nobody holds it. */
function copyOf(version: string): string {
  const { file } = place();
  copyFileSync(goldenOf(version), file);
  const store = Store.open(file, 'existing');
  for (const { incarnation } of store.hosts.all()) {
    const lock = takeHostLock(file, incarnation);
    store.connection
      .prepare('UPDATE hosts SET lock_file = ?, inode = ? WHERE incarnation = ?')
      .run(lock.file, lock.inode, incarnation);
    lock.unlock();
  }
  store.close();
  return file;
}

async function opened(version: string): Promise<TestTroupe> {
  return start({ store: copyOf(version), machines: await machinesOf(version) });
}

/** Replays each actor's whole journal, and compares its end with what is stored. */
async function requireReplays(test: TestTroupe, version: string): Promise<number> {
  const { machines } = createRegistry(await machinesOf(version), []);
  const store = Store.open(test.file, 'readonly');
  try {
    const actors = store.actors.list({ limit: 1_000 });
    for (const actor of actors) {
      const machine = machines.get(actor.machine);
      if (machine === undefined) throw new Error(`no machine ${actor.machine}`);
      const rows = test.rows<JournalRow>(
        'SELECT * FROM journal WHERE actor = ? ORDER BY seq',
        actor.id,
      );
      expect({ id: actor.id, divergence: replayRows(machine, actor, rows) }).toEqual({
        id: actor.id,
        divergence: undefined,
      });
    }
    return actors.length;
  } finally {
    store.close();
  }
}

it('[G5] there is a golden store, and each is small and checkpointed', () => {
  expect(versions).toContain('0.1.0');
  for (const version of versions) {
    expect(statSync(goldenOf(version)).size).toBeLessThan(STORE_BYTES_MAX);
    expect(existsSync(`${goldenOf(version)}-wal`)).toBe(false);
  }
});

describe.each(versions)('the golden store of %s', (version) => {
  it('[G5] holds every kind of row that a host may leave behind', async () => {
    const file = copyOf(version);
    const test = await start({ store: file, machines: [] });
    const kinds = (sql: string) => test.rows<{ kind: string }>(sql).map(({ kind }) => kind);
    expect(kinds('SELECT DISTINCT status AS kind FROM actors ORDER BY 1')).toEqual([
      'active',
      'done',
      'stopped',
      'stuck',
    ]);
    expect(kinds('SELECT DISTINCT kind FROM journal ORDER BY 1')).toEqual([
      'late',
      'step',
      'stopped',
      'stuck',
    ]);
    expect(kinds('SELECT DISTINCT status AS kind FROM calls ORDER BY 1')).toEqual([
      'claimed',
      'done',
    ]);
    expect(kinds('SELECT DISTINCT kind FROM messages ORDER BY 1')).toEqual(['event', 'timer']);
    for (const table of ['receipts', 'undeliverable', 'hosts']) {
      expect(test.rows(`SELECT * FROM ${table}`)).not.toEqual([]);
    }
    expect(test.rows('SELECT * FROM journal WHERE checkpoint IS NOT NULL')).not.toEqual([]);
    expect(test.rows("SELECT * FROM actors WHERE snapshot LIKE '%historyValue%'")).not.toEqual([]);
    expect(test.rows("SELECT * FROM actors WHERE snapshot LIKE '%nodes%'")).not.toEqual([]);
  });

  it('[G5, G4] breaks nothing', async () => {
    const clock = virtualClock();
    const store = copyOf(version);
    const checking = checkActors({ store, machines: await machinesOf(version) }, { clock });
    const [report] = await Promise.all([checking, clock.settle()]);
    expect(report).toMatchObject({ findings: 0 });
    expect(report.actors).toBeGreaterThan(8);
  });

  it('[G5] is settled, stepped and replayed: nothing of it is lost', async () => {
    const test = await opened(version);
    expect(await requireReplays(test, version)).toBeGreaterThan(10);
    const { troupe, pool, clock } = test;
    const state = async (id: string) => (await troupe.get(`order/${id}`)).state;

    pool.newest('order.read').answer('found');
    await clock.settle();
    expect(await troupe.get('order/read')).toMatchObject({
      state: 'open',
      context: { answer: 'found', notes: ['NOTE'] },
    });
    expect(await state('write')).toBe('failed');
    await troupe.send('order/paused', { type: 'GO_ON' });
    expect(await state('paused')).toEqual({ split: { left: 'b', right: 'x' } });
    await troupe.send('order.helper/helped.helper@2', { type: 'FINISH' });
    expect(await state('helped')).toBe('closed');
    await refusal(troupe.send('order/stuck', { type: 'NOTE' }), 'actor_stuck');
    const again = await troupe.send('order/open', { type: 'NOTE' }, { messageId: 'kept' });
    expect(test.rows('SELECT seq FROM receipts')).toEqual([{ seq: again.seq }]);
    const conflict = troupe.send('order/open', { type: 'CLOSE' }, { messageId: 'kept' });
    await expect(conflict).rejects.toBeInstanceOf(TroupeError);

    clock.jump(HOUR_MS);
    await clock.advance(60_000);
    expect(await state('open')).toBe('late');
    await requireReplays(test, version);
  });
});
