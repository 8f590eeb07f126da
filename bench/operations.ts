// Operations: how many a second with 64 in flight, and how long one takes alone.

import { statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { median, quantile, rounded } from './figures.ts';
import { syncsPerSecond, threadRoundTripMs } from './floor.ts';
import { type Operating, operateAll, startOperating } from './operating.ts';

const OPERATIONS = 2_000;
const IN_FLIGHT = 64;

/** One at a time: rounds with the floor measured in between, so that the machine's noise hits both. */
const ROUNDS = 5;
const ALONE_IN_ROUND = 40;

export interface OperationsReport {
  readonly perSecond: number;
  /** Of one at a time. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly syncsPerOperation: number;
  /** Of one at a time. */
  readonly aloneSyncsPerOperation: number;
  readonly callsPerOperation: number;
  /** `p50Ms` as a multiple of what the syncs and thread round trips of one alone take at least: median of the rounds. */
  readonly p50PerFloor: number;
  /** At rest: the store's file. */
  readonly bytesPerOperation: number;
  /** Of the process with its threads, under load. */
  readonly residentMb: number;
}

export async function measureOperations(folder: string): Promise<OperationsReport> {
  const store = join(folder, 'operations.db');
  const operating = await startOperating(store);
  // Threads start and code gets warm.
  await operateAll(operating, IN_FLIGHT, IN_FLIGHT);
  const together = await measureTogether(operating);
  const residentMb = process.memoryUsage.rss() / 1_048_576;
  const alone: Alone[] = [];
  for (let round = 0; round < ROUNDS; round++) alone.push(await measureAlone(operating, folder));
  await operating.close();
  const { operations, callsPerOperation } = countsOf(store);
  const timesMs = alone.flatMap((round) => round.timesMs);
  const floors = alone.map(
    ({ timesMs: own, syncs, syncMs, roundTripMs }) =>
      median(own) / (syncs * syncMs + callsPerOperation * roundTripMs),
  );
  return {
    perSecond: Math.round(together.perSecond),
    p50Ms: rounded(median(timesMs)),
    p99Ms: rounded(quantile(timesMs, 0.99)),
    syncsPerOperation: rounded(together.syncs),
    aloneSyncsPerOperation: rounded(median(alone.map(({ syncs }) => syncs))),
    callsPerOperation: rounded(callsPerOperation),
    p50PerFloor: rounded(median(floors)),
    bytesPerOperation: Math.round(statSync(store).size / operations),
    residentMb: Math.round(residentMb),
  };
}

async function measureTogether(
  operating: Operating,
): Promise<{ readonly perSecond: number; readonly syncs: number }> {
  const before = operating.commits();
  const startedMs = performance.now();
  await operateAll(operating, OPERATIONS, IN_FLIGHT);
  const seconds = (performance.now() - startedMs) / 1_000;
  return {
    perSecond: OPERATIONS / seconds,
    syncs: (operating.commits() - before) / OPERATIONS,
  };
}

/** One round of operations one at a time, and the floor of that moment. */
interface Alone {
  readonly timesMs: readonly number[];
  /** Of one operation. */
  readonly syncs: number;
  readonly syncMs: number;
  readonly roundTripMs: number;
}

async function measureAlone(operating: Operating, folder: string): Promise<Alone> {
  const syncMs = 1_000 / syncsPerSecond(join(folder, 'sync'), 200);
  const roundTripMs = await threadRoundTripMs(200);
  const before = operating.commits();
  const timesMs = await operateAll(operating, ALONE_IN_ROUND, 1);
  return {
    timesMs,
    syncs: (operating.commits() - before) / ALONE_IN_ROUND,
    syncMs,
    roundTripMs,
  };
}

function countsOf(store: string): {
  readonly operations: number;
  readonly callsPerOperation: number;
} {
  const db = new Database(store, { readonly: true });
  const count = (sql: string) => db.prepare(sql).pluck().get() as number;
  const operations = count('SELECT count(*) FROM actors WHERE state = \'"completed"\'');
  const attempts = count('SELECT sum(attempt) FROM calls');
  const actors = count('SELECT count(*) FROM actors');
  db.close();
  if (operations !== actors) throw new Error(`${actors - operations} operations have failed`);
  return { operations, callsPerOperation: attempts / operations };
}
