// Recovery: a host is killed with 500 operations in flight. How long the next one takes from its start until all of them have
// ended, and whether any dispatch was started twice.

import { type ChildProcess, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { rounded } from './figures.ts';
import { startOperating } from './operating.ts';

const HOST = fileURLToPath(new URL('./recovery-host.js', import.meta.url));

export interface RecoveryReport {
  /** Operations that had begun and not ended when the host was killed. */
  readonly inFlight: number;
  /** From the start of the next host until all of them have ended. */
  readonly ms: number;
  /** Calls of class effect that were started more than once. */
  readonly doubled: number;
}

export async function measureRecovery(folder: string): Promise<RecoveryReport> {
  const [store, ledger] = [join(folder, 'recovery.db'), join(folder, 'ledger')];
  await untilKilled(fork(HOST, [store, ledger]));
  const inFlight = addressesInFlight(store);
  const startedMs = performance.now();
  const operating = await startOperating(store, ledger);
  await Promise.all(inFlight.map((address) => operating.ended(address)));
  const ms = performance.now() - startedMs;
  await operating.close();
  return { inFlight: inFlight.length, ms: rounded(ms, 0), doubled: doubledIn(ledger) };
}

/** Kills the host as soon as it says that it is under load. */
function untilKilled(host: ChildProcess): Promise<void> {
  host.once('message', () => host.kill('SIGKILL'));
  return new Promise((resolve, reject) => {
    host.once('exit', (code, signal) => {
      if (signal === 'SIGKILL') resolve();
      else reject(new Error(`the host ended by itself (${code})`));
    });
  });
}

function addressesInFlight(store: string): string[] {
  const db = new Database(store);
  const addresses = db.prepare("SELECT id FROM actors WHERE status = 'active'").pluck().all();
  db.close();
  return addresses as string[];
}

function doubledIn(ledger: string): number {
  const starts = readFileSync(ledger, 'utf8').trimEnd().split('\n');
  return starts.length - new Set(starts).size;
}
