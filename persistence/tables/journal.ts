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
  VALUES (@actor, @revision, @atMs, @kind, @message, @event, @origin, @incarnation, @sender, @machineVersion,
    @cause, @effects, @state, @checkpoint)`;

export class JournalTable {
  private readonly statements;

  constructor(connection: Connection) {
    this.statements = {
      append: connection.prepare(APPEND),
      ofActor: connection.prepare(
        'SELECT * FROM journal WHERE actor = ? AND seq > ? ORDER BY seq LIMIT ?',
      ),
      interventions: connection.prepare(
        "SELECT * FROM journal WHERE actor = ? AND kind = 'intervention' ORDER BY seq DESC LIMIT ?",
      ),
      last: connection.prepare('SELECT max(seq) FROM journal').pluck(),
    };
  }

  append(row: NewJournalRow): number {
    const { lastInsertRowid } = this.statements.append.run({
      ...row,
      revision: row.revision ?? null,
      message: row.message ?? null,
      event: row.event ?? null,
      origin: row.origin ?? null,
      incarnation: row.incarnation ?? null,
      sender: row.sender ?? null,
      machineVersion: row.machineVersion ?? null,
      cause: row.cause ?? null,
      effects: row.effects ?? null,
      state: row.state ?? null,
      checkpoint: row.checkpoint ?? null,
    });
    return Number(lastInsertRowid);
  }

  ofActor(actor: string, after: number, limit: number): JournalRow[] {
    return this.statements.ofActor.all(actor, after, limit) as JournalRow[];
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
