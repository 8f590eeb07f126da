// Messages seen: tables that triggers fill, so that every message which was ever committed is known, and the time at which
// each journal row was written, whatever the engine says about them.

/** The SQL function that the triggers ask for the simulated wall clock: every connection needs it. */
export const WALL_FUNCTION = 'simulated_wall_ms';

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
  cause INTEGER
) STRICT;
CREATE INDEX audit_by_sender ON audit_messages(sender) WHERE kind = 'call';
CREATE INDEX audit_by_id ON audit_messages(id) WHERE id IS NOT NULL;
CREATE INDEX audit_births ON audit_messages(actor) WHERE kind = 'init';
CREATE TRIGGER audit_message AFTER INSERT ON messages BEGIN
  INSERT OR IGNORE INTO audit_messages(seq, id, actor, sender, event, kind, ready_at, incarnation, cause)
  VALUES (NEW.seq, NEW.id, NEW.actor, NEW.sender, NEW.event, NEW.kind, NEW.ready_at, NEW.incarnation, NEW.cause);
END;
CREATE TABLE audit_journal(seq INTEGER PRIMARY KEY, wall_at INTEGER NOT NULL) STRICT;
CREATE TRIGGER audit_row AFTER INSERT ON journal BEGIN
  INSERT INTO audit_journal VALUES (NEW.seq, ${WALL_FUNCTION}());
END;
`;

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
}
