// The messages table: every mailbox and every timer. What nothing removed will be stepped.

import type { ActorAddress } from '../address.ts';
import { machineOf } from '../address.ts';
import type { Connection } from '../connection.ts';
import { assert } from '../errors.ts';
import type { MessageKind, MessageRow, UndeliverableRow } from '../rows.ts';

/** Scope of the receipts of what was taken out of undeliverable and sent again; the key is its number there. */
export const REDELIVER_SCOPE = 'redeliver';

export interface NewMessage {
  readonly id?: string | undefined;
  readonly actor: ActorAddress;
  readonly sender: string | undefined;
  readonly event: string;
  readonly kind: MessageKind;
  readonly readyAtMs: number;
  readonly incarnation?: string | undefined;
  readonly cause: number | undefined;
  readonly held: boolean;
}

const INSERT = `INSERT INTO messages(id, actor, machine, sender, event, kind, ready_at, incarnation, cause, held)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

const INSERT_ROW = `INSERT INTO messages(seq, id, actor, machine, sender, event, kind, ready_at, incarnation, cause, held, deaths)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

/**
 * What looks for messages to step, by machine. T4: by the time at which they became ready, then by sequence.
 * @param also A further condition, or nothing.
 */
function selectsOf(connection: Connection, also: string) {
  const arrived = `FROM messages WHERE machine = ? AND held = 0 AND kind <> 'timer' ${also}`;
  const timers = `FROM messages WHERE machine = ? AND held = 0 AND kind = 'timer' ${also}`;
  return {
    ready: connection.prepare(`SELECT * ${arrived} ORDER BY ready_at, seq LIMIT ?`),
    due: connection.prepare(`SELECT * ${timers} AND ready_at <= ? ORDER BY ready_at, seq LIMIT ?`),
    readyUntil: connection.prepare(`SELECT 1 ${arrived} AND seq <= ? LIMIT 1`),
    dueUntil: connection.prepare(`SELECT 1 ${timers} AND ready_at <= ? AND seq <= ? LIMIT 1`),
    nextDue: connection.prepare(`SELECT min(ready_at) ${timers}`).pluck(),
  };
}

/**
 * G3: messages that this connection's host leaves alone. For every other one they stay as they are, so the table is this
 * connection's own. No actor goes back to an older version: what is in it stays right.
 */
const LEFT_ALONE = 'CREATE TEMP TABLE IF NOT EXISTS left_alone(seq INTEGER PRIMARY KEY)';
const NOT_LEFT_ALONE = 'AND seq NOT IN (SELECT seq FROM temp.left_alone)';

/** Of a message that waits for its step: one that was stepped meanwhile is gone, and a stuck actor's is an operator's. */
const COUNT_DEATH = `UPDATE messages SET deaths = deaths + 1 WHERE seq = ? AND held = 0 RETURNING *`;

/** What an ending actor takes with it: its timers to itself, and those to others that are not due yet. */
const DROP_TIMERS = `DELETE FROM messages
  WHERE sender = @actor AND kind = 'timer' AND (actor = @actor OR ready_at > @nowMs)`;

/** A damaged event is kept as the text that it is (V8). */
const MOVE_TO_UNDELIVERABLE = `INSERT INTO undeliverable(actor, message, reason, at)
  SELECT actor, json_object('seq', seq, 'id', id, 'actor', actor, 'sender', sender,
    'event', CASE WHEN json_valid(event) THEN json(event) ELSE event END, 'kind', kind, 'ready_at', ready_at,
    'incarnation', incarnation, 'cause', cause), @reason, @atMs FROM messages`;

/** What was sent again has a receipt that names the message which it became. */
const UNDELIVERABLE = `SELECT undeliverable.*, receipts.actor AS redelivered_to, receipts.seq AS redelivered_as
  FROM undeliverable LEFT JOIN receipts ON scope = '${REDELIVER_SCOPE}' AND key = CAST(undeliverable.seq AS TEXT)`;

const DAMAGED = `SELECT seq, actor, machine FROM messages
  WHERE seq > ? AND seq <= ? AND NOT json_valid(event) ORDER BY seq`;

type DamagedMessage = Pick<MessageRow, 'seq' | 'actor' | 'machine'>;

export class MessagesTable {
  private readonly statements;
  private readonly all;
  private readonly notLeftAlone;
  private hasLeftAlone = false;

