// Skip: takes the message that parked an actor out of its mailbox and lets the actor go on without it (K6a).
//
// The message is kept as undeliverable, with the reason `skipped`, and can be sent again. A birth is never skipped:
// without it there is no actor. What answers a live arming is skipped only when the operator says so: the machine waits
// for it, it will not come again, and perhaps nothing else leads out of that state.

import {
  type ActorAddress,
  type ActorRow,
  type MessageRow,
  type Store,
  TroupeError,
} from '../../persistence/index.ts';
import type { Group } from '../engine/group.ts';
import { appendIntervention, type Intervened, type Intervention } from '../intervention.ts';
import { parseStored } from '../json.ts';
import { type Armings, isLive } from '../step/index.ts';
import { stuckReasonOf } from '../view.ts';
import { release, requireStuck } from './stuck-actors.ts';

/** A skip, and how sure the operator is of what they skip. */
export interface SkipIntervention extends Intervention {
  /** The sequence number of the message that parked the actor, as the operator saw it. Default: whichever it is now. */
  readonly message?: number | undefined;
  /**
   * Skips also the answer, child's end or timer that the machine waits for. Its arming then stays open: only another
   * event leads the actor out of that state. Default false.
   */
  readonly evenIfAwaited?: boolean | undefined;
}

/** What a skip has done. */
export interface Skipped extends Intervened {
  /** Under which number the message is kept: see `undeliverable` and `redeliver`. */
  readonly undeliverable: number;
}

/**
 * @throws {TroupeError} see `requireStuck`; `message_unknown`, `revision_conflict` for another message than was seen,
 * `message_refused` for a birth, `message_awaited`. Nothing was written.
 */
export function skip(group: Group, address: ActorAddress, intervention: SkipIntervention): Skipped {
  const { store, nowMs } = group;
  const row = requireStuck(store, address, intervention.revision);
  const message = parkingMessage(store, row);
  requireSeenMessage(message, intervention.message);
  requireSkippable(row, message, intervention.evenIfAwaited ?? false);
  const atMs = Math.max(nowMs, row.updated_at);
  const undeliverable = store.messages.putAside(message.seq, 'skipped', atMs);
  const seq = appendIntervention(group, address, 'skip', intervention, {
    message: message.seq,
    undeliverable,
    ...(intervention.evenIfAwaited ? { evenIfAwaited: true } : {}),
  });
  release(group, row);
  return { address, seq, undeliverable };
}

function parkingMessage(store: Store, row: ActorRow): MessageRow {
  const seq = stuckReasonOf(row)?.messageSeq;
  const message = seq === undefined ? undefined : store.messages.get(seq);
  if (message?.actor === row.id) return message;
  throw new TroupeError(
    'message_unknown',
    `The message that parked ${row.id} is not there any more. Retry lets the rest be stepped: 'troupe retry ${row.id}'.`,
    { details: { address: row.id, message: seq } },
  );
}

/** A skip is no step: the revision alone does not tell a repeated command from the first. */
function requireSeenMessage({ seq, actor }: MessageRow, seen: number | undefined): void {
  if (seen === undefined || seen === seq) return;
  throw new TroupeError(
    'revision_conflict',
    `${actor} is stuck on message ${seq}, not on ${seen} as you saw it. Look again with 'troupe show ${actor}'.`,
    { details: { address: actor, message: seq, seen } },
  );
}

function requireSkippable(row: ActorRow, message: MessageRow, evenIfAwaited: boolean): void {
  const details = { address: row.id, message: message.seq };
  if (message.kind === 'init') {
    throw new TroupeError(
      'message_refused',
      `Message ${message.seq} is the birth of ${row.id}: without it there is no actor. Mend what it needs and retry, or stop the actor: 'troupe stop ${row.id}'.`,
      { details },
    );
  }
  if (evenIfAwaited || !isAwaited(row, message)) return;
  throw new TroupeError(
    'message_awaited',
    `${row.id} waits for message ${message.seq} (the end of a call or of a child, or its own timer), and it will not come again. Mend what it needs and retry; or stop the actor; or, if another event leads out of this state, skip it even if awaited (--even-if-awaited).`,
    { details },
  );
}

/** True when a live arming is answered by this message, or when damage hides whether it is. */
function isAwaited({ id, armings }: ActorRow, { kind, sender, incarnation }: MessageRow): boolean {
  if (kind === 'event' || kind === 'init') return false;
  if (kind === 'timer' && sender !== id) return false;
  if (incarnation === null) return false;
  const stored = parseStored(armings) as Partial<Armings> | undefined;
  if (!stored?.timers || !stored.calls || !stored.actors) return true;
  return isLive(stored as Armings, { kind, incarnation });
}
