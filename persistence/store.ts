// Store: one writer connection, its tables and its transactions.
//
// K2  what belongs together is written between begin() and commit(), or not at all.
// K3  commit() returns after the sync.
// V4  nothing but SQLite opens the database and its WAL in this process: closing any other descriptor of them would
//     drop SQLite's locks.

import { type Connection, type OpenMode, openConnection } from './connection.ts';
import { TroupeError } from './errors.ts';
import { type HostLocks, hostLockFiles } from './liveness.ts';
import { LAYOUT, type Layout } from './schema.ts';
import { type StepNotes, stepNoteFiles } from './step-note.ts';
import { asStorageError, isBusy } from './storage-error.ts';
import { OpenedFiles, type StoreFiles } from './store-files.ts';
import { ActorsTable } from './tables/actors.ts';
import { CallsTable } from './tables/calls.ts';
import { HostsTable } from './tables/hosts.ts';
import { JournalTable } from './tables/journal.ts';
import { MessagesTable } from './tables/messages.ts';
import { ReceiptsTable } from './tables/receipts.ts';
import { TicketFiles } from './ticket-files.ts';
import { WaitingLine } from './waiting-line.ts';

/** What a store is made of. A simulation brings parts of its own. */
export interface StoreParts {
  readonly file: string;
  readonly connection: Connection;
  readonly waiting: WaitingLine;
  readonly hostLocks: HostLocks;
  readonly stepNotes: StepNotes;
  readonly files: StoreFiles;
  /** Opens another connection to the same store. @throws {TroupeError} see `openConnection`. */
  readonly reopen: () => Connection;
  /** The number of the layout that this process writes; default: `STORE_SCHEMA`. */
  readonly schema?: number;
}

export class Store {
  readonly file: string;
  readonly waiting: WaitingLine;
  readonly hostLocks: HostLocks;
  readonly stepNotes: StepNotes;
  readonly files: StoreFiles;
  readonly schema: number;
  connection!: Connection;
  actors!: ActorsTable;
  messages!: MessagesTable;
  journal!: JournalTable;
  calls!: CallsTable;
  receipts!: ReceiptsTable;
  hosts!: HostsTable;
  private statements!: Statements;
  private readonly openAgain: () => Connection;

  /** @throws {TroupeError} see `openConnection`. */
  static open(file: string, mode: OpenMode, layout: Layout = LAYOUT): Store {
    const connection = openConnection(file, mode, layout);
    return new Store({
      file,
      connection,
      waiting: new WaitingLine(new TicketFiles(file)),
      hostLocks: hostLockFiles(file),
      stepNotes: stepNoteFiles(file),
      files: new OpenedFiles(file),
      reopen: () => openConnection(file, mode === 'create' ? 'existing' : mode, layout),
      schema: layout.schema,
    });
  }

  protected constructor(parts: StoreParts) {
    const { file, connection, waiting, hostLocks, stepNotes, files, reopen, schema } = parts;
    this.file = file;
    this.waiting = waiting;
    this.hostLocks = hostLocks;
    this.stepNotes = stepNotes;
    this.files = files;
    this.schema = schema ?? LAYOUT.schema;
    this.openAgain = reopen;
    this.attach(connection);
  }

  /**
   * Goes on with another connection: the one before may be in a state that nobody knows (V7). It is opened before the other
   * is closed, so that the WAL and its index stay those that they are. @throws {TroupeError} `storage_unavailable` and see
   * `openConnection`; then the old connection stays.
   */
  reopen(): void {
    const before = this.connection;
    const connection = this.openedAgain();
    if (connection === before) return;
    this.attach(connection);
    before.close();
  }

  /** What was open once and cannot be opened is away for now, whatever SQLite calls it. */
  private openedAgain(): Connection {
    try {
      return this.openAgain();
    } catch (error) {
      const isAway = error instanceof TroupeError && error.code === 'store_not_writable';
      throw isAway ? asStorageError(error.cause, this.file) : error;
    }
  }

