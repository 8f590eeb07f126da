// G3: what a host does not know, or knows only in an older version, it leaves alone. E05, E08 of the field's reports.

import { describe, expect, it } from 'vitest';
import { createMachine } from 'xstate';
import { defineMachine, type Migration } from '../../actors/index.ts';
import { durable, message, refusal, start } from '../core/harness.ts';
import type { TestTroupe } from '../kit/index.ts';

const photos = createMachine({
  id: 'photos',
  initial: 'a',
  context: { turns: 0 },
  states: { a: { after: { 60_000: 'b' }, on: { GO: 'b', LOOK: {} } }, b: { type: 'final' } },
});
const music = createMachine({
  id: 'music',
  initial: 'x',
  states: { x: { on: { GO: 'y' } }, y: {} },
});
const keep: Migration = (stored) => stored;
const versionOf = (version: number) =>
  defineMachine({
    machine: photos,
    version,
    migrations: Object.fromEntries(
      Array.from({ length: version - 1 }, (_, index) => [index + 1, keep]),
    ),
  });

/** An actor of that version, whose host has left. */
async function stored(version: number): Promise<TestTroupe> {
  const test = await start({ machines: [versionOf(version)] });
  await test.troupe.spawn(versionOf(version), { id: '1' });
  await test.leave();
  return test;
}

const rowsOf = (test: TestTroupe) => [
  test.rows("SELECT * FROM actors WHERE machine = 'photos'"),
  test.rows("SELECT * FROM messages WHERE machine = 'photos'"),
];

describe('E05: snapshots of machine A, A in another version, B, and a future version', () => {
  it('[G3] the future one is left alone as it is, visible as noHost, and goes on with its own version', async () => {
    const test = await stored(2);
    const before = rowsOf(test);
    await test.reopen({ machines: [versionOf(1)] });
    expect(await test.troupe.get('photos/1')).toMatchObject({
      status: 'active',
      version: 2,
      noHost: true,
    });
    await test.clock.advance(120_000);
    expect(rowsOf(test)).toEqual(before);
    await test.troupe.send('photos/1', { type: 'GO' });
    await test.clock.settle();
    expect(await test.troupe.list()).toMatchObject([
      { address: 'photos/1', status: 'active', state: 'a', noHost: true },
    ]);
    expect(test.rows("SELECT held FROM messages WHERE kind = 'event'")).toEqual([{ held: 0 }]);
    await test.reopen({ machines: [versionOf(2)] });
    expect(await test.troupe.get('photos/1')).toMatchObject({ status: 'done', noHost: false });
  });

  it('[G3] the older one is migrated, and that of another machine is left for a host that knows it', async () => {
    const test = await stored(1);
    await test.reopen({ machines: [durable(music)] });
    await test.troupe.spawn(durable(music), { id: '1' });
    await test.troupe.send('photos/1', { type: 'GO' });
    await test.troupe.send('music/1', { type: 'GO' });
    expect(await test.troupe.get('music/1')).toMatchObject({ state: 'y', noHost: false });
    expect(await test.troupe.get('photos/1')).toMatchObject({ state: 'a', noHost: true });
    await refusal(test.troupe.spawn(versionOf(2), { id: '2' }), 'machine_unknown');
    await test.reopen({ machines: [versionOf(2)] });
    expect(await test.troupe.get('photos/1')).toMatchObject({ status: 'done', version: 2 });
  });

  it('[G3] a machine of the same name with other states reads no snapshot of the first', async () => {
    const test = await stored(2);
    const other = createMachine({ id: 'photos', initial: 'c', states: { c: {} } });
    const impostor = defineMachine({ machine: other, version: 2 });
    const error = await refusal(test.reopen({ machines: [impostor] }), 'machine_changed');
    expect(error.message).toContain("'photos");
    const next = defineMachine({ machine: other, version: 3 });
    await test.reopen({ machines: [next] });
    await test.troupe.send('photos/1', { type: 'GO' });
    const parked = await test.troupe.get('photos/1');
    expect(parked).toMatchObject({ status: 'stuck', stuck: { code: 'migration_missing' } });
    expect(parked.stuck?.message).toMatch(/version 2 .*version 3/);
  });
});

describe('E08: an actor whose snapshot cannot be decoded', () => {
  it('[G3, K5] is parked once and visible; of 20 commands the first is kept and each other sender hears at once', async () => {
    const test = await stored(1);
    test.write("UPDATE actors SET snapshot = '{'");
    await test.reopen({ machines: [versionOf(2)] });
    await test.troupe.send('photos/1', { type: 'LOOK' });
    for (let index = 0; index < 19; index++) {
      await refusal(test.troupe.send('photos/1', { type: 'LOOK' }), 'actor_stuck');
    }
    await test.reopen();
    expect(await test.troupe.list({ status: 'stuck' })).toMatchObject([{ address: 'photos/1' }]);
    expect(test.rows("SELECT count(*) AS n FROM journal WHERE kind = 'stuck'")).toEqual([{ n: 1 }]);
    expect((await test.troupe.get('photos/1')).messages).toHaveLength(1);
    expect(await test.troupe.get('photos/1')).toMatchObject({
      stuck: { code: 'snapshot_damaged' },
    });
  });
});

