// Seen: tables that triggers fill, so that what was ever committed is known, and when, whatever the engine says about it.
//
// `after_row` is the last journal row that was there: a message of row 7 was written before the step of row 8 began.

import type { Connection } from '../../../../persistence/index.ts';
import type { Timeline } from '../timeline.ts';

export const AUDIT_SQL = `
CREATE TABLE audit_messages(
  seq INTEGER PRIMARY KEY,
  id TEXT,
  actor TEXT NOT NULL,
  sender TEXT,
  event TEXT NOT NULL,
  kind TEXT NOT NULL,
  ready_at INTEGER NOT NULL,
  incarnation TEXT,
  cause INTEGER,
  after_row INTEGER NOT NULL
) STRICT;
CREATE INDEX audit_by_sender ON audit_messages(sender) WHERE kind = 'call';
CREATE INDEX audit_by_id ON audit_messages(id) WHERE id IS NOT NULL;
CREATE INDEX audit_births ON audit_messages(actor) WHERE kind = 'init';
CREATE TRIGGER audit_message AFTER INSERT ON messages BEGIN
  INSERT OR IGNORE INTO audit_messages(seq, id, actor, sender, event, kind, ready_at, incarnation, cause, after_row)
  VALUES (NEW.seq, NEW.id, NEW.actor, NEW.sender, NEW.event, NEW.kind, NEW.ready_at, NEW.incarnation, NEW.cause,
    (SELECT ifnull(max(seq), 0) FROM journal));
END;

CREATE TABLE audit_removed(seq INTEGER PRIMARY KEY, after_row INTEGER NOT NULL) STRICT;
CREATE TRIGGER audit_removal AFTER DELETE ON messages BEGIN
  INSERT OR REPLACE INTO audit_removed VALUES (OLD.seq, (SELECT ifnull(max(seq), 0) FROM journal));
END;

CREATE TABLE audit_journal(seq INTEGER PRIMARY KEY, wall_at INTEGER NOT NULL, passed_at INTEGER NOT NULL) STRICT;
CREATE TRIGGER audit_row AFTER INSERT ON journal BEGIN
  INSERT INTO audit_journal VALUES (NEW.seq, simulated_wall_ms(), simulated_passed_ms());
END;

CREATE TABLE audit_calls(
  position INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  source TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  before TEXT NOT NULL,
  status TEXT NOT NULL,
  host TEXT,
  is_host_there INTEGER NOT NULL,
  turn INTEGER NOT NULL,
  turn_waiting INTEGER,
  claim_late_ms INTEGER NOT NULL,
  passed_at INTEGER NOT NULL
) STRICT;
CREATE TRIGGER audit_call AFTER UPDATE OF status ON calls BEGIN
  INSERT INTO audit_calls(id, source, attempt, before, status, host, is_host_there, turn, turn_waiting, claim_late_ms, passed_at)
  VALUES (NEW.id, NEW.source, NEW.attempt, OLD.status, NEW.status, ifnull(NEW.host, OLD.host),
    EXISTS (SELECT 1 FROM hosts WHERE incarnation = ifnull(NEW.host, OLD.host)), NEW.turn,
    (SELECT min(turn) FROM calls WHERE source = NEW.source AND status = 'ordered'),
    simulated_wall_ms() - NEW.ordered_at - NEW.claim_limit_ms, simulated_passed_ms());
END;

CREATE TABLE audit_undeliverable(seq INTEGER PRIMARY KEY, status TEXT) STRICT;
CREATE TRIGGER audit_refusal AFTER INSERT ON undeliverable BEGIN
  INSERT INTO audit_undeliverable VALUES (NEW.seq, (SELECT status FROM actors WHERE id = NEW.actor));
END;

CREATE TABLE audit_hosts(incarnation TEXT PRIMARY KEY, passed_at INTEGER NOT NULL) STRICT;
CREATE TRIGGER audit_host AFTER INSERT ON hosts BEGIN
  INSERT INTO audit_hosts VALUES (NEW.incarnation, simulated_passed_ms());
END;
`;

/** Gives a connection the times for which the triggers ask: each one that writes needs them. @returns the connection. */
export function tellTimes(
  connection: Connection,
  times: Pick<Timeline, 'wallMs' | 'passedMs'>,
): Connection {
  connection.function('simulated_wall_ms', () => times.wallMs);
  connection.function('simulated_passed_ms', () => times.passedMs);
  return connection;
}

export interface SeenMessage {
  readonly seq: number;
  readonly id: string | null;
  readonly actor: string;
  readonly sender: string | null;
  readonly event: string;
  readonly kind: 'event' | 'init' | 'timer' | 'call' | 'actor';
  readonly ready_at: number;
  readonly incarnation: string | null;
  readonly cause: number | null;
  readonly after_row: number;
}

/** One change of a call's status. */
export interface SeenCall {
  readonly position: number;
  readonly id: string;
  readonly source: string;
  readonly attempt: number;
  readonly before: string;
  readonly status: string;
  /** The host that had claimed it. */
  readonly host: string | null;
  /** Whether that host was registered then: so it was its own doing. */
  readonly is_host_there: 0 | 1;
  readonly turn: number;
  /** The first turn among those of its source that wait then. */
  readonly turn_waiting: number | null;
  /** How long its claim limit is over. Milliseconds; negative while it is not. */
  readonly claim_late_ms: number;
  /** Milliseconds that had passed. */
  readonly passed_at: number;
}
