// The journal table: append-only, one row for each step and for what an operator must be able to see (J1).

import type { ActorAddress } from '../address.ts';
import type { Connection } from '../connection.ts';
import type { JournalKind, JournalRow, MessageKind } from '../rows.ts';

export interface NewJournalRow {
  readonly actor: ActorAddress;
  readonly revision: number | undefined;
  readonly atMs: number;
  readonly kind: JournalKind;
  readonly message?: number | undefined;
  readonly event: string | undefined;
  /** What brought the event: with it and the incarnation a replay decides as the step did (J2). */
  readonly origin?: MessageKind | undefined;
  readonly incarnation?: string | undefined;
  readonly sender?: string | undefined;
  readonly machineVersion?: number | undefined;
  readonly cause: number | undefined;
  readonly effects?: string | undefined;
  readonly state?: string | undefined;
  readonly checkpoint?: string | undefined;
}

const APPEND = `INSERT INTO journal(actor, revision, at, kind, message, event, origin, incarnation, sender, machine_version,
    cause, effects, state, checkpoint)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

/** The first row that tells of a birth or of a revision: where the journal of an actor opens. */
const OPENING = `SELECT * FROM journal WHERE actor = ? AND (revision IS NOT NULL OR origin = 'init')
  ORDER BY seq LIMIT 1`;

/** Walks back from the newest row: at most as many rows as there are between two checkpoints, or back to the one asked for. */
const CHECKPOINT_BEFORE = `SELECT * FROM journal WHERE actor = @actor AND checkpoint IS NOT NULL
  AND machine_version = @version AND revision <= @revision ORDER BY seq DESC LIMIT 1`;

const OLDEST_CHECKPOINT = `SELECT * FROM journal WHERE actor = ? AND checkpoint IS NOT NULL
  AND machine_version = ? ORDER BY seq LIMIT 1`;

/** Rows that may hold the orders of these revisions: their steps, and the birth of a fork, which orders anew. */
const ORDERING = `SELECT * FROM journal WHERE actor = @actor AND effects IS NOT NULL AND revision <= @revision
  AND (kind = 'intervention' OR revision IN (SELECT value FROM json_each(@revisions))) ORDER BY seq`;

export class JournalTable {
  private readonly statements;

  constructor(connection: Connection) {
    this.statements = {
      append: connection.prepare(APPEND),
      ofActor: connection.prepare(
        'SELECT * FROM journal WHERE actor = ? AND seq > ? ORDER BY seq LIMIT ?',
      ),
      opening: connection.prepare(OPENING),
      checkpointBefore: connection.prepare(CHECKPOINT_BEFORE),
      oldestCheckpoint: connection.prepare(OLDEST_CHECKPOINT),
      ordering: connection.prepare(ORDERING),
      lastOf: connection.prepare('SELECT max(seq) FROM journal WHERE actor = ?').pluck(),
      interventions: connection.prepare(
        "SELECT * FROM journal WHERE actor = ? AND kind = 'intervention' ORDER BY seq DESC LIMIT ?",
      ),
      last: connection.prepare('SELECT max(seq) FROM journal').pluck(),
    };
  }

  append(row: NewJournalRow): number {
    const { lastInsertRowid } = this.statements.append.run(
      row.actor,
      row.revision,
      row.atMs,
      row.kind,
      row.message,
      row.event,
      row.origin,
      row.incarnation,
      row.sender,
      row.machineVersion,
      row.cause,
      row.effects,
      row.state,
      row.checkpoint,
    );
    return Number(lastInsertRowid);
  }

  ofActor(actor: string, after: number, limit: number): JournalRow[] {
    return this.statements.ofActor.all(actor, after, limit) as JournalRow[];
  }

  /** The first row that tells of an actor's birth, or of a revision. */
  opening(actor: string): JournalRow | undefined {
    return this.statements.opening.get(actor) as JournalRow | undefined;
  }

  /** The newest checkpoint of a machine's version that was written at or before a revision. */
  checkpointBefore(actor: string, version: number, revision: number): JournalRow | undefined {
    const found = this.statements.checkpointBefore.get({ actor, version, revision });
    return found as JournalRow | undefined;
  }

  oldestCheckpoint(actor: string, version: number): JournalRow | undefined {
    return this.statements.oldestCheckpoint.get(actor, version) as JournalRow | undefined;
  }

  /** Rows up to a revision among which are those that ordered what was armed at these revisions. */
  ordering(actor: string, revision: number, armedAt: readonly number[]): JournalRow[] {
    const revisions = JSON.stringify(armedAt);
    return this.statements.ordering.all({ actor, revision, revisions }) as JournalRow[];
  }

  /** The sequence number of an actor's newest row; 0 when there is none. */
  lastOf(actor: string): number {
    return (this.statements.lastOf.get(actor) as number | null) ?? 0;
  }

  /** Newest first. Looks through the actor's rows until it has found as many. */
  interventions(actor: string, limit: number): JournalRow[] {
    return this.statements.interventions.all(actor, limit) as JournalRow[];
  }

  /** The sequence number of the newest row; 0 when there is none. */
  last(): number {
    return (this.statements.last.get() as number | null) ?? 0;
  }
}
