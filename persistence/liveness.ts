// Liveness: an operating-system lock that proves a host alive (V4).
//
// The lock is an exclusive SQLite transaction on a file named by the host's incarnation, beside the store. It is held by
// the process, not a thread, until it ends. A host is dead only when somebody else got a shared lock on that very file:
// pids, ages and heartbeats prove nothing. Nothing but SQLite may open that file in the holder's process.

import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { TroupeError } from './errors.ts';
import type { HostRow } from './rows.ts';
import { isBusy } from './storage-error.ts';

/** A held lock. Keep a reference: garbage collection of the connection would drop it. */
export interface HostLock {
  readonly file: string;
  readonly inode: number;
  /** True while the file is still the one that was locked. */
  isOwn(): boolean;
  /** Ends the lock; the file stays, so that others can prove this host dead. */
  unlock(): void;
  /** Ends the lock and removes the file. Only when the host's row is gone: a row without its file can never be proven dead. */
  release(): void;
}

/** The lock file of a host: `<store>.host-<incarnation>`. */
export function lockFileOf(store: string, incarnation: string): string {
  return `${store}.host-${incarnation}`;
}

/** The lock files that lie beside a store. They are named, never opened. */
export function lockFilesOf(store: string): string[] {
  const folder = dirname(store);
  const prefix = lockFileOf(basename(store), '');
  return readdirSync(folder)
    .filter((name) => name.startsWith(prefix) && !name.endsWith('-journal'))
    .map((name) => join(folder, name));
}

/** Takes the lock of a new host. @throws {TroupeError} `store_not_writable` when the file cannot be made. */
export function takeHostLock(store: string, incarnation: string): HostLock {
  const file = lockFileOf(store, incarnation);
  let connection: Database.Database;
  try {
    connection = new Database(file, { timeout: 0 });
    connection.pragma('journal_mode = MEMORY');
    connection.exec('CREATE TABLE host(incarnation TEXT)');
    connection.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    throw new TroupeError(
      'store_not_writable',
      `The host's lock ${file} cannot be made: the folder must allow this user to create files.`,
      { cause: error, details: { file } },
    );
  }
  const inode = statSync(file).ino;
  return {
    file,
    inode,
    isOwn: () => inodeOf(file) === inode,
    unlock: () => connection.close(),
    release: () => {
      connection.close();
      rmSync(file, { force: true });
    },
  };
}

/**
 * What a probe of another host's lock shows. `dead` is proof; `alive` is proof; `unproven` says that the file is gone or
 * another one, which proves nothing.
 */
export type Liveness = 'alive' | 'dead' | 'unproven';

/** The hosts' locks of one store: what proves a host alive or dead (V4). */
export interface HostLocks {
  /** Takes the lock of a new host. @throws {TroupeError} `store_not_writable` when it cannot be made. */
  take(incarnation: string): HostLock;
  probe(host: HostRow): Liveness;
  /** Removes what a dead host has left. Of a copied store the rows name the files of the original: those stay. */
  remove(host: HostRow): void;
}

/** Locks in files beside the store. */
export function hostLockFiles(store: string): HostLocks {
  return {
    take: (incarnation) => takeHostLock(store, incarnation),
    probe: probeHost,
    remove: (host) => {
      if (host.lock_file !== lockFileOf(store, host.incarnation)) return;
      rmSync(host.lock_file, { force: true });
    },
  };
}

/** Probes a host's lock with a shared lock, never an exclusive one. */
export function probeHost(host: Pick<HostRow, 'lock_file' | 'inode'>): Liveness {
  if (inodeOf(host.lock_file) !== host.inode) return 'unproven';
  let probe: Database.Database | undefined;
  try {
    probe = new Database(host.lock_file, { timeout: 0, readonly: true, fileMustExist: true });
    probe.prepare('SELECT count(*) FROM host').get();
    // The file may have been exchanged between the look and the lock.
    return inodeOf(host.lock_file) === host.inode ? 'dead' : 'unproven';
  } catch (error) {
    if (isBusy(error)) return 'alive';
    return 'unproven';
  } finally {
    probe?.close();
  }
}

/** The inode of a file, by its name alone; undefined when it is not there. */
export function inodeOf(file: string): number | undefined {
  return existsSync(file) ? statSync(file, { throwIfNoEntry: false })?.ino : undefined;
}
