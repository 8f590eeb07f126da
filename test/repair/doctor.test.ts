// J9: each thing that can be wrong with a store is found, named, and comes with what mends it.

import { readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { type Diagnosis, examine, WAL_BYTES_MAX } from '../../actors/doctor/index.ts';
import { Store } from '../../persistence/index.ts';
import type { TestTroupe } from '../kit/index.ts';
import { because, broken, PART, send } from './support/ledger.ts';

function diagnose(file: string, nowMs: number): Diagnosis {
  const store = Store.open(file, 'readonly');
  try {
    return examine(store, nowMs);
  } finally {
    store.close();
  }
}

/** A store that its host has left, with a call, a timer and a child that wait. */
async function left(...fails: readonly string[]): Promise<TestTroupe> {
  const test = await broken(fails);
  await send(test, 'CHILD');
  await test.troupe.send('ledger/well', { type: 'TIME' });
  await test.clock.settle();
  await test.leave();
  return test;
}

const codesOf = ({ findings }: Diagnosis) => findings.map(({ code }) => code);

describe('doctor', () => {
  it('[J9] finds nothing wrong with a store that is well, and counts what is there', async () => {
    const test = await left();
    const diagnosis = diagnose(test.file, test.clock.now());
    expect(diagnosis).toMatchObject({
      store: test.file,
      storeBytes: statSync(test.file).size,
      hosts: [],
      actors: [
        { machine: 'leaf', version: 1, active: 1, stuck: 0 },
        { machine: 'ledger', version: 1, active: 2, stuck: 0 },
        { machine: 'part', version: 1, active: 1, stuck: 0 },
      ],
      openCalls: [],
      waits: { messages: { count: 0 }, timers: { count: 0 } },
      undeliverable: 0,
      findings: [],
    });
  });

  const damages: readonly (readonly [sql: string, code: string, subject: string])[] = [
    ["UPDATE actors SET snapshot = '{' WHERE id = 'ledger/1'", 'actor_damaged', 'ledger/1'],
    ["UPDATE actors SET armings = NULL WHERE id = 'ledger/1'", 'actor_damaged', 'ledger/1'],
    ["UPDATE actors SET status = 'asleep' WHERE id = 'ledger/1'", 'status_unknown', 'ledger/1'],
    ["UPDATE messages SET event = 'x'", 'message_damaged', 'ledger/well message '],
    ['UPDATE messages SET held = 1', 'mailbox_held', 'ledger/well'],
    [
      `INSERT INTO messages(actor, machine, event, kind, ready_at) VALUES ('ledger/no', 'ledger', '{}', 'event', 0)`,
      'message_orphaned',
      'ledger/no message ',
    ],
    [
      `INSERT INTO calls(id, actor, incarnation, source, class, attempt, status, ordered_at, turn, limit_ms, claim_limit_ms)
       VALUES ('c', 'ledger/no', 'job@1', 'job', 'read', 0, 'ordered', 0, 1, 1, 1)`,
      'call_orphaned',
      'c',
    ],
    [
      `INSERT INTO calls(id, actor, incarnation, source, class, attempt, host, status, ordered_at, turn, limit_ms, claim_limit_ms)
       VALUES ('c', 'ledger/1', 'job@1', 'job', 'read', 1, 'gone', 'claimed', 0, 1, 1, 1)`,
      'call_without_host',
      'c',
    ],
    ["DELETE FROM actors WHERE id = 'ledger/1'", 'child_orphaned', PART],
    ["UPDATE actors SET status = 'done' WHERE id = 'ledger/1'", 'child_orphaned', PART],
    ["UPDATE actors SET revision = 0 WHERE id = 'ledger/1'", 'actor_unborn', 'ledger/1'],
    ["INSERT INTO hosts VALUES ('h', '/nowhere/lock', 1, 3, 1, 0, 0)", 'host_unproven', 'h'],
  ];
  it.each(damages)('[J9] after %s finds it', async (sql, code, subject) => {
    const test = await left();
    test.write(sql);
    const finding = diagnose(test.file, 0).findings.find((each) => each.code === code);
    expect(finding?.subjects.join()).toContain(subject);
    expect(finding?.count).toBe(1);
    expect(finding?.mend).toMatch(/troupe|sqlite3|backup/);
  });

  it('[J9] names actors that are stuck, errors before warnings', async () => {
    const test = await left('A');
    await test.reopen();
    await test.troupe.send('ledger/well', { type: 'A' });
    await test.clock.settle();
    await test.leave();
    const { findings, actors } = diagnose(test.file, test.clock.now() + 60_000);
    expect(findings).toMatchObject([
      { severity: 'error', code: 'stuck', subjects: ['ledger/well'], mend: 'troupe stuck' },
    ]);
    expect(actors[1]).toEqual({ machine: 'ledger', version: 1, active: 1, stuck: 1 });
    test.write("UPDATE messages SET held = 0; UPDATE actors SET status = 'active'");
    const later = diagnose(test.file, test.clock.now() + 60_000);
    expect(codesOf(later)).toEqual(['message_waits', 'timer_overdue']);
    expect(later.waits).toMatchObject({
      messages: { count: 1, oldest: { address: 'ledger/well', readyAtMs: test.clock.now() } },
      timers: { count: 1, oldest: { address: 'ledger/well' } },
    });
  });

  it('[J9] counts open calls of each source, and messages that had nowhere to go', async () => {
    const test = await broken(['A']);
    await send(test, 'CALL', 'A');
    await test.troupe.skip('ledger/1', because(2));
    expect(test.rows('SELECT status FROM calls')).toEqual([{ status: 'claimed' }]);
    const orderedMs = test.clock.now();
    await test.leave();
    test.write("UPDATE calls SET status = 'ordered', host = NULL");
    expect(diagnose(test.file, orderedMs)).toMatchObject({
      openCalls: [
        { source: 'ledger.job', ordered: 1, claimed: 0, cancelling: 0, oldestMs: orderedMs },
      ],
      undeliverable: 1,
    });
  });

  it('[J9] tells since when a birth waits', async () => {
    const test = await left();
    test.write(`INSERT INTO actors(id, machine, machine_version, revision, status, created_at, updated_at)
      VALUES ('ledger/new', 'ledger', 1, 0, 'active', 5000, 5000);
      INSERT INTO messages(actor, machine, event, kind, ready_at) VALUES ('ledger/new', 'ledger', '{}', 'init', 0)`);
    const { waits } = diagnose(test.file, 6_000);
    expect(waits.messages).toMatchObject({
      count: 1,
      oldest: { address: 'ledger/new', readyAtMs: 5_000 },
    });
  });

  it('[J9, V8] finds a file whose pages are damaged', async () => {
    const test = await left();
    const bytes = readFileSync(test.file);
    // The first page of the actors' table holds its cells from the end.
    const page = bytes.readUInt16BE(16);
    bytes.fill(0x5a, page + 8, page + 40);
    writeFileSync(test.file, bytes);
    const { findings } = diagnose(test.file, test.clock.now());
    expect(findings[0]).toMatchObject({ severity: 'error', code: 'store_damaged' });
    expect(findings[0]?.mend).toContain('.recover');
  });

  it('[J9, V4] finds a lock file that belongs to nobody, and a host that has died', async () => {
    const test = await left();
    const lock = `${test.file}.host-old`;
    const database = new Database(lock);
    database.exec('CREATE TABLE host(incarnation TEXT)');
    database.close();
    const orphan = diagnose(test.file, test.clock.now());
    expect(orphan.findings).toMatchObject([{ code: 'lock_file_left', subjects: [lock] }]);
    test.write('INSERT INTO hosts VALUES (?, ?, ?, 3, 1, 0, 0)', 'old', lock, statSync(lock).ino);
    const dead = diagnose(test.file, test.clock.now());
    expect(dead).toMatchObject({
      hosts: [{ incarnation: 'old', liveness: 'dead' }],
      findings: [{ severity: 'warning', code: 'host_dead', subjects: ['old'] }],
    });
  });

  it('[J9, V10] finds a WAL that has grown too large', async () => {
    const test = await left();
    const keeper = new Database(test.file);
    keeper.exec('BEGIN; SELECT 1 FROM meta; CREATE TABLE other(x); ROLLBACK');
    // What lies behind the last commit of a WAL is no part of it.
    truncateSync(`${test.file}-wal`, WAL_BYTES_MAX + 1);
    const { findings, walBytes } = diagnose(test.file, test.clock.now());
    keeper.close();
    expect(walBytes).toBe(WAL_BYTES_MAX + 1);
    expect(findings).toMatchObject([{ severity: 'warning', code: 'wal_large' }]);
  });

  it('[J9] names a thousand rows and stops there', async () => {
    const test = await left();
    test.write(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1200)
      INSERT INTO actors(id, machine, machine_version, revision, status, snapshot, created_at, updated_at)
      SELECT 'ledger/bad-' || i, 'ledger', 1, 1, 'active', '{', 0, 0 FROM n`);
    const finding = diagnose(test.file, 0).findings.find(({ code }) => code === 'actor_damaged');
    expect(finding?.count).toBe(1_000);
  });

  it('[J9] writes nothing', async () => {
    const test = await left('A');
    const before = readFileSync(test.file);
    diagnose(test.file, test.clock.now());
    expect(readFileSync(test.file).equals(before)).toBe(true);
  });
});
