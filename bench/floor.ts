// Floor: what this machine can do at most, measured in the same run, so that figures of different machines compare.

import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import Database from 'better-sqlite3';
import { Piscina } from 'piscina';
import { type AnyMachineSnapshot, initialTransition, transition } from 'xstate';
import { machine } from './machine.ts';

const EMPTY_TASK = new URL('./calls/no-op.js', import.meta.url).href;

/** Appends of 4 KB with fsync. Per second. */
export function syncsPerSecond(file: string, count: number): number {
  const descriptor = openSync(file, 'w');
  const block = Buffer.alloc(4_096, 1);
  const startedMs = performance.now();
  for (let index = 0; index < count; index++) {
    writeSync(descriptor, block);
    fsyncSync(descriptor);
  }
  const seconds = (performance.now() - startedMs) / 1_000;
  closeSync(descriptor);
  return count / seconds;
}

/** Commits of one row, WAL, synchronous=FULL. Per second. */
export function commitsPerSecond(file: string, count: number): number {
  const db = new Database(file);
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  db.exec('CREATE TABLE rows(id INTEGER PRIMARY KEY, value TEXT)');
  const insert = db.prepare('INSERT INTO rows(value) VALUES (?)');
  const startedMs = performance.now();
  for (let index = 0; index < count; index++) insert.run('a row');
  const seconds = (performance.now() - startedMs) / 1_000;
  db.close();
  return count / seconds;
}

/** XState's public transition() of the benchmark's machine, in memory. Per second. */
export function transitionsPerSecond(count: number): number {
  let [snapshot] = initialTransition(machine) as [AnyMachineSnapshot, unknown];
  const startedMs = performance.now();
  for (let index = 0; index < count; index++) {
    [snapshot] = transition(machine, snapshot as never, { type: 'NEXT' });
  }
  return count / ((performance.now() - startedMs) / 1_000);
}

/** An empty task on a thread that is warm, one at a time. Milliseconds, mean. */
export async function threadRoundTripMs(count: number): Promise<number> {
  const pool = new Piscina({ filename: EMPTY_TASK, minThreads: 1, maxThreads: 1 });
  await pool.run({});
  const startedMs = performance.now();
  for (let index = 0; index < count; index++) await pool.run({});
  const ms = (performance.now() - startedMs) / count;
  await pool.destroy();
  return ms;
}
