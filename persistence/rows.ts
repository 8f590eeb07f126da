// Rows: the stored forms, as SQLite gives them. Texts are JSON; times are milliseconds since 1970.

import type { ActorAddress } from './address.ts';

export type ActorStatus = 'active' | 'done' | 'error' | 'stopped' | 'stuck';

export interface ActorRow {
  readonly id: ActorAddress;
  readonly machine: string;
  readonly machine_version: number;
  readonly parent: ActorAddress | null;
  readonly child_id: string | null;
  /** The incarnation of the host that the actor is bound to (V4a). */
  readonly host: string | null;
  readonly revision: number;
  readonly status: ActorStatus;
  readonly state: string | null;
  readonly tags: string | null;
  readonly snapshot: string | null;
  readonly armings: string | null;
  readonly input: string | null;
  readonly error: string | null;
  readonly created_at: number;
  readonly updated_at: number;
}

/** `init` gives birth, `timer` is due later, `call` and `actor` answer an arming. */
export type MessageKind = 'event' | 'init' | 'timer' | 'call' | 'actor';

export interface MessageRow {
  readonly seq: number;
  readonly id: string | null;
  readonly actor: ActorAddress;
  readonly machine: string;
  readonly sender: string | null;
  readonly event: string;
  readonly kind: MessageKind;
  readonly ready_at: number;
  readonly incarnation: string | null;
  readonly cause: number | null;
  readonly held: 0 | 1;
  /** How many hosts have died while they stepped it (V3). */
  readonly deaths: number;
}

/**
 * `step` has a revision; `late` is evidence that moved nothing; `stuck` and `stopped` tell what happened to the actor;
 * `intervention` is an operator's, and has a revision only where it is the birth of a fork.
 */
export type JournalKind = 'step' | 'late' | 'stuck' | 'stopped' | 'intervention';

export interface JournalRow {
  readonly seq: number;
  readonly actor: ActorAddress;
  readonly revision: number | null;
  readonly at: number;
  readonly kind: JournalKind;
  /** The sequence number of the message that it tells of; a sender knows it from its receipt. */
  readonly message: number | null;
  readonly event: string | null;
  readonly origin: MessageKind | null;
  readonly incarnation: string | null;
  readonly sender: string | null;
  readonly machine_version: number | null;
  readonly cause: number | null;
  readonly effects: string | null;
  readonly state: string | null;
  readonly checkpoint: string | null;
}

/**
 * `ordered` has not started; `stubbed` will not start, and waits for an operator's answer (J4); `claimed` belongs to a
 * host; `cancelling` was asked to stop; the rest is settled: `notStarted` and `cancelled` say that it will not run any
 * more.
 */
export type CallStatus =
  | 'ordered'
  | 'stubbed'
  | 'claimed'
  | 'cancelling'
  | 'done'
  | 'failed'
  | 'unknown'
  | 'notStarted'
  | 'cancelled';

export interface CallRow {
  readonly id: string;
  readonly actor: ActorAddress;
  readonly incarnation: string;
  readonly source: string;
  readonly class: 'read' | 'effect' | 'replayable' | 'listener';
  readonly input: string | null;
  readonly attempt: number;
  readonly host: string | null;
  readonly status: CallStatus;
  readonly ordered_at: number;
  /** Its place among waiting calls: the journal's sequence number when it began to wait. Unlike a time it never goes back. */
  readonly turn: number;
  readonly started_at: number | null;
  readonly limit_ms: number;
  readonly claim_limit_ms: number;
  readonly cause: number | null;
  readonly result: string | null;
}

export interface HostRow {
  readonly incarnation: string;
  readonly lock_file: string;
  readonly inode: number;
  readonly schema: number;
  readonly pid: number;
  readonly started_at: number;
  readonly commit_group: number;
}

export interface UndeliverableRow {
  readonly seq: number;
  readonly actor: string;
  readonly message: string;
  readonly reason: string;
  readonly at: number;
  /** Where an operator has sent it again, and the message that it became there. */
  readonly redelivered_to: ActorAddress | null;
  readonly redelivered_as: number | null;
}
