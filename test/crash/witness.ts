// Witness: what must be true of a run, told by the ledger of its calls and by the files, not by the journal alone.

import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import Database from 'better-sqlite3';
import { expect } from 'vitest';
import { lockFilesOf } from '../supervision/support/process.ts';
import { digestOf, type LedgerLine, type Place, readLedger } from './place.ts';
import type { Kill } from './plan.ts';

interface CallFacts {
  readonly id: string;
  readonly actor: string;
  readonly incarnation: string;
  readonly class: string;
  readonly status: string;
  readonly attempt: number;
}

/** After a death: what began has its order, its claim and its attempt on disk (K3). Looks at a copy. */
export function checkAfterDeath(place: Place): void {
  if (!existsSync(place.store)) return expect(readLedger(place)).toEqual([]);
  const aside = mkdtempSync(`${place.store}.copy-`);
  const copy = join(aside, 'copy.db');
  copyFileSync(place.store, copy);
  if (existsSync(`${place.store}-wal`)) copyFileSync(`${place.store}-wal`, `${copy}-wal`);
  // A host may die between making the file and committing its tables: then nothing was ordered yet.
  const isMade = read(copy, "SELECT 1 FROM sqlite_schema WHERE name = 'calls'").length > 0;
  const calls = isMade ? read<CallFacts>(copy, 'SELECT * FROM calls') : [];
  rmSync(aside, { recursive: true });
  for (const line of begins(place)) {
    const row = calls.find(({ id }) => id === line.key);
    expect(row, `the order of ${line.key}`).toBeDefined();
    expect(row?.attempt, `the attempts of ${line.key}`).toBeGreaterThanOrEqual(line.attempt);
  }
}

/** At the end of a run in which the originals were to be deleted. */
export function checkAtEnd(place: Place, killed: readonly Kill[]): void {
  checkLedger(place);
  checkStore(place, killed);
  checkPacked(place);
  for (const path of place.originals.keys()) {
    expect(existsSync(join(place.folder, path)), `${path} was deleted`).toBe(false);
  }
  expect(reportOf(place)).toMatchObject({
    decision: 'delete',
    total: place.originals.size,
    packed: place.originals.size,
    failed: 0,
    deleted: place.originals.size,
  });
  const approvals = read(place.store, `SELECT 1 FROM journal WHERE event LIKE '%"APPROVE"%'`);
  expect(approvals).toHaveLength(1);
}

/** Each attempt began once, an effect once at all, and each with its committed order. */
export function checkLedger(place: Place): void {
  const lines = readLedger(place);
  const calls = read<CallFacts>(place.store, 'SELECT * FROM calls');
  const ordered = orderedKeys(place);
  const attempts = begins(place).map(({ key, attempt }) => `${key} attempt ${attempt}`);
  expect(attempts.filter((each, index) => attempts.indexOf(each) !== index)).toEqual([]);
  for (const { key } of begins(place)) {
    const row = calls.find(({ id }) => id === key);
    expect(row, `the order of ${key}`).toBeDefined();
    expect(ordered.has(key), `the step that ordered ${key}`).toBe(true);
    const begun = attempts.filter((each) => each.startsWith(`${key} `));
    if (row?.class === 'effect') expect(begun).toEqual([`${key} attempt 1`]);
  }
  for (const [index, line] of lines.entries()) {
    if (line.call !== 'deleteFile' || line.at !== 'begin') continue;
    const verified = lines.slice(0, index).some((each) => isVerification(each, place, line.file));
    expect(verified, `${line.file} was verified before it was deleted`).toBe(true);
  }
}

function isVerification(line: LedgerLine, { folder, target }: Place, file: string): boolean {
  const archive = `${file.replace(folder, target)}.gz`;
  return line.call === 'verifyFile' && line.at === 'end' && !line.failed && line.file === archive;
}

/** Nothing is stuck, waiting, open, undeliverable or left behind; every step has its row. */
export function checkStore(place: Pick<Place, 'store'>, killed: readonly Kill[]): void {
  const { store } = place;
  expect(read(store, 'PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
  expect(read(store, "SELECT id, status FROM actors WHERE status <> 'done'")).toEqual([]);
  expect(read(store, 'SELECT * FROM messages')).toEqual([]);
  expect(read(store, 'SELECT * FROM undeliverable')).toEqual([]);
  expect(read(store, 'SELECT * FROM hosts')).toEqual([]);
  expect(
    read(store, "SELECT id FROM calls WHERE status IN ('ordered','claimed','cancelling')"),
  ).toEqual([]);
  const gaps = `SELECT actor, max(revision) AS last, count(*) AS steps, count(DISTINCT revision) AS different
    FROM journal WHERE kind = 'step' GROUP BY actor HAVING last <> steps OR steps <> different`;
  expect(read(store, gaps)).toEqual([]);
  // A host that died between its lock and its row has left a file that nothing names.
  const nameless = killed.filter((kill) => kill.kind !== 'call').length;
  expect(lockFilesOf(store).length).toBeLessThanOrEqual(nameless);
}

export function checkPacked({ target, originals }: Place): void {
  for (const [path, digest] of originals) {
    const packed = readFileSync(join(target, `${path}.gz`));
    expect(digestOf(gunzipSync(packed)), `${path}.gz`).toBe(digest);
  }
  const left = readdirSync(target, { recursive: true }).map(String);
  expect(left.filter((name) => name.endsWith('.partial'))).toEqual([]);
}

export function reportOf({ store }: Place): unknown {
  const [row] = read<{ output: string }>(
    store,
    `SELECT json_extract(snapshot, '$.output') AS output FROM actors WHERE id = 'archive/photos'`,
  );
  return JSON.parse(row?.output ?? 'null');
}

function begins(place: Place): LedgerLine[] {
  return readLedger(place).filter(({ at }) => at === 'begin');
}

/** The keys of all calls that a journal row orders. */
function orderedKeys({ store }: Place): ReadonlySet<string> {
  const rows = read<{ key: string }>(
    store,
    `SELECT actor || '#' || json_extract(value, '$.incarnation') AS key
     FROM journal, json_each(journal.effects) WHERE json_extract(value, '$.kind') = 'call'`,
  );
  return new Set(rows.map(({ key }) => key));
}

/** Reads a store that no host has open. */
function read<TRow = Record<string, unknown>>(file: string, sql: string): TRow[] {
  const connection = new Database(file, { fileMustExist: true });
  try {
    return connection.prepare(sql).all() as TRow[];
  } finally {
    connection.close();
  }
}
