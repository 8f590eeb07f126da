// Supervisor: how a host enters a store and leaves it (V1, V4, V9).
//
// It proves which earlier hosts are dead, settles what they had claimed, and registers the new one, all in the
// transaction that deletes their rows: a host that lost its row never commits again. Living hosts stay: they step the store
// together (V5).

import type { Logger } from 'pino';
import {
  type HostLock,
  type HostRow,
  type StepNote,
  type Store,
  TroupeError,
} from '../persistence/index.ts';
import { arrivalOf, Group } from './engine/group.ts';
import { provenDead, removeHost, settleCallsWithoutHost, settleHosts } from './host-end.ts';
import type { Boundaries, Clock, Entropy } from './ports.ts';
import type { Registry } from './registry/index.ts';
import { keepDefinitions } from './stored-definitions.ts';
import { writeTransaction } from './write-transaction.ts';

export interface SupervisorPorts {
  readonly store: Store;
  readonly registry: Registry;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly log: Logger;
  readonly boundary: Boundaries;
  /** Replaces the stored definition of a machine that has changed under its version (G1). */
  readonly isDev: boolean;
  /** The process id, to name this host to people. It proves nothing. */
  readonly pid: number;
}

export interface Registration {
  readonly incarnation: string;
  readonly lock: HostLock;
  readonly note: StepNote;
  /** True when a dead host was stepping what it had not committed (V3). */
  readonly isCareful: boolean;
}

/**
 * Registers this process as a host of the store.
 * @throws {TroupeError} `machine_changed` (G1); `store_schema`; `storage_busy`.
 */
export async function enter(ports: SupervisorPorts): Promise<Registration> {
  const { store, clock, boundary } = ports;
  const incarnation = ports.entropy.incarnation();
  const lock = store.hostLocks.take(incarnation);
  boundary('open.lockTaken');
  let note: StepNote | undefined;
  try {
    note = store.stepNotes.open(incarnation);
    const { dead, isCareful } = await writeTransaction(store, clock, () =>
      register(ports, incarnation, lock),
    );
    for (const host of dead) {
      store.hostLocks.remove(host);
      store.stepNotes.remove(host.incarnation);
    }
    boundary('open.registered');
    return { incarnation, lock, note, isCareful };
  } catch (error) {
    note?.close();
    // A commit that failed may have left the row: its file must stay, to prove this host dead.
    if (error instanceof TroupeError && error.outcome === 'notWritten') {
      lock.release();
      store.stepNotes.remove(incarnation);
    } else lock.unlock();
    throw error;
  }
}

/**
 * Leaves the store: the row first, then the lock, and only after the last call has ended. What this host had claimed
 * and could not settle is settled as if it had died (V9, C5).
 */
export async function leave(
  store: Store,
  clock: Clock,
  log: Logger,
  { incarnation, lock, note }: Registration,
): Promise<void> {
  note.close();
  try {
    await writeTransaction(store, clock, () => {
      // Who lost its row writes nothing any more (V4): whoever enters next settles its calls.
      const group = groupOf(store, clock);
      if (!removeHost(group, incarnation)) return;
      settleCallsWithoutHost(group, log);
      group.close();
    });
    lock.release();
    store.stepNotes.remove(incarnation);
  } catch (error) {
    lock.unlock();
    throw error;
  }
}

function register(
  ports: SupervisorPorts,
  incarnation: string,
  lock: HostLock,
): { readonly dead: readonly HostRow[]; readonly isCareful: boolean } {
  const { store, registry, clock, log } = ports;
  const hosts = store.hosts.all();
  const dead = provenDead(store, hosts);
  for (const host of hosts) warnOfUnproven(host, store, log);
  store.requireSchema();
  keepDefinitions(store, registry, ports.isDev, log);
  const group = groupOf(store, clock);
  settleHosts(group, dead, log);
  group.close();
  store.hosts.insert({
    incarnation,
    lock_file: lock.file,
    inode: lock.inode,
    schema: store.schema,
    pid: ports.pid,
    started_at: group.nowMs,
  });
  return { dead, isCareful: group.hasUnnamedDeath };
}

function groupOf(store: Store, clock: Clock): Group {
  const nowMs = clock.now();
  return new Group(store, nowMs, arrivalOf(store, nowMs), new Set());
}

/** V4: its calls stay claimed, because nothing proves its end. */
function warnOfUnproven(host: HostRow, store: Store, log: Logger): void {
  if (store.hostLocks.probe(host) !== 'unproven') return;
  log.warn(
    { host: host.incarnation, pid: host.pid, lockFile: host.lock_file },
    `The lock file of this host is gone or another one, so nothing proves it dead, and its calls stay claimed. When you are sure that its process has ended, remove its row: sqlite3 '${store.file}' "DELETE FROM hosts WHERE incarnation = '${host.incarnation}'".`,
  );
}
