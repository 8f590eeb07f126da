// Witness: what must be true of a store that several hosts have stepped, told by what was started and acknowledged.

import { expect } from 'vitest';
import { rowsOf } from '../../supervision/support/process.ts';
import type { Sent, Site } from './hosts.ts';
import { beginsOf, type Line } from './ledger.ts';

/**
 * Each attempt began once, an effect once at all, and another attempt only after the host of the one before was dead.
 * @param killed The processes that were killed.
 */
export function checkStarts(site: Site, killed: ReadonlySet<number>): void {
  const attempts = new Map<string, Line[]>();
  for (const line of beginsOf(site)) {
    attempts.set(line.key, [...(attempts.get(line.key) ?? []), line]);
  }
  const rows = rowsOf<{ id: string; class: string; attempt: number }>(
    site.store,
    'SELECT id, class, attempt FROM calls',
  );
  const byKey = new Map(rows.map((row) => [row.id, row]));
  for (const [key, begun] of attempts) {
    const row = byKey.get(key);
    expect(row, `the order of ${key}`).toBeDefined();
    const numbers = begun.map(({ attempt }) => attempt);
    expect(numbers, `the attempts of ${key}`).toEqual([...new Set(numbers)].toSorted(ascending));
    expect(row?.attempt, `the attempts of ${key}`).toBeGreaterThanOrEqual(numbers.at(-1) ?? 0);
    if (row?.class === 'effect') expect(begun, `the starts of ${key}`).toHaveLength(1);
    const earlier = begun.slice(0, -1).map(({ pid }) => pid);
    expect(
      earlier.filter((pid) => !killed.has(pid)),
      `hosts that lost ${key}`,
    ).toEqual([]);
  }
}

function ascending(a: number, b: number): number {
  return a - b;
}

/** What was acknowledged was stepped once, each under its own sequence number. */
export function checkSent(store: string, sent: readonly Sent[]): void {
  const seqs = sent.flatMap((each) => (each.is === 'written' ? [each.seq] : []));
  expect(new Set(seqs).size).toBe(seqs.length);
  const stepped = new Map(
    rowsOf<{ message: number; steps: number }>(
      store,
      "SELECT message, count(*) AS steps FROM journal WHERE kind = 'step' GROUP BY message",
    ).map(({ message, steps }) => [message, steps]),
  );
  expect(seqs.filter((seq) => stepped.get(seq) !== 1)).toEqual([]);
}

/** Whether a store knows a message by its sender's own id. */
export function isKnown(store: string, messageId: string): boolean {
  return rowsOf(store, `SELECT 1 FROM receipts WHERE key = '${messageId}'`).length > 0;
}

/** SQLite finds nothing to complain of, and every actor has a row for each of its revisions. */
export function checkWhole(store: string): void {
  expect(rowsOf(store, 'PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
  const gaps = `SELECT actor, max(revision) AS last, count(*) AS steps, count(DISTINCT revision) AS different
    FROM journal WHERE kind = 'step' GROUP BY actor HAVING last <> steps OR steps <> different`;
  expect(rowsOf(store, gaps)).toEqual([]);
}
