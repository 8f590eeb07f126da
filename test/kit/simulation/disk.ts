// Disk: the store of a simulation, in memory or in a file. A process that dies loses what it had not committed, and nothing
// else; commits fail as the fault plan says.

import Database from 'better-sqlite3';
import {
  type Connection,
  type HostLocks,
  hostLockFiles,
  makeSchema,
  type NotedStep,
  prepareConnection,
  type StepNotes,
  stepNoteFiles,
  type Tickets,
} from '../../../persistence/index.ts';
import { type TemporaryStore, temporaryStore } from '../temporary-store.ts';
import { AUDIT_SQL, tellTimes } from './audit/seen.ts';
import type { FaultPlan } from './faults.ts';
import type { CommittedGroup } from './ledger.ts';
import type { Random } from './random.ts';
import { SimulatedStore } from './simulated-store.ts';
import type { Timeline } from './timeline.ts';

/** The one who has opened a store. */
export interface Opener {
  readonly name: string;
  /** Counted from 1. */
  readonly number: number;
  readonly isDead: boolean;
  /** What its wall clock is ahead of the timeline's. Milliseconds. */
  readonly aheadMs: number;
}

/** How long a disk stays full, and another process keeps the store. Milliseconds. */
const FULL_MS = [1, 3_000] as const;
const BUSY_MS = [1, 30] as const;
/** How long it keeps the store now and then, as for a backup: then sends, answers and timers meet in one group. Milliseconds. */
const BUSY_LONG_MS = [30, 3_000] as const;
const BUSY_LONG = 0.3;

interface DiskParts {
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
  private readonly notes = new Map<string, NotedStep | undefined>();
  /** Those who wait for the store; the ticket of a dead process stays. */
  private readonly line = new Set<string>();
  private writer: Opener | undefined;
  private commits = 0;
  private readonly ownCommits = new Map<Opener, number>();
  /** When which process has committed: the processes' numbers with milliseconds that had passed. */
  readonly groups: CommittedGroup[] = [];
  private readonly lastRow: Database.Statement;
  private busyUntilMs = 0;
  private fullUntilMs = 0;

  constructor(parts: DiskParts) {
    this.parts = parts;
    this.temporary = parts.kind === 'file' ? temporaryStore() : undefined;
    this.file = this.temporary?.file ?? '/simulated/troupe.db';
    this.connection = new Database(this.temporary?.file ?? ':memory:', { timeout: 0 });
    prepareConnection(this.connection, 'create');
    makeSchema(this.connection);
    tellTimes(this.connection, this);
    this.connection.exec(AUDIT_SQL);
    this.lastRow = this.connection.prepare('SELECT max(seq) FROM journal').pluck();
  }

  /** Opens the store for a process. */
  open(opener: Opener): SimulatedStore {
    const isFile = this.parts.kind === 'file';
    const hostLocks = isFile ? hostLockFiles(this.file) : this.simulatedLocks();
    const stepNotes = isFile ? stepNoteFiles(this.file) : this.simulatedNotes();
    return new SimulatedStore(this, opener, this.connect(), { hostLocks, stepNotes });
  }

  /** A connection of a process's own; in memory there is but one. */
  connect(): Connection {
    return this.parts.kind === 'file' ? tellTimes(openFile(this.file), this) : this.connection;
  }

  /** For the triggers of the audit: the wall clock of who writes, and the time that has passed. */
  get wallMs(): number {
    return this.parts.timeline.wallMs + (this.writer?.aheadMs ?? 0);
  }

  get passedMs(): number {
    return this.parts.timeline.passedMs;
  }

  /** Counts commits, so that a process learns of those of others as it does from SQLite. */
  committed(opener: Opener): void {
    this.commits++;
    this.groups.push({ process: opener.number, passedMs: this.passedMs });
    this.ownCommits.set(opener, (this.ownCommits.get(opener) ?? 0) + 1);
  }

  /** Changes when another process has committed. */
  version(opener: Opener): number {
    return this.commits - (this.ownCommits.get(opener) ?? 0);
  }

  /** One occasion for the faults of a transaction's begin: the disk may be full from now on, or another process have the store. */
  disturb(opener: Opener): void {
    this.writer = opener;
    const { timeline, faults, random } = this.parts;
    if (faults.happens('diskFull', opener.name)) {
      this.fullUntilMs = timeline.passedMs + random.whole(...FULL_MS);
    }
    if (faults.happens('busy', opener.name)) {
      const [minMs, maxMs] = random.chance(BUSY_LONG) ? BUSY_LONG_MS : BUSY_MS;
      this.busyUntilMs = timeline.passedMs + random.whole(minMs, maxMs);
    }
  }

  /** Whether another process has the store. */
  get isBusy(): boolean {
    return !this.parts.faults.isOver && this.busyUntilMs > this.parts.timeline.passedMs;
  }

  get isFull(): boolean {
    return !this.parts.faults.isOver && this.fullUntilMs > this.parts.timeline.passedMs;
  }

  /** Rows of the journal. */
  rows(): number {
    return Number(this.lastRow.get() ?? 0);
  }

  /** Steps of actors among them. */
  steps(): number {
    const sql = "SELECT count(*) FROM journal WHERE kind = 'step'";
    return this.connection.prepare(sql).pluck().get() as number;
  }

  close(): void {
    this.connection.close();
    this.temporary?.remove();
  }

  /** Tickets that outlive their process. */
  get tickets(): Tickets {
    const { line } = this;
    return {
      all: () => [...line].sort(),
      place: (ticket) => !line.has(ticket) && line.add(ticket).has(ticket),
      remove: (ticket) => line.delete(ticket),
      close: () => {},
    };
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

  /** Notes that outlive their process. */
  private simulatedNotes(): StepNotes {
    return {
      open: (incarnation) => ({
        write: (step) => this.notes.set(incarnation, step),
        clear: () => this.notes.set(incarnation, undefined),
        close: () => {},
      }),
      read: (incarnation) => this.notes.get(incarnation),
      remove: (incarnation) => {
        this.notes.delete(incarnation);
      },
    };
  }
}

function openFile(file: string): Connection {
  const connection = new Database(file, { timeout: 0 });
  prepareConnection(connection, 'create');
  return connection;
}
