// Inspection: the questions of `troupe doctor` to a store. They read, each in a transaction of its own, and write nothing.

import type { ActorAddress } from './address.ts';
import type { Connection } from './connection.ts';
import type { MessageRow } from './rows.ts';

/** Rows that a question names at most; it counts no further. */
export const NAMED_MAX = 1_000;

/** Open calls of one source. Times are milliseconds since 1970. */
export interface OpenCalls {
  readonly source: string;
  readonly ordered: number;
  readonly claimed: number;
  readonly cancelling: number;
  readonly oldestMs: number;
}

/** How many actors of a machine can still move, by version. */
export interface LiveActors {
  readonly machine: string;
  readonly version: number;
  readonly active: number;
  readonly stuck: number;
}

/** What waits to be stepped: how much, and the row that waits the longest. */
export interface WaitingRows {
  readonly count: number;
  readonly oldest: Pick<MessageRow, 'seq' | 'actor' | 'ready_at'> | undefined;
}

const LIVE = "status IN ('active', 'stuck')";
const NOT_LIVE = "status NOT IN ('active', 'stuck')";
const OPEN = "status IN ('ordered', 'claimed', 'cancelling')";
const NO_JSON = (column: string) => `(${column} IS NULL OR NOT json_valid(${column}))`;

/** Questions that name rows which should not be there. Each selects one column of text. */
const NAMED = {
  /** Live actors whose stored form no host can read. */
  damagedActors: `SELECT id FROM actors WHERE ${LIVE} AND revision > 0
    AND (${NO_JSON('snapshot')} OR ${NO_JSON('armings')} OR ${NO_JSON('state')})`,
  unknownStatus: `SELECT id FROM actors WHERE status NOT IN ('active', 'done', 'error', 'stopped', 'stuck')`,
  damagedMessages: `SELECT actor || ' message ' || seq FROM messages WHERE NOT json_valid(event)`,
  /** Timers aside: one that another actor has armed may be due to somebody who is not there yet, or any more. */
  orphanMessages: `SELECT messages.actor || ' message ' || seq FROM messages LEFT JOIN actors ON actors.id = messages.actor
    WHERE kind <> 'timer' AND (actors.id IS NULL OR actors.${NOT_LIVE})`,
  /** A mailbox that is held although nobody parked its actor: it could not be parked (V1). */
  heldMailboxes: `SELECT DISTINCT actor FROM messages JOIN actors ON actors.id = messages.actor
    WHERE held = 1 AND status = 'active'`,
  /** Nothing will ever give birth to them. */
  unborn: `SELECT id FROM actors WHERE ${LIVE} AND revision = 0
    AND NOT EXISTS (SELECT 1 FROM messages WHERE actor = actors.id AND kind = 'init')`,
  orphanCalls: `SELECT calls.id FROM calls LEFT JOIN actors ON actors.id = calls.actor
    WHERE calls.status IN ('ordered', 'claimed') AND (actors.id IS NULL OR actors.${NOT_LIVE})`,
  callsWithoutHost: `SELECT id FROM calls WHERE status IN ('claimed', 'cancelling')
    AND (host IS NULL OR host NOT IN (SELECT incarnation FROM hosts))`,
  /** Live children of a parent that is not there, or takes no step any more: nobody waits for them. */
  orphanChildren: `SELECT child.id FROM actors AS child LEFT JOIN actors AS parent ON parent.id = child.parent
    WHERE child.parent IS NOT NULL AND child.${LIVE} AND (parent.id IS NULL OR parent.${NOT_LIVE})`,
  stuck: `SELECT id FROM actors WHERE status = 'stuck'`,
} as const;

export type NamedQuestion = keyof typeof NAMED;

export class Inspection {
  private readonly connection: Connection;

  constructor(connection: Connection) {
    this.connection = connection;
  }

  /**
   * What SQLite finds wrong in its own structures; empty when nothing is. The whole file, or, table by table, without
   * its list of free pages: no read transaction is then longer than one table takes.
   */
  problems(how: 'whole' | 'byTable'): string[] {
    const pragmas =
      how === 'whole'
        ? ['integrity_check']
        : this.tables().map((name) => `integrity_check(${name})`);
    return pragmas
      .flatMap((pragma) => this.connection.pragma(pragma) as { readonly integrity_check: string }[])
      .map(({ integrity_check }) => integrity_check)
      .filter((line) => line !== 'ok');
  }

  /** The rows that a question names, in no order. */
  named(question: NamedQuestion): string[] {
    return this.connection
      .prepare(`${NAMED[question]} LIMIT ${NAMED_MAX}`)
      .pluck()
      .all() as string[];
  }

  openCalls(): OpenCalls[] {
    return this.connection
      .prepare(
        `SELECT source, sum(status = 'ordered') AS ordered, sum(status = 'claimed') AS claimed,
           sum(status = 'cancelling') AS cancelling, min(ordered_at) AS oldestMs
         FROM calls WHERE ${OPEN} GROUP BY source ORDER BY source`,
      )
      .all() as OpenCalls[];
  }

  liveActors(): LiveActors[] {
    return this.connection
      .prepare(
        `SELECT machine, machine_version AS version, sum(status = 'active') AS active, sum(status = 'stuck') AS stuck
         FROM actors WHERE ${LIVE} GROUP BY machine, machine_version ORDER BY machine, machine_version`,
      )
      .all() as LiveActors[];
  }

  /** Messages that could be stepped now. */
  waitingMessages(): WaitingRows {
    return this.waiting("held = 0 AND kind <> 'timer' AND ready_at <= ?", Number.MAX_SAFE_INTEGER);
  }

  /** Timers that are due and were not stepped. */
  overdueTimers(nowMs: number): WaitingRows {
    return this.waiting("held = 0 AND kind = 'timer' AND ready_at <= ?", nowMs);
  }

  undeliverable(): number {
    return this.connection.prepare('SELECT count(*) FROM undeliverable').pluck().get() as number;
  }

  /** A birth is ready at time 0: the actor tells since when it waits. */
  private waiting(where: string, untilMs: number): WaitingRows {
    const from = `FROM messages LEFT JOIN actors ON actors.id = messages.actor WHERE ${where}`;
    const count = this.connection.prepare(`SELECT count(*) ${from}`).pluck().get(untilMs) as number;
    const oldest = this.connection
      .prepare(
        `SELECT seq, actor, max(ready_at, CASE kind WHEN 'init' THEN created_at ELSE 0 END) AS ready_at
         ${from} ORDER BY 3, seq LIMIT 1`,
      )
      .get(untilMs) as { seq: number; actor: ActorAddress; ready_at: number } | undefined;
    return { count, oldest };
  }

  private tables(): string[] {
    return this.connection
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
      .pluck()
      .all() as string[];
  }
}