  protected attach(connection: Connection): void {
    this.connection = connection;
    this.actors = new ActorsTable(connection);
    this.messages = new MessagesTable(connection);
    this.journal = new JournalTable(connection);
    this.calls = new CallsTable(connection);
    this.receipts = new ReceiptsTable(connection);
    this.hosts = new HostsTable(connection);
    this.statements = prepareStatements(connection);
  }

  /** Begins a writing transaction; false when another connection holds one. Never waits. */
  begin(): boolean {
    try {
      this.statements.begin.run();
      return true;
    } catch (error) {
      if (isBusy(error)) return false;
      throw error;
    }
  }

  /** Runs reads that belong together: all of them see the store at one moment. */
  read<T>(look: () => T): T {
    if (this.connection.inTransaction) return look();
    this.statements.beginRead.run();
    try {
      return look();
    } finally {
      this.rollback();
    }
  }

  commit(): void {
    this.statements.commit.run();
  }

  /** Undoes the transaction, if SQLite has not done so itself. */
  rollback(): void {
    if (this.connection.inTransaction) this.statements.rollback.run();
  }

  /** Runs a part of a transaction that is undone alone when it throws. Nests: SQLite ends the innermost first. */
  savepoint<T>(run: () => T): T {
    this.statements.savepoint.run();
    try {
      const result = run();
      this.statements.release.run();
      return result;
    } catch (error) {
      // SQLite may have undone the whole transaction already (disk full, I/O error).
      if (this.connection.inTransaction) {
        this.statements.undo.run();
        this.statements.release.run();
      }
      throw error;
    }
  }

  /** Changes when another connection has committed; own commits leave it as it is. */
  dataVersion(): number {
    return this.statements.dataVersion.get() as number;
  }

  /**
   * To be asked in the transaction that writes: another process may have migrated the store since it was opened (G3).
   * @throws {TroupeError} `store_schema`.
   */
  requireSchema(): void {
    const found = this.statements.schema.get() as number;
    if (found === this.schema) return;
    throw new TroupeError(
      'store_schema',
      `${this.file} has been migrated to layout ${found} since this process opened it with ${this.schema}. Start it again with that Troupe.`,
      { details: { file: this.file, found, expected: this.schema } },
    );
  }

  getMeta(key: string): number | string | undefined {
    return (this.statements.getMeta.get(key) as number | string | null) ?? undefined;
  }

  setMeta(key: string, value: number | string): void {
    this.statements.setMeta.run(key, value);
  }

  /**
   * Moves what the WAL holds into the database file and empties it, unless somebody reads or writes. Never waits.
   * @returns whether the WAL is empty now.
   */
  emptyWal(): boolean {
    const [result] = this.connection.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[];
    const isEmpty = result?.busy === 0;
    // Or the last look at its size would hold up every write to come.
    if (isEmpty) this.files.walEmptied();
    return isEmpty;
  }

  /**
   * Moves what the WAL holds into the database file as far as readers allow, and syncs both. What an earlier sync failed to
   * write is written again by this, while a mere sync of the WAL could leave it out.
   * Source: https://wiki.postgresql.org/wiki/Fsync_Errors (Linux marks the pages of a failed fsync clean).
   */
  checkpoint(): void {
    this.connection.pragma('wal_checkpoint(PASSIVE)');
  }

  close(): void {
    this.waiting.close();
    if (this.connection.open) this.connection.close();
  }
}

type Statements = ReturnType<typeof prepareStatements>;

function prepareStatements(connection: Connection) {
  return {
    begin: connection.prepare('BEGIN IMMEDIATE'),
    beginRead: connection.prepare('BEGIN DEFERRED'),
    commit: connection.prepare('COMMIT'),
    rollback: connection.prepare('ROLLBACK'),
    savepoint: connection.prepare('SAVEPOINT step'),
    release: connection.prepare('RELEASE step'),
    undo: connection.prepare('ROLLBACK TO step'),
    schema: connection.prepare('PRAGMA user_version').pluck(),
    dataVersion: connection.prepare('PRAGMA data_version').pluck(),
    getMeta: connection.prepare('SELECT value FROM meta WHERE key = ?').pluck(),
    setMeta: connection.prepare(
      'INSERT INTO meta(key, value) VALUES (?, ?) ON CONFLICT(key) DO UPDATE SET value = excluded.value',
    ),
  };
}
