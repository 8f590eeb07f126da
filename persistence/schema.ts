// The schema of the store. Table names are the contract; columns may grow with STORE_SCHEMA.

/** Number of the store's layout, in `PRAGMA user_version`. */
export const STORE_SCHEMA = 3;

/** A layout of the store, and how earlier ones become it. */
export interface Layout {
  readonly schema: number;
  /** SQL that makes one layout the next one, by the number of the earlier one. The earliest is the oldest that is taken. */
  readonly migrations: Readonly<Record<number, string>>;
}

/** Nothing before 3 was released. */
export const LAYOUT: Layout = { schema: STORE_SCHEMA, migrations: {} };

/** Marks a SQLite file as Troupe's, in `PRAGMA application_id`: "Trpe". */
export const APPLICATION_ID = 0x54727065;

export const SCHEMA_SQL = `
CREATE TABLE actors(
  id TEXT PRIMARY KEY,
  machine TEXT NOT NULL,
  machine_version INTEGER NOT NULL,
  parent TEXT,
  child_id TEXT,
  task TEXT,
  host TEXT,
  revision INTEGER NOT NULL,
  status TEXT NOT NULL,
  state TEXT,
  tags TEXT,
  snapshot TEXT,
  armings TEXT,
  input TEXT,
  error TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX actors_by_version ON actors(machine, machine_version);
CREATE INDEX actors_by_parent ON actors(parent) WHERE parent IS NOT NULL;
CREATE INDEX actors_by_host ON actors(host) WHERE host IS NOT NULL;

CREATE TABLE messages(
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT,
  actor TEXT NOT NULL,
  machine TEXT NOT NULL,
  sender TEXT,
  event TEXT NOT NULL,
  kind TEXT NOT NULL,
  ready_at INTEGER NOT NULL,
  incarnation TEXT,
  cause INTEGER,
  held INTEGER NOT NULL DEFAULT 0,
  deaths INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX messages_ready ON messages(machine, ready_at, seq) WHERE held = 0 AND kind <> 'timer';
CREATE INDEX messages_due ON messages(machine, ready_at, seq) WHERE held = 0 AND kind = 'timer';
CREATE INDEX messages_by_actor ON messages(actor, kind);
CREATE INDEX timers_by_sender ON messages(sender, incarnation) WHERE kind = 'timer';

CREATE TABLE journal(
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  actor TEXT NOT NULL,
  revision INTEGER,
  at INTEGER NOT NULL,
  kind TEXT NOT NULL,
  message INTEGER,
  event TEXT,
  origin TEXT,
  incarnation TEXT,
  sender TEXT,
  machine_version INTEGER,
  cause INTEGER,
  effects TEXT,
  state TEXT,
  checkpoint TEXT
) STRICT;
CREATE INDEX journal_by_actor ON journal(actor, seq);

CREATE TABLE calls(
  id TEXT PRIMARY KEY,
  actor TEXT NOT NULL,
  incarnation TEXT NOT NULL,
  source TEXT NOT NULL,
  phase TEXT,
  class TEXT NOT NULL,
  input TEXT,
  attempt INTEGER NOT NULL,
  host TEXT,
  status TEXT NOT NULL,
  ordered_at INTEGER NOT NULL,
  turn INTEGER NOT NULL,
  started_at INTEGER,
  limit_ms INTEGER NOT NULL,
  claim_limit_ms INTEGER NOT NULL,
  cause INTEGER,
  result TEXT
) STRICT;
CREATE INDEX calls_waiting ON calls(source, turn) WHERE status = 'ordered';
CREATE INDEX calls_overdue ON calls(ordered_at + claim_limit_ms) WHERE status = 'ordered';
CREATE INDEX calls_of_host ON calls(host) WHERE status IN ('claimed', 'cancelling');
CREATE INDEX calls_by_actor ON calls(actor);

CREATE TABLE locks(
  resource TEXT PRIMARY KEY,
  actor TEXT NOT NULL,
  mode TEXT NOT NULL,
  since INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE lock_waiters(
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  actor TEXT NOT NULL,
  resources TEXT NOT NULL
) STRICT;

CREATE TABLE receipts(
  scope TEXT NOT NULL,
  key TEXT NOT NULL,
  digest TEXT NOT NULL,
  actor TEXT NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (scope, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE undeliverable(
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  actor TEXT NOT NULL,
  message TEXT NOT NULL,
  reason TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;
CREATE INDEX undeliverable_by_actor ON undeliverable(actor);

CREATE TABLE hosts(
  incarnation TEXT PRIMARY KEY,
  lock_file TEXT NOT NULL,
  inode INTEGER NOT NULL,
  schema INTEGER NOT NULL,
  pid INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  commit_group INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE TABLE meta(key TEXT PRIMARY KEY, value ANY) STRICT, WITHOUT ROWID;
`;
