// Hosts: starts processes of dist that open one store, and names what they leave in it.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import type { Boundary, Outcome } from '../../../actors/index.ts';
import { isBusy } from '../../../persistence/index.ts';
import { TicketFiles } from '../../../persistence/ticket-files.ts';
import { isBuilt } from '../../../scripts/build.mjs';
import { until } from '../../kit/index.ts';
import {
  type Program,
  type ProgramOptions,
  rowsOf,
  startProgram,
  storeForTest,
} from '../../supervision/support/process.ts';
import { beginsOf } from './ledger.ts';

const HOST = fileURLToPath(new URL('./host.mjs', import.meta.url));

/** How to open, as JSON. */
export interface Opening {
  readonly store: string;
  /** A client has no machines. Default `host`. */
  readonly as?: 'host' | 'client' | 'readonly';
  /** Kills itself when this boundary is passed for the n-th time, from 1. */
  readonly killAt?: { readonly boundary: Boundary; readonly count: number };
  readonly graceMs?: number;
}

/** A process that has nothing open yet. It is killed when the test ends. */
export function startBare(options: Omit<ProgramOptions, 'file'> = {}): Program {
  if (!isBuilt()) throw new Error('dist is not of these sources: npm run build');
  return startProgram({ file: HOST, nodeArgs: ['--expose-gc'], ...options });
}

/** A process that has a store open, as its host unless told otherwise. */
export async function start(store: string, opening: Omit<Opening, 'store'> = {}): Promise<Program> {
  const program = startBare();
  await program.ask('open', { store, ...opening });
  return program;
}

/** Where a test's store and its witness are. */
export interface Site {
  readonly store: string;
  readonly folder: string;
  /** What calls append to, outside the store; see witness.ts. */
  readonly ledger: string;
}

export function siteForTest(): Site {
  const { file, folder } = storeForTest();
  return { store: file, folder, ledger: join(folder, 'ledger') };
}

export interface HostFacts {
  readonly incarnation: string;
  readonly pid: number;
  readonly inode: number;
  readonly lock_file: string;
  readonly commit_group: number;
}

/** The rows of the hosts that are registered, oldest first. */
export function hostsOf(store: string): HostFacts[] {
  return rowsOf<HostFacts>(store, 'SELECT * FROM hosts ORDER BY incarnation');
}

/** The row of a host by its process. @throws {Error} when it has none. */
export function rowOfHost(store: string, { pid }: Pick<Program, 'pid'>): HostFacts {
  const row = hostsOf(store).find((host) => host.pid === pid);
  if (row === undefined) throw new Error(`process ${pid} has no row in ${store}`);
  return row;
}

export function isRegistered(store: string, { pid }: Pick<Program, 'pid'>): boolean {
  return hostsOf(store).some((host) => host.pid === pid);
}

/** How many messages of this name an actor has counted. */
export async function countOf(program: Program, address: string): Promise<number> {
  const { context } = await program.ask<{ context: { count: number } }>('get', address);
  return context.count;
}

/** What a send came to. */
export type Sent =
  | { readonly is: 'written'; readonly messageId: string; readonly seq: number }
  | {
      readonly is: 'refused';
      readonly messageId: string;
      readonly code: string;
      readonly outcome: Outcome | undefined;
    };

/** Sends one COUNT under an id of its own. Never rejects. */
export async function sendCount(
  program: Program,
  address: string,
  messageId: string,
): Promise<Sent> {
  try {
    const event = { type: 'COUNT' };
    const { seq } = await program.ask<{ seq: number }>('send', address, event, messageId);
    return { is: 'written', messageId, seq };
  } catch (error) {
    const { code, outcome } = error as { code: string; outcome?: Outcome };
    return { is: 'refused', messageId, code, outcome };
  }
}

/** A host with a job whose effect is running and ends when `file` is there. */
export async function startInsideAct(site: Site, file: string): Promise<Program> {
  const host = await start(site.store);
  await host.ask('spawn', 'job', 'held', { witness: site.ledger, actUntilFile: file });
  await until(() => beginsOf(site, 'act').length === 1);
  return host;
}

/**
 * Another host comes and dies. That its row is gone shows that a living one has probed all others since.
 * @returns the dead host's process.
 */
export async function untilProbed({ store }: Pick<Site, 'store'>): Promise<Program> {
  const other = await start(store);
  await other.kill();
  await until(() => !isRegistered(store, other), { what: 'the settling of a dead host' });
  return other;
}

/**
 * Suspends a host outside of a transaction: a host that is stopped inside one keeps the store from everybody, which is another
 * test's matter.
 */
export async function suspend(store: string, host: Program): Promise<void> {
  for (;;) {
    host.signal('SIGSTOP');
    await until(() => isStopped(host), { what: 'a host to be stopped' });
    if (canBeWritten(store)) return;
    host.signal('SIGCONT');
  }
}

/** Others may hold the store for a moment; who holds it for longer is the one that was stopped. Milliseconds. */
const HELD_MS = 300;

function canBeWritten(store: string): boolean {
  const connection = new Database(store, { fileMustExist: true, timeout: HELD_MS });
  try {
    connection.exec('BEGIN IMMEDIATE; ROLLBACK');
    return true;
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  } finally {
    connection.close();
  }
}

/** Whether a process has been stopped by a signal. */
export function isStopped({ pid }: Pick<Program, 'pid'>): boolean {
  const [, state] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  return state?.startsWith('T') ?? false;
}

/** Whether a process waits for a store that another has. */
export function isAwaited({ store }: Pick<Site, 'store'>): boolean {
  return new TicketFiles(store).all().length > 0;
}
