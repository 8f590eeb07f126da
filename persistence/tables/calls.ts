// The calls table: each durable call, from its order to its settlement. A row without host has not started (C1).

import type { ActorAddress } from '../address.ts';
import type { Connection } from '../connection.ts';
import type { CallRow, CallStatus } from '../rows.ts';

const INSERT = `INSERT INTO calls(id, actor, incarnation, source, class, input, attempt, host, status, ordered_at, turn, started_at, limit_ms,
    claim_limit_ms, cause)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

const CLAIM = `UPDATE calls SET status = 'claimed', host = @host, attempt = attempt + 1, started_at = @atMs
  WHERE id = @id AND status = 'ordered'`;

const SETTLE_OWN = `UPDATE calls SET status = ?, result = ?
  WHERE id = ? AND host = ? AND attempt = ? AND status = 'claimed'`;

const IS_CLAIMED = `SELECT 1 FROM calls WHERE id = ? AND host = ? AND attempt = ? AND status = 'claimed'`;

/** Behind those that wait already, so that a call which keeps ending its thread does not hold them up. */
const REORDER = `UPDATE calls SET status = 'ordered', host = NULL, ordered_at = @atMs,
  turn = (SELECT max(seq) FROM journal) WHERE id = @id`;

/** `IS NOT NULL` lets SQLite take the index of claimed calls instead of the whole table. */
const WITHOUT_HOST = `SELECT * FROM calls WHERE status IN ('claimed', 'cancelling') AND host IS NOT NULL
  AND host NOT IN (SELECT incarnation FROM hosts) ORDER BY turn`;

export class CallsTable {
  private readonly statements;

  constructor(connection: Connection) {
    this.statements = {
      insert: connection.prepare(INSERT),
      claim: connection.prepare(CLAIM),
      get: connection.prepare('SELECT * FROM calls WHERE id = ?'),
      settle: connection.prepare('UPDATE calls SET status = ?, result = ? WHERE id = ?'),
      settleOwn: connection.prepare(SETTLE_OWN),
      isClaimed: connection.prepare(IS_CLAIMED),
      reorder: connection.prepare(REORDER),
      waiting: connection.prepare(
        "SELECT * FROM calls WHERE source = ? AND status = 'ordered' ORDER BY turn, rowid LIMIT ?",
      ),
      waitingSources: connection
        .prepare("SELECT DISTINCT source FROM calls WHERE status = 'ordered'")
        .pluck(),
      overdue: connection.prepare(
        "SELECT * FROM calls WHERE status = 'ordered' AND ordered_at + claim_limit_ms <= ?",
      ),
      nextClaimLimit: connection
        .prepare("SELECT min(ordered_at + claim_limit_ms) FROM calls WHERE status = 'ordered'")
        .pluck(),
      withoutHost: connection.prepare(WITHOUT_HOST),
      cancellingOf: connection
        .prepare("SELECT id FROM calls WHERE host = ? AND status = 'cancelling'")
        .pluck(),
      openOfActor: connection.prepare(
        "SELECT * FROM calls WHERE actor = ? AND status IN ('ordered', 'claimed', 'stubbed')",
      ),
      ofActor: connection.prepare('SELECT * FROM calls WHERE actor = ? ORDER BY rowid'),
    };
  }

  /** Writes a call as it is. */
  insert(call: CallRow): void {
    this.statements.insert.run(
      call.id,
      call.actor,
      call.incarnation,
      call.source,
      call.class,
      call.input,
      call.attempt,
      call.host,
      call.status,
      call.ordered_at,
      call.turn,
      call.started_at,
      call.limit_ms,
      call.claim_limit_ms,
      call.cause,
    );
  }

  /** Takes a waiting call for a host; false when it is not waiting any more. */
  claim(id: string, host: string, atMs: number): boolean {
    return this.statements.claim.run({ id, host, atMs }).changes === 1;
  }

  get(id: string): CallRow | undefined {
    return this.statements.get.get(id) as CallRow | undefined;
  }

  settle(id: string, status: CallStatus, result: string | undefined): void {
    this.statements.settle.run(status, result, id);
  }

  /** Settles what a host has claimed for this attempt; false when it is not claimed like that any more. */
  settleOwn(
    { id, host, attempt }: Pick<CallRow, 'id' | 'host' | 'attempt'>,
    status: CallStatus,
    result: string | undefined,
  ): boolean {
    return this.statements.settleOwn.run(status, result, id, host, attempt).changes === 1;
  }

  /** True while it is claimed by this host for this attempt. */
  isClaimed({ id, host, attempt }: Pick<CallRow, 'id' | 'host' | 'attempt'>): boolean {
    return this.statements.isClaimed.get(id, host, attempt) !== undefined;
  }

  /** Lets a call wait again, for another attempt of whichever host. */
  reorder(id: string, atMs: number): void {
    this.statements.reorder.run({ id, atMs });
  }

  /** Waiting calls of one source, in the order in which they were ordered (C8). */
  waiting(source: string, limit: number): CallRow[] {
    return this.statements.waiting.all(source, limit) as CallRow[];
  }

  waitingSources(): string[] {
    return this.statements.waitingSources.all() as string[];
  }

  /** Waiting calls past their claim limit. */
  overdue(nowMs: number): CallRow[] {
    return this.statements.overdue.all(nowMs) as CallRow[];
  }

  nextClaimLimitMs(): number | undefined {
    return (this.statements.nextClaimLimit.get() as number | null) ?? undefined;
  }

  /** Calls that were claimed and not settled by hosts that have no row any more. */
  withoutHost(): CallRow[] {
    return this.statements.withoutHost.all() as CallRow[];
  }

  /** Ids of the calls of a host that were asked to stop and have not ended. */
  cancellingOf(host: string): string[] {
    return this.statements.cancellingOf.all(host) as string[];
  }

  openOfActor(actor: ActorAddress): CallRow[] {
    return this.statements.openOfActor.all(actor) as CallRow[];
  }

  ofActor(actor: string): CallRow[] {
    return this.statements.ofActor.all(actor) as CallRow[];
  }
}