  constructor(connection: Connection) {
    // Made here and not when it is needed, because a lost group would take it along.
    connection.exec(LEFT_ALONE);
    this.all = selectsOf(connection, '');
    this.notLeftAlone = selectsOf(connection, NOT_LEFT_ALONE);
    this.statements = {
      insert: connection.prepare(INSERT),
      insertRow: connection.prepare(INSERT_ROW),
      lastSeq: connection
        .prepare("SELECT seq FROM sqlite_sequence WHERE name = 'messages'")
        .pluck(),
      keepLastSeq: connection.prepare("UPDATE sqlite_sequence SET seq = ? WHERE name = 'messages'"),
      beginSeq: connection.prepare("INSERT INTO sqlite_sequence(name, seq) VALUES ('messages', ?)"),
      remove: connection.prepare('DELETE FROM messages WHERE seq = ? AND held = 0'),
      leaveAlone: connection.prepare('INSERT OR IGNORE INTO temp.left_alone(seq) VALUES (?)'),
      waiting: connection
        .prepare(
          "SELECT count(*) FROM (SELECT 1 FROM messages WHERE actor = ? AND kind <> 'timer' LIMIT ?)",
        )
        .pluck(),
      anyWaiting: connection.prepare(
        "SELECT 1 FROM messages WHERE actor = ? AND kind <> 'timer' LIMIT 1",
      ),
      hold: connection.prepare('UPDATE messages SET held = 1 WHERE actor = ? AND held = 0'),
      countDeath: connection.prepare(COUNT_DEATH),
      unschedule: connection.prepare(
        "DELETE FROM messages WHERE sender = ? AND incarnation = ? AND kind = 'timer'",
      ),
      dropTimers: connection.prepare(DROP_TIMERS),
      release: connection.prepare(
        'UPDATE messages SET held = 0, deaths = 0 WHERE actor = ? AND held = 1',
      ),
      held: connection
        .prepare('SELECT count(*) FROM messages WHERE actor = ? AND held = 1')
        .pluck(),
      get: connection.prepare('SELECT * FROM messages WHERE seq = ?'),
      move: connection.prepare(`${MOVE_TO_UNDELIVERABLE} WHERE actor = @actor ORDER BY seq`),
      moveOne: connection.prepare(`${MOVE_TO_UNDELIVERABLE} WHERE seq = @seq`),
      removeAny: connection.prepare('DELETE FROM messages WHERE seq = ?'),
      removeAll: connection.prepare('DELETE FROM messages WHERE actor = ?'),
      refuse: connection.prepare(
        'INSERT INTO undeliverable(actor, message, reason, at) VALUES (?, ?, ?, ?)',
      ),
      ofActor: connection.prepare('SELECT * FROM messages WHERE actor = ? ORDER BY ready_at, seq'),
      last: connection.prepare('SELECT max(seq) FROM messages').pluck(),
      pageEnd: connection
        .prepare(
          'SELECT max(seq) FROM (SELECT seq FROM messages WHERE seq > ? ORDER BY seq LIMIT ?)',
        )
        .pluck(),
      damaged: connection.prepare(DAMAGED),
      undeliverable: connection.prepare(
        `${UNDELIVERABLE} WHERE undeliverable.seq > ? ORDER BY undeliverable.seq LIMIT ?`,
      ),
      undeliverableAt: connection.prepare(`${UNDELIVERABLE} WHERE undeliverable.seq = ?`),
    };
  }

  /** @returns the message's sequence number. */
  insert(message: NewMessage): number {
    const machine = machineOf(message.actor);
    assert(machine !== undefined, `message to '${message.actor}', which is no address`);
    const { lastInsertRowid } = this.statements.insert.run(
      message.id,
      message.actor,
      machine,
      message.sender,
      message.event,
      message.kind,
      message.readyAtMs,
      message.incarnation,
      message.cause,
      message.held ? 1 : 0,
    );
    return Number(lastInsertRowid);
  }

  /** A message as the row that it would be. It is not written: see `insertRow`. */
  arrival(message: NewMessage, seq: number): MessageRow {
    const machine = machineOf(message.actor);
    assert(machine !== undefined, `message to '${message.actor}', which is no address`);
    const { id, actor, sender, event, kind, readyAtMs, incarnation, cause, held } = message;
    return {
      seq,
      id: id ?? null,
      actor,
      machine,
      sender: sender ?? null,
      event,
      kind,
      ready_at: readyAtMs,
      incarnation: incarnation ?? null,
      cause: cause ?? null,
      held: held ? 1 : 0,
      deaths: 0,
    };
  }

  /** Writes a message under the number that it has. */
  insertRow(message: MessageRow): void {
    const { seq, id, actor, machine, sender, event, kind, incarnation, cause, held } = message;
    this.statements.insertRow.run(
      seq,
      id,
      actor,
      machine,
      sender,
      event,
      kind,
      message.ready_at,
      incarnation,
      cause,
      held,
      message.deaths,
    );
  }

  /** The highest number that a message ever had. A message that is inserted gets a higher one. */
  lastSeq(): number {
    return (this.statements.lastSeq.get() as number | undefined) ?? 0;
  }

  /** Numbers up to this one were given to messages that never became rows. */
  keepLastSeq(seq: number): void {
    if (this.statements.keepLastSeq.run(seq).changes === 0) this.statements.beginSeq.run(seq);
  }

  /** Removes one message; false when it was not there any more, or is held: then there is no step. */
  remove(seq: number): boolean {
    return this.statements.remove.run(seq).changes === 1;
  }

