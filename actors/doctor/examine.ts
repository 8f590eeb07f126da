// Examine: the whole of `troupe doctor`. It reads and writes nothing, and needs no code of any machine.
//
// For a process beside the store's host, never for the host itself: SQLite opens the lock files here, and closing them
// must not drop that host's lock (V4). Each question is a read transaction of its own, so no host waits for any of them.

import { statSync } from 'node:fs';
import {
  asStorageError,
  Inspection,
  type LiveActors,
  lockFilesOf,
  type OpenCalls,
  type Store,
  sqliteCode,
} from '../../persistence/index.ts';
import { messageOf } from '../step/index.ts';
import { about, type DoctorFinding } from './finding.ts';
import { type ExaminedHost, examineHosts, hostFindings } from './hosts.ts';
import { rowFindings } from './rows.ts';
import { examineWaits, NO_WAITS, type Waits, waitFindings } from './waits.ts';

/** Past it the WAL is too large (V10). Bytes. */
export const WAL_BYTES_MAX = 67_108_864;

export interface Diagnosis {
  readonly store: string;
  readonly storeBytes: number;
  readonly walBytes: number;
  readonly hosts: readonly ExaminedHost[];
  /** Actors that can still move. */
  readonly actors: readonly LiveActors[];
  readonly openCalls: readonly OpenCalls[];
  readonly waits: Waits;
  /** Messages that had nowhere to go. */
  readonly undeliverable: number;
  /** Errors first. */
  readonly findings: readonly DoctorFinding[];
}

/** @param nowMs Milliseconds since 1970. @throws {TroupeError} `storage_busy`, `storage_unavailable`. */
export function examine(store: Store, nowMs: number): Diagnosis {
  try {
    return examined(store, nowMs);
  } catch (error) {
    throw asStorageError(error, store.file);
  }
}

function examined(store: Store, nowMs: number): Diagnosis {
  // The files first: a host that registers meanwhile then has its row.
  const files = lockFilesOf(store.file);
  const inspection = new Inspection(store.connection);
  const problems: string[] = [];
  const ask = <T>(question: () => T, otherwise: T): T => orDamage(problems, question, otherwise);
  const hosts = ask(() => examineHosts(store), []);
  const isStepped = hosts.some(({ liveness }) => liveness === 'alive');
  problems.push(...ask(() => inspection.problems(isStepped ? 'byTable' : 'whole'), []));
  const waits = ask(() => examineWaits(inspection, nowMs), NO_WAITS);
  const actors = ask(() => inspection.liveActors(), []);
  const openCalls = ask(() => inspection.openCalls(), []);
  const undeliverable = ask(() => inspection.undeliverable(), 0);
  const rows = ask(() => rowFindings(inspection, store.file), []);
  const walBytes = bytesOf(`${store.file}-wal`);
  const findings = [
    ...damageFindings(problems),
    ...rows,
    ...hostFindings(store, hosts, files),
    ...waitFindings(waits, isStepped, nowMs),
    ...walFindings(store.file, walBytes),
  ].toSorted((a, b) => Number(b.severity === 'error') - Number(a.severity === 'error'));
  const storeBytes = bytesOf(store.file);
  return {
    store: store.file,
    storeBytes,
    walBytes,
    hosts,
    actors,
    openCalls,
    waits,
    undeliverable,
    findings,
  };
}

/** Damage may be so bad that a question cannot be answered: that is a finding of its own, and the others are asked. */
function orDamage<T>(problems: string[], question: () => T, otherwise: T): T {
  try {
    return question();
  } catch (error) {
    if (!sqliteCode(error)?.startsWith('SQLITE_CORRUPT')) throw error;
    problems.push(messageOf(error));
    return otherwise;
  }
}

function damageFindings(problems: readonly string[]): DoctorFinding[] {
  return about(problems, {
    severity: 'error',
    code: 'store_damaged',
    problem: `SQLite finds the file damaged: ${problems[0]}`,
    mend: "stop every host, keep a copy of the store with its -wal, and restore a backup or use sqlite3's .recover",
  });
}

function walFindings(store: string, walBytes: number): DoctorFinding[] {
  if (walBytes <= WAL_BYTES_MAX) return [];
  return about([`${store}-wal`], {
    severity: 'warning',
    code: 'wal_large',
    problem: `The WAL has ${walBytes} bytes: somebody reads in one long transaction, and it can only grow.`,
    mend: 'end whoever reads for long; the next commit of a host then takes it back',
  });
}

/** Asked of the folder: nothing but SQLite opens the store in this process (V4). */
function bytesOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
