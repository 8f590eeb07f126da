// Simulated store: the store as one process of a simulation has it. Its transactions fail as the fault plan says, and with its
// process they are undone.

import Database from 'better-sqlite3';
import {
  type Connection,
  type HostLock,
  type HostLocks,
  type StepNote,
  type StepNotes,
  Store,
  type StoreFiles,
  WaitingLine,
} from '../../../persistence/index.ts';
import { SeenMessages } from './audit/seen-messages.ts';
import type { Disk, Opener } from './disk.ts';

/** Nobody replaces what a simulation keeps, and its WAL stays small. */
const UNTOUCHED_FILES: StoreFiles = {
  requireOwn: () => {},
  isWalLarge: false,
  walEmptied: () => {},
};

/** A page count that no store of a simulation reaches. */
const PAGES_MAX = 1_000_000;

/** What a host leaves beside the store. */
interface Traces {
  readonly hostLocks: HostLocks;
  readonly stepNotes: StepNotes;
}

export class SimulatedStore extends Store {
  private readonly disk: Disk;
  private readonly opener: Opener;
  private lock: HostLock | undefined;
  private note: StepNote | undefined;

  constructor(disk: Disk, opener: Opener, connection: Connection, traces: Traces) {
    const hostLocks: HostLocks = {
      ...traces.hostLocks,
      take: (incarnation) => this.keep(traces.hostLocks.take(incarnation)),
    };
    const stepNotes: StepNotes = {
      ...traces.stepNotes,
      open: (incarnation) => this.keepNote(traces.stepNotes.open(incarnation)),
    };
    super({
      file: disk.file,
      connection,
      waiting: new WaitingLine(disk.tickets),
      hostLocks,
      stepNotes,
      files: UNTOUCHED_FILES,
      reopen: () => disk.connect(),
    });
    this.disk = disk;
    this.opener = opener;
  }

  protected override attach(connection: Connection): void {
    super.attach(connection);
    this.messages = new SeenMessages(connection);
  }

  override begin(): boolean {
    this.requireAlive();
    this.disk.disturb(this.opener);
    if (this.disk.isBusy) return false;
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
    this.note?.close();
    this.close();
  }

  private keep(lock: HostLock): HostLock {
    this.lock = lock;
    return lock;
  }

  /** A process that died in a step does not live to clear its note. */
  private keepNote(note: StepNote): StepNote {
    const whileAlive = (run: () => void): void => {
      if (!this.opener.isDead) run();
    };
    this.note = note;
    return {
      write: (step) => whileAlive(() => note.write(step)),
      clear: () => whileAlive(() => note.clear()),
      close: () => whileAlive(() => note.close()),
    };
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