  /** Puts a removed message back in its place, held. */
  restoreHeld(message: MessageRow): void {
    this.insertRow({ ...message, held: 1 });
  }

  /** What machines of this name may step now: arrivals, and timers that are due. In no order between the two. */
  ready(machine: string, nowMs: number, limit: number): MessageRow[] {
    const arrived = this.selects.ready.all(machine, limit) as MessageRow[];
    const due = this.selects.due.all(machine, nowMs, limit) as MessageRow[];
    return due.length === 0 ? arrived : [...arrived, ...due];
  }

  /** True when a message up to this one may be stepped now. */
  isReadyUntil(machine: string, seq: number, nowMs: number): boolean {
    const { readyUntil, dueUntil } = this.selects;
    return (
      readyUntil.get(machine, seq) !== undefined || dueUntil.get(machine, nowMs, seq) !== undefined
    );
  }

  /** The next due time of this machine's timers. Milliseconds since 1970. */
  nextDueMs(machine: string): number | undefined {
    return (this.selects.nextDue.get(machine) as number | null) ?? undefined;
  }

  /** Keeps a message out of what this connection finds ready, for as long as it is open, and changes nothing else. */
  leaveAlone(seq: number): void {
    this.hasLeftAlone = true;
    this.statements.leaveAlone.run(seq);
  }

  /** Where nothing is left alone, nothing is asked for it. */
  private get selects() {
    return this.hasLeftAlone ? this.notLeftAlone : this.all;
  }

  /** Messages that wait for an actor, timers aside. Counts no further than `max`. */
  waiting(actor: ActorAddress, max: number): number {
    // Counting is dear, and mailboxes are mostly empty.
    if (this.statements.anyWaiting.get(actor) === undefined) return 0;
    return this.statements.waiting.get(actor, max) as number;
  }

  /** Keeps a stuck actor's mailbox and timers out of what is ready. */
  hold(actor: ActorAddress): void {
    this.statements.hold.run(actor);
  }

  /** V3: one more host has died in the step of this message. @returns the message, or undefined when it waits no more. */
  countDeath(seq: number): MessageRow | undefined {
    return this.statements.countDeath.get(seq) as MessageRow | undefined;
  }

  /** Lets a mailbox be stepped again, in its order. What it did to earlier hosts is forgotten (V3). */
  release(actor: ActorAddress): void {
    this.statements.release.run(actor);
  }

  /** Messages and timers of an actor that are held. */
  held(actor: ActorAddress): number {
    return this.statements.held.get(actor) as number;
  }

  get(seq: number): MessageRow | undefined {
    return this.statements.get.get(seq) as MessageRow | undefined;
  }

  /** Moves one message, held or not, to undeliverable. @returns its number there. */
  putAside(seq: number, reason: string, atMs: number): number {
    const { changes, lastInsertRowid } = this.statements.moveOne.run({ seq, reason, atMs });
    assert(changes === 1, `message ${seq}, which is to be put aside, is there`);
    this.statements.removeAny.run(seq);
    return Number(lastInsertRowid);
  }

  unschedule(sender: ActorAddress, incarnation: string): void {
    this.statements.unschedule.run(sender, incarnation);
  }

  /** K5: an actor that ends takes its timers with it and moves its mailbox to undeliverable. */
  endOf(actor: ActorAddress, reason: string, nowMs: number, atMs: number): void {
    this.statements.dropTimers.run({ actor, nowMs });
    this.statements.move.run({ actor, reason, atMs });
    this.statements.removeAll.run(actor);
  }

  /** Keeps a message that has nowhere to go. */
  refuse(
    message: { readonly actor: string; readonly [column: string]: unknown },
    reason: string,
    atMs: number,
  ): void {
    this.statements.refuse.run(message.actor, JSON.stringify(message), reason, atMs);
  }

  /** The sequence number of the newest message that waits; 0 when none does. A message that is inserted gets a higher one. */
  last(): number {
    return (this.statements.last.get() as number | null) ?? 0;
  }

  ofActor(actor: string): MessageRow[] {
    return this.statements.ofActor.all(actor) as MessageRow[];
  }

  /**
   * Looks through a page of messages after this one. @returns those whose event is no JSON, and the last that was looked at;
   * undefined when there was none.
   */
  damaged(after: number, limit: number): { damaged: DamagedMessage[]; last: number | undefined } {
    const last = this.statements.pageEnd.get(after, limit) as number | null;
    if (last === null) return { damaged: [], last: undefined };
    return { damaged: this.statements.damaged.all(after, last) as DamagedMessage[], last };
  }

  undeliverable(after: number, limit: number): UndeliverableRow[] {
    return this.statements.undeliverable.all(after, limit) as UndeliverableRow[];
  }

  undeliverableAt(seq: number): UndeliverableRow | undefined {
    return this.statements.undeliverableAt.get(seq) as UndeliverableRow | undefined;
  }
}
