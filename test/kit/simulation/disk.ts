// Disk: the store of a simulation, in memory or in a file. A process that dies loses what it had not committed, and nothing
// else; commits fail as the fault plan says.

import Database from 'better-sqlite3';
import {
  type Connection,
  type HostLock,
  type HostLocks,
  hostLockFiles,
  makeSchema,
  prepareConnection,
  Store,
  type Waiting,
} from '../../../persistence/index.ts';
import { type TemporaryStore, temporaryStore } from '../temporary-store.ts';
import { AUDIT_SQL, tellTimes } from './audit/seen.ts';
import type { FaultPlan } from './faults.ts';
import type { Random } from './random.ts';
import type { Timeline } from './timeline.ts';

/** The one who has opened a store. */
export interface Opener {
  readonly name: string;
  readonly isDead: boolean;
}

/** How long a disk stays full, and another process keeps the store. Milliseconds. */
const FULL_MS = [1, 3_000] as const;
const BUSY_MS = [1, 30] as const;
/** How long it keeps the store now and then, as for a backup: then sends, answers and timers meet in one group. Milliseconds. */
const BUSY_LONG_MS = [30, 3_000] as const;
const BUSY_LONG = 0.3;

export interface DiskParts {
  readonly kind: 'memory' | 'file';
  readonly timeline: Timeline;
  readonly faults: FaultPlan;
  readonly random: Random;
}

export class Disk {
  readonly parts: DiskParts;
  readonly file: string;
  /** A connection of the simulation's own, for looking. In memory it is the only one. */
  readonly connection: Connection;
  private readonly temporary: TemporaryStore | undefined;
  private readonly living = new Set<string>();
  private commits = 0;
  private readonly ownCommits = new Map<Opener, number>();
  private busyUntilMs = 0;
  private fullUntilMs = 0;

  constructor(parts: DiskParts) {
    this.parts = parts;
    this.temporary = parts.kind === 'file' ? temporaryStore() : undefined;
    this.file = this.temporary?.file ?? '/simulated/troupe.db';
    this.connection = new Database(this.temporary?.file ?? ':memory:', { timeout: 0 });
    prepareConnection(this.connection, 'create');
    makeSchema(this.connection);
    tellTimes(this.connection, this.parts.timeline);
    this.connection.exec(AUDIT_SQL);
  }

  /** Opens the store for a process. */
  open(opener: Opener): SimulatedStore {
    const isFile = this.parts.kind === 'file';
    const connection = isFile
      ? tellTimes(openFile(this.file), this.parts.timeline)
      : this.connection;
    const hostLocks = isFile ? hostLockFiles(this.file) : this.simulatedLocks();
    return new SimulatedStore(this, opener, connection, hostLocks);
  }

  /** Counts commits, so that a process learns of those of others as it does from SQLite. */
  committed(opener: Opener): void {
    this.commits++;
    this.ownCommits.set(opener, (this.ownCommits.get(opener) ?? 0) + 1);
  }

  /** Changes when another process has committed. */
  version(opener: Opener): number {
    return this.commits - (this.ownCommits.get(opener) ?? 0);
  }

  /** One occasion for the faults of a transaction's begin. @returns whether another process has the store. */
  isBusy(opener: Opener): boolean {
    const { timeline, faults, random } = this.parts;
    if (faults.happens('diskFull', opener.name)) {
      this.fullUntilMs = timeline.passedMs + random.whole(...FULL_MS);
    }
    if (faults.happens('busy', opener.name)) {
      const [minMs, maxMs] = random.chance(BUSY_LONG) ? BUSY_LONG_MS : BUSY_MS;
      this.busyUntilMs = timeline.passedMs + random.whole(minMs, maxMs);
    }
    return !faults.isOver && this.busyUntilMs > timeline.passedMs;
  }

  get isFull(): boolean {
    return !this.parts.faults.isOver && this.fullUntilMs > this.parts.timeline.passedMs;
  }

  close(): void {
    this.connection.close();
    this.temporary?.remove();
  }

  /** Locks that live as long as their process. */
  private simulatedLocks(): HostLocks {
    return {
      take: (incarnation) => {
        this.living.add(incarnation);
        const unlock = () => {
          this.living.delete(incarnation);
        };
        return {
          file: `${this.file}.host-${incarnation}`,
          inode: 1,
          isOwn: () => this.living.has(incarnation),
          unlock,
          release: unlock,
        };
      },
      probe: ({ incarnation }) => (this.living.has(incarnation) ? 'alive' : 'dead'),
      remove: () => {},
    };
  }
}

function openFile(file: string): Connection {
  const connection = new Database(file, { timeout: 0 });
  prepareConnection(connection, 'create');
  return connection;
}

/** Nobody else waits in a simulation of one process; who has the store is the disk's business. */
const NOBODY_WAITS: Waiting = { raise: () => {}, isRaised: () => false, lower: () => {} };

/** A page count that no store of a simulation reaches. */
const PAGES_MAX = 1_000_000;

export class SimulatedStore extends Store {
  private readonly disk: Disk;
  private readonly opener: Opener;
  private lock: HostLock | undefined;

  constructor(disk: Disk, opener: Opener, connection: Connection, hostLocks: HostLocks) {
    const keeping: HostLocks = {
      ...hostLocks,
      take: (incarnation) => this.keep(hostLocks.take(incarnation)),
    };
    super({ file: disk.file, connection, waiting: NOBODY_WAITS, hostLocks: keeping });
    this.disk = disk;
    this.opener = opener;
  }

  override begin(): boolean {
    this.requireAlive();
    if (this.disk.isBusy(this.opener)) return false;
    this.limitPages();
    return super.begin();
  }

  override commit(): void {
    this.requireAlive();
    const { faults } = this.disk.parts;
    if (faults.happens('commitLost', this.opener.name)) {
      super.rollback();
      throw ioError();
    }
    const isKept = faults.happens('commitKept', this.opener.name);
    super.commit();
    this.disk.committed(this.opener);
    if (isKept) throw ioError();
  }

  override rollback(): void {
    if (!this.opener.isDead) super.rollback();
  }

  override dataVersion(): number {
    this.requireAlive();
    const isShared = this.disk.parts.kind === 'memory';
    return isShared ? this.disk.version(this.opener) : super.dataVersion();
  }

  override close(): void {
    if (this.disk.parts.kind === 'file') super.close();
  }

  /** The process is gone: its transaction is undone, its lock free; nothing of it is tidied up. */
  abandon(): void {
    super.rollback();
    this.lock?.unlock();
    this.close();
  }

  private keep(lock: HostLock): HostLock {
    this.lock = lock;
    return lock;
  }

  /** SQLite's own way of being full: no page can be added. */
  private limitPages(): void {
    const pages = this.disk.isFull
      ? (this.connection.pragma('page_count', { simple: true }) as number)
      : PAGES_MAX;
    this.connection.pragma(`max_page_count = ${pages}`);
  }

  private requireAlive(): void {
    if (this.opener.isDead) throw new Error(`${this.opener.name} is dead`);
  }
}

function ioError(): Error {
  return new Database.SqliteError('disk I/O error', 'SQLITE_IOERR_FSYNC');
}
