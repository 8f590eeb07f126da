// Stuck actors: which wait for an operator, and since when (K6). Reading changes nothing.

import {
  type ActorAddress,
  type ActorRow,
  type Store,
  TroupeError,
} from '../../persistence/index.ts';
import type { Group } from '../engine/group.ts';
import { refusalOf } from '../engine/mailbox.ts';
import { requireSeen } from '../intervention.ts';
import type { Registry } from '../registry/index.ts';
import { type ActorSummary, type StuckReason, stuckReasonOf, summaryOf } from '../view.ts';

/** An actor that waits for an operator. */
export interface StuckActor extends ActorSummary {
  /** What parked it, and on which message; undefined when that is damaged. */
  readonly reason: StuckReason | undefined;
  /** Since when it is stuck. Milliseconds since 1970. */
  readonly sinceMs: number;
  /** Messages and timers that are kept for it, the one that parked it among them. */
  readonly held: number;
}

/** What `stuck` selects. */
export interface StuckOptions {
  readonly machine?: string;
  /** Actors at most. 1–1_000; default 100. */
  readonly limit?: number;
  /** The last address of the page before. */
  readonly after?: string;
}

export function stuckActors(
  store: Store,
  registry: Registry,
  options: StuckOptions & { readonly limit: number },
): StuckActor[] {
  return store.actors.list({ ...options, status: 'stuck' }).map((row) => ({
    ...summaryOf(row, registry),
    reason: stuckReasonOf(row),
    sinceMs: row.updated_at,
    held: store.messages.held(row.id),
  }));
}

/**
 * The stored actor, when it waits for an operator and is as they saw it. One that could not even be parked counts: it is
 * active, and its mailbox is held.
 * @throws {TroupeError} `actor_unknown`, `revision_conflict`, `actor_not_stuck`, `actor_final`, `actor_stopped`.
 */
export function requireStuck(store: Store, address: ActorAddress, revision: number): ActorRow {
  const row = requireLive(requireSeen(store, address, revision));
  if (row.status === 'stuck' || store.messages.held(address) > 0) return row;
  throw new TroupeError(
    'actor_not_stuck',
    `${address} is not stuck: it is active, and takes its messages by itself. See 'troupe show ${address}'.`,
    { details: { address } },
  );
}

/** @throws {TroupeError} `actor_final`, `actor_stopped`; `actor_unknown` for a status that no Troupe has written. */
export function requireLive(row: ActorRow): ActorRow {
  const refusal = refusalOf(row.status);
  if (refusal === undefined) return row;
  throw new TroupeError(
    refusal,
    `${row.id} has ended (${row.status}): nothing moves it any more. See 'troupe journal ${row.id}'; start the work again under another id.`,
    { details: { address: row.id, status: row.status } },
  );
}

/** Makes a stuck actor active again and lets its mailbox be stepped, in the order of T4. */
export function release(group: Group, { id, updated_at }: ActorRow): void {
  group.store.actors.unpark(id, Math.max(group.nowMs, updated_at));
  group.store.messages.release(id);
  group.touched.add(id);
}
