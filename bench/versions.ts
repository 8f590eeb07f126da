// Versions: `node dist/bench/versions.js`. 100,000 actors of an older version, 1 in 100 of them damaged, of an unknown version
// or without migration: what `check` says of them, how long a host takes to start beside them, and that the rest works.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import Database from 'better-sqlite3';
import { createMachine } from 'xstate';
import { check, defineMachine, openTroupe } from '../hosts/embedded/index.ts';

const ACTORS = 100_000;
/** Of a hundred actors one is bad, of the first three hundreds each in another way. */
const BAD_EACH = 100;
/** Actors that are stepped once the host is there. */
const SENDS = 1_000;

const machineOf = (version: 2 | 3) =>
  defineMachine({
    version,
    migrations: version === 2 ? {} : { 2: (stored) => ({ ...stored, value: 'resting' }) },
    machine: createMachine({
      id: 'sleeper',
      initial: version === 2 ? 'waiting' : 'resting',
      states: version === 2 ? { waiting: { on: { WAKE: {} } } } : { resting: { on: { WAKE: {} } } },
    }),
  });

/** Writes the store of a busy past, with the old version. */
async function fill(file: string, actors: number): Promise<void> {
  const host = await openTroupe({ store: file, machines: [machineOf(2)] });
  await host.spawn(machineOf(2), { id: '0' });
  await host.close();
  const connection = new Database(file);
  const numbers = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${actors - 1})`;
  connection.exec(`${numbers} INSERT INTO actors(id, machine, machine_version, revision, status, state, tags, snapshot, armings, created_at, updated_at)
    SELECT 'sleeper/' || i, machine,
      CASE i % ${BAD_EACH * 3} WHEN ${BAD_EACH} THEN 9 WHEN ${BAD_EACH * 2} THEN 1 ELSE machine_version END,
      revision, status, state, tags, CASE i % ${BAD_EACH * 3} WHEN 0 THEN '{' ELSE snapshot END, armings, created_at, updated_at
    FROM n, actors WHERE id = 'sleeper/0'`);
  connection.close();
}

async function checkAll(file: string) {
  const startedMs = performance.now();
  let peakBytes = 0;
  const before = process.memoryUsage().rss;
  const report = await check({
    store: file,
    machines: [machineOf(3)],
    onProgress: () => {
      peakBytes = Math.max(peakBytes, process.memoryUsage().rss);
    },
  });
  const grownMb = Math.round((peakBytes - before) / 1_048_576);
  return { ...report, ms: Math.round(performance.now() - startedMs), grownMb };
}

/** Starts a host, then sends to every actor that is well among the first ones. */
async function work(file: string) {
  const startedMs = performance.now();
  const host = await openTroupe({ store: file, machines: [machineOf(3)] });
  const startMs = Math.round(performance.now() - startedMs);
  const ids = Array.from({ length: SENDS }, (_, index) => index + 1);
  await Promise.all(ids.map((id) => host.send(`sleeper/${id}`, { type: 'WAKE' })));
  await host.close();
  const connection = new Database(file, { readonly: true });
  const count = (sql: string) => connection.prepare(sql).pluck().get() as number;
  const result = {
    startMs,
    migrated: count('SELECT count(*) FROM actors WHERE machine_version = 3 AND revision = 2'),
    parked: count("SELECT count(*) FROM actors WHERE status = 'stuck'"),
    leftAlone: count('SELECT count(*) FROM messages WHERE held = 0'),
  };
  connection.close();
  return result;
}

const { values } = parseArgs({ options: { actors: { type: 'string', default: String(ACTORS) } } });
const folder = mkdtempSync(join(tmpdir(), 'troupe-versions-'));
try {
  const file = join(folder, 'troupe.db');
  await fill(file, Number(values.actors));
  const checked = await checkAll(file);
  process.stdout.write(`${JSON.stringify({ check: checked, host: await work(file) })}\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
