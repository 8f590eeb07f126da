// Connection: opens a SQLite file as Troupe's store, or says why not. It never re-creates a file over data (V8).

import { existsSync, lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import Database from 'better-sqlite3';
import { TroupeError } from './errors.ts';
import { probeHost } from './liveness.ts';
import { requireLocal } from './local-file-system.ts';
import type { HostRow } from './rows.ts';
import { APPLICATION_ID, LAYOUT, type Layout, SCHEMA_SQL, STORE_SCHEMA } from './schema.ts';
import { asStorageError, isBusy, sqliteCode } from './storage-error.ts';

export type Connection = Database.Database;

/** `create` makes a missing store; `existing` refuses one; `readonly` neither writes nor creates. */
export type OpenMode = 'create' | 'existing' | 'readonly';

/**
 * Opens a store: WAL, synchronous=FULL, foreign keys, no busy wait (K3, DESIGN). With `create` a store of an earlier layout
 * is migrated, when no host of it is alive (G3).
 * @throws {TroupeError} `store_missing`, `store_not_local`, `store_not_writable`, `store_damaged`, `store_schema`, `storage_busy`,
 * `storage_unavailable`, each with the way out.
 */
export function openConnection(file: string, mode: OpenMode, layout: Layout = LAYOUT): Connection {
  requireFile(file, mode);
  requireLocal(file);
  let connection: Connection | undefined;
  try {
    connection = new Database(file, {
      timeout: 0,
      readonly: mode === 'readonly',
      fileMustExist: mode !== 'create',
    });
    // Judged first: a file of somebody else must not even get another journal mode (V8).
    const found = atOneMoment(connection, (own) => judge(own, file, mode, layout));
    prepareConnection(connection, mode);
    if (found === 'new') makeSchema(connection);
    if (found === 'earlier') migrateLayout(connection, file, layout);
    if (mode !== 'readonly') requireWritable(connection);
    return connection;
  } catch (error) {
    connection?.close();
    throw explain(error, file);
  }
}

/** Links that lead to one another before they count as a circle. As Linux does. */
const LINKS_MAX = 40;

/** The one path of a store, whatever links and relative names lead to it. The file need not exist. */
export function canonicalPath(file: string, linksLeft = LINKS_MAX): string {
  const absolute = resolve(file);
  if (existsSync(absolute)) return realpathSync(absolute);
  const folder = dirname(absolute);
  if (!existsSync(folder)) return absolute;
  const path = join(realpathSync(folder), basename(absolute));
  // A link may be there before its store: SQLite makes the file at its other end.
  if (linksLeft === 0 || !isLink(path)) return path;
  return canonicalPath(resolve(dirname(path), readlinkSync(path)), linksLeft - 1);
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
}

function requireFile(file: string, mode: OpenMode): void {
  const folder = dirname(file);
  if (!existsSync(folder)) {
    throw new TroupeError(
      'store_missing',
      `The folder ${folder} does not exist. Make it, or name another place with --store.`,
      { details: { file } },
    );
  }
  if (mode !== 'create' && !existsSync(file)) {
    throw new TroupeError(
      'store_missing',
      `There is no store at ${file}. Start a host first (troupe run …), or name the store with --store.`,
      { details: { file } },
    );
  }
  if (existsSync(file) && !statSync(file).isFile()) {
    throw new TroupeError('store_damaged', `${file} is not a file. Name a file with --store.`, {
      details: { file },
    });
  }
}

/** Pages in the WAL after which a commit moves them into the database: 16 MiB, half of what a writer takes for large (V10). */
const CHECKPOINT_PAGES = 4_096;

/**
 * better-sqlite3 falls to synchronous=NORMAL in WAL mode by itself after the first write, so FULL is set by hand.
 * Source: shared facts, and SQLITE_DEFAULT_WAL_SYNCHRONOUS=1 in better-sqlite3's build.
 */
export function prepareConnection(connection: Connection, mode: OpenMode): void {
  if (mode === 'create') connection.pragma('journal_mode = WAL');
  connection.pragma('synchronous = FULL');
  connection.pragma('fullfsync = ON');
  connection.pragma('foreign_keys = ON');
  connection.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
}

/** Two processes may make a store at the same time: what is read of it must be of before that, or of after it. */
function atOneMoment<T>(connection: Connection, look: (connection: Connection) => T): T {
  connection.exec('BEGIN');
  try {
    return look(connection);
  } finally {
    connection.exec('ROLLBACK');
  }
}

function judge(
  connection: Connection,
  file: string,
  mode: OpenMode,
  layout: Layout,
): 'store' | 'new' | 'earlier' {
  const found = versionOf(connection);
  if (found.application === APPLICATION_ID) {
    if (found.schema === layout.schema) return 'store';
    if (layout.migrations[found.schema] !== undefined && mode === 'create') return 'earlier';
  }
  const isUnmarked = found.application === 0 && found.schema === 0;
  if (isUnmarked && mode === 'create' && isEmpty(connection)) return 'new';
  throw schemaError(file, found, layout);
}

/** Refused: by whom this store was written, and what to do. */
function schemaError(file: string, found: FileVersion, layout: Layout): TroupeError {
  return new TroupeError('store_schema', explainSchema(file, found, layout), {
    details: { file, found: found.schema, expected: layout.schema },
  });
}

/** SQLite opens a file that it may not write for reading, and says so at the first write. Busy is writable. */
function requireWritable(connection: Connection): void {
  try {
    connection.exec('DELETE FROM meta WHERE false');
  } catch (error) {
    if (!isBusy(error)) throw error;
  }
}

interface FileVersion {
  readonly application: number;
  readonly schema: number;
}

function versionOf(connection: Connection): FileVersion {
  return {
    application: connection.pragma('application_id', { simple: true }) as number,
    schema: connection.pragma('user_version', { simple: true }) as number,
  };
}

function isEmpty(connection: Connection): boolean {
  return connection.prepare('SELECT count(*) FROM sqlite_schema').pluck().get() === 0;
}

/** Two processes may find an empty file at the same time: who comes second finds it made. */
export function makeSchema(connection: Connection): void {
  connection.exec('BEGIN IMMEDIATE');
  try {
    if (isEmpty(connection)) {
      connection.exec(SCHEMA_SQL);
      connection.pragma(`application_id = ${APPLICATION_ID}`);
      connection.pragma(`user_version = ${STORE_SCHEMA}`);
    }
    connection.exec('COMMIT');
  } catch (error) {
    if (connection.inTransaction) connection.exec('ROLLBACK');
    throw error;
  }
}

/**
 * One transaction: from the earlier layout to this one, or nothing. Who opened the store before and has no row yet is refused
 * when it registers. @throws {TroupeError} `store_schema` while a host is alive, or not proven dead.
 */
function migrateLayout(connection: Connection, file: string, layout: Layout): void {
  connection.exec('BEGIN IMMEDIATE');
  try {
    requireNoHost(connection, file);
    let { schema } = versionOf(connection);
    for (; schema < layout.schema; schema++) {
      const sql = layout.migrations[schema];
      if (sql === undefined) throw schemaError(file, versionOf(connection), layout);
      connection.exec(sql);
    }
    connection.pragma(`user_version = ${schema}`);
    connection.exec('COMMIT');
  } catch (error) {
    if (connection.inTransaction) connection.exec('ROLLBACK');
    throw error;
  }
}

function requireNoHost(connection: Connection, file: string): void {
  const hosts = connection.prepare('SELECT * FROM hosts').all() as HostRow[];
  const other = hosts.find((host) => probeHost(host) !== 'dead');
  if (other === undefined) return;
  throw new TroupeError(
    'store_schema',
    `${file} has an earlier layout, and it is migrated only while no other host is alive: stop host ${other.incarnation} (process ${other.pid}) first.`,
    { details: { file, host: other.incarnation, pid: other.pid } },
  );
}

function explainSchema(file: string, found: FileVersion, { schema, migrations }: Layout): string {
  if (found.application !== APPLICATION_ID) {
    return `${file} is a SQLite database, but not a store of Troupe. It was left as it is; name another file with --store.`;
  }
  if (found.schema > schema) {
    return `${file} was written by a newer Troupe (layout ${found.schema}; this one knows ${schema}). Update troupe.`;
  }
  return migrations[found.schema] === undefined
    ? `${file} has layout ${found.schema}, which this Troupe (${schema}) cannot migrate.`
    : `${file} has the earlier layout ${found.schema}. A host of this Troupe (${schema}) migrates it when it opens it: start one first (troupe run …).`;
}

function explain(error: unknown, file: string): unknown {
  if (error instanceof TroupeError) return error;
  const details = { file };
  switch (sqliteCode(error)) {
    case 'SQLITE_NOTADB':
      return new TroupeError(
        'store_damaged',
        `${file} is not a SQLite database. It was left as it is: move it away, or name another file with --store.`,
        { cause: error, details },
      );
    case 'SQLITE_CANTOPEN':
    case 'SQLITE_READONLY':
    case 'SQLITE_READONLY_DIRECTORY':
    case 'SQLITE_READONLY_DBMOVED':
      return new TroupeError(
        'store_not_writable',
        `The store ${file} cannot be written: the folder must allow this user to create files beside it (-wal, -shm, a host's lock). Change the permissions, or name another place with --store.`,
        { cause: error, details },
      );
    default:
      return asStorageError(error, file);
  }
}
