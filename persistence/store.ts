// Store: one writer connection, its tables and its transactions.
//
// K2  what belongs together is written between begin() and commit(), or not at all.
// K3  commit() returns after the sync.
// V4  nothing but SQLite opens the database and its WAL in this process: closing any other descriptor of them would
//     drop SQLite's locks.

import { type Connection, type OpenMode, openConnection } from './connection.ts';
import { type HostLocks, hostLockFiles } from './liveness.ts';
import { isBusy } from './storage-error.ts';
import { ActorsTable } from './tables/actors.ts';
import { CallsTable } from './tables/calls.ts';
import { HostsTable } from './tables/hosts.ts';
import { JournalTable } from './tables/journal.ts';
import { MessagesTable } from './tables/messages.ts';
import { ReceiptsTable } from './tables/receipts.ts';
import { type Waiting, WaitingFile } from './waiting-file.ts';

/** What a store is made of. A simulation brings parts of its own. */
export interface StoreParts {
  readonly file: string;
  readonly connection: Connection;
  readonly waiting: Waiting;
  readonly hostLocks: HostLocks;
}

export class Store {
  readonly file: string;
  readonly connection: Connection;
  readonly waiting: Waiting;
  readonly hostLocks: HostLocks;
  readonly actors: ActorsTable;
  readonly messages: MessagesTable;
  readonly journal: JournalTable;
  readonly calls: CallsTable;
  readonly receipts: ReceiptsTable;
  readonly hosts: HostsTable;
  private readonly statements;

  /** @throws {TroupeError} see `openConnection`. */
  static open(file: string, mode: OpenMode): Store {
    return new Store({
      file,
      connection: openConnection(file, mode),
      waiting: new WaitingFile(file),
      hostLocks: hostLockFiles(file),
    });
  }

  protected constructor({ file, connection, waiting, hostLocks }: StoreParts) {
    this.file = file;
    this.connection = connection;
    this.waiting = waiting;
    this.hostLocks = hostLocks;
    this.actors = new ActorsTable(connection);
    this.messages = new MessagesTable(connection);
    this.journal = new JournalTable(connection);
    this.calls = new CallsTable(connection);
    this.receipts = new ReceiptsTable(connection);
    this.hosts = new HostsTable(connection);
    this.statements = {
      begin: connection.prepare('BEGIN IMMEDIATE'),
      beginRead: connection.prepare('BEGIN DEFERRED'),
      commit: connection.prepare('COMMIT'),
      rollback: connection.prepare('ROLLBACK'),
      savepoint: connection.prepare('SAVEPOINT step'),
      release: connection.prepare('RELEASE step'),
      undo: connection.prepare('ROLLBACK TO step'),
      dataVersion: connection.prepare('PRAGMA data_version').pluck(),
      getMeta: connection.prepare('SELECT value FROM meta WHERE key = ?').pluck(),
      setMeta: connection.prepare(
        'INSERT INTO meta(key, value) VALUES (?, ?) ON CONFLICT(key) DO UPDATE SET value = excluded.value',
      ),
    };
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

  /** Runs a part of a transaction that is undone alone when it throws. Does not nest. */
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

  getMeta(key: string): number | string | undefined {
    return (this.statements.getMeta.get(key) as number | string | null) ?? undefined;
  }

  setMeta(key: string, value: number | string): void {
    this.statements.setMeta.run(key, value);
  }

  close(): void {
    if (this.connection.open) this.connection.close();
  }
}