describe('a host beside actors of a newer version', () => {
  /** So many newer actors, each with a message that is ready and older than all others, and a timer that is due. */
  const newer = (count: number) => `
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
    INSERT INTO actors(id, machine, machine_version, revision, status, created_at, updated_at)
      SELECT 'photos/newer-' || i, 'photos', 9, 1, 'active', 1, 1 FROM n;
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
    INSERT INTO messages(actor, machine, sender, event, kind, ready_at, incarnation)
      SELECT 'photos/newer-' || i, 'photos', 'photos/newer-' || i, '{"type":"GO"}', 'event', 1, NULL FROM n
      UNION ALL
      SELECT 'photos/newer-' || i, 'photos', 'photos/newer-' || i, '{"type":"GO"}', 'timer', 1, 'x@1' FROM n;`;

  it('[G3] is ready though a thousand of their messages come first, steps its own, and then sleeps', async () => {
    const test = await stored(2);
    test.write(newer(1_000));
    const before = test.rows("SELECT * FROM messages WHERE actor LIKE 'photos/newer-%'");
    await test.reopen();
    await test.troupe.send('photos/1', { type: 'GO' });
    expect(await test.troupe.get('photos/1')).toMatchObject({ status: 'done' });
    expect(test.rows("SELECT * FROM messages WHERE actor LIKE 'photos/newer-%'")).toEqual(before);
    await test.clock.settle();
    // Nothing is due for this host any more, so it only polls.
    const { length } = test.clock.armed;
    await test.clock.advance(1_000);
    expect(test.clock.armed).toHaveLength(length);
    expect(Math.min(...test.clock.armed)).toBeGreaterThan(0);
    expect(await test.troupe.list({ status: 'stuck' })).toEqual([]);
  });

  it('[G3] finds them again after a group that was lost', async () => {
    let fails = false;
    const test = await start({
      machines: [versionOf(2)],
      boundary: (name) => {
        if (!fails || name !== 'group.beforeCommit') return;
        fails = false;
        throw Object.assign(new Error('disk full'), { name: 'SqliteError', code: 'SQLITE_FULL' });
      },
    });
    await test.troupe.spawn(versionOf(2), { id: '1' });
    fails = true;
    test.write(newer(3));
    await test.clock.advance(5_000);
    expect(fails).toBe(false);
    await test.troupe.send('photos/1', { type: 'GO' });
    expect(await test.troupe.get('photos/1')).toMatchObject({ status: 'done' });
    expect(test.rows("SELECT * FROM messages WHERE actor LIKE 'photos/newer-%'")).toHaveLength(6);
  });

  it('[G3] does not take back an actor that another host has migrated since', async () => {
    const test = await start({ machines: [versionOf(2)] });
    await test.troupe.spawn(versionOf(2), { id: '1' });
    test.write("UPDATE actors SET machine_version = 3 WHERE id = 'photos/1'");
    await test.clock.advance(100);
    await test.troupe.send('photos/1', { type: 'GO' });
    expect(await test.troupe.get('photos/1')).toMatchObject({ revision: 1, noHost: true });
  });

  it('[G3, V5] two hosts of different versions share a store: each steps what it knows', async () => {
    const older = await start({ machines: [versionOf(1), durable(music)] });
    const { file: store, clock } = older;
    const newer = await start({ store, clock, machines: [versionOf(2)] });
    await newer.troupe.spawn(versionOf(2), { id: '2' });
    await clock.advance(100);
    await older.troupe.send('photos/2', { type: 'LOOK' });
    await older.troupe.spawn(durable(music), { id: '1' });
    await newer.troupe.send('music/1', { type: 'GO' });
    await clock.advance(100);
    expect(await older.troupe.list()).toMatchObject([
      { address: 'music/1', state: 'y', revision: 2, noHost: false },
      { address: 'photos/2', version: 2, revision: 2, noHost: true },
    ]);
    expect(await newer.troupe.list()).toMatchObject([{ noHost: true }, { noHost: false }]);
    expect(
      older.rows("SELECT DISTINCT machine_version FROM journal WHERE actor = 'photos/2'"),
    ).toEqual([{ machine_version: 2 }]);
  });

  it('[G3] still tells a sender that such an actor has ended', async () => {
    const test = await stored(3);
    test.write("UPDATE actors SET status = 'done'; DELETE FROM messages");
    await test.reopen({ machines: [versionOf(2)] });
    await refusal(test.troupe.send('photos/1', { type: 'GO' }), 'actor_final');
    expect(await test.troupe.get('photos/1')).toMatchObject({ noHost: false });
  });
});

describe('a process without machines', () => {
  it('[G3] sends and reads, never steps or parks, and shows nothing as noHost', async () => {
    const test = await stored(2);
    test.write("UPDATE actors SET snapshot = '{'");
    await test.reopen({ machines: [] });
    await test.troupe.send('photos/1', message('GO'));
    await test.clock.advance(120_000);
    expect(await test.troupe.get('photos/1')).toMatchObject({
      status: 'active',
      revision: 1,
      noHost: false,
      messages: [{ event: { type: 'GO' } }],
    });
  });

  it('[G3] that reads knows the code at hand when it is given machines, and writes nothing', async () => {
    const test = await stored(2);
    await test.reopen({ machines: [versionOf(1)], readonly: true, host: false });
    expect(await test.troupe.get('photos/1')).toMatchObject({ noHost: true });
    await refusal(test.troupe.send('photos/1', { type: 'GO' }), 'store_not_writable');
    await test.reopen({ machines: [versionOf(3)] });
    expect(await test.troupe.get('photos/1')).toMatchObject({ noHost: false, version: 2 });
    expect(test.rows('SELECT * FROM hosts')).toEqual([]);
  });
});
