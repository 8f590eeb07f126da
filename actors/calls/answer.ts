// Answer: writes what came of a call into the transaction: its row, and what its actor learns of it.
//
// C4  who settles what it has claimed itself proves it in the same statement; of anything else only late evidence is kept.

import type { CallRow, CallStatus } from '../../persistence/index.ts';
import type { ClaimedCall, Group, Transaction } from '../engine/group.ts';
import { deliver } from '../engine/mailbox.ts';
import type { AttemptEnd } from '../ports.ts';
import { armedId, doneEvent, errorEvent, type MachineEvent } from '../step/index.ts';
import { withinLimits } from './attempt-end.ts';
import type { Settlement } from './settlement.ts';

/** The end of an attempt on its way into a transaction. */
export interface Ended extends ClaimedCall {
  readonly end: AttemptEnd;
}

/** What a listener has sent, on the same way, before its end (K9a). */
export interface Heard extends ClaimedCall {
  readonly event: MachineEvent;
}

/** What ends a call. */
export type Answer = Exclude<Settlement, { kind: 'again' }>;

/** Settles a call: its row, and the message that tells its actor; or lets it wait for another attempt. */
export function answer(group: Transaction, row: CallRow, settlement: Settlement): void {
  const { calls } = group.store;
  if (settlement.kind === 'again') {
    calls.reorder(row.id, group.nowMs);
    group.waitingSources.add(row.source);
    return;
  }
  const { status, result } = settledAs(settlement);
  calls.settle(row.id, status, result);
  tell(group, row, settlement);
}

/** The same for a call as this host has claimed it, without reading it again. @returns false when it is not so any more. */
export function answerOwn(group: Transaction, row: CallRow, settlement: Answer): boolean {
  const { status, result } = settledAs(settlement);
  if (!group.store.calls.settleOwn(row, status, result)) return false;
  tell(group, row, settlement);
  return true;
}

/** K9a: only while its host has claimed it for this attempt; of another one its actor knows nothing. */
export function passOn(group: Group, { row, event }: Heard): void {
  if (!group.store.calls.isClaimed(row)) return;
  const text = JSON.stringify(event);
  group.writtenBytes += text.length;
  const message = {
    to: row.actor,
    from: row.id,
    event: text,
    kind: 'event',
    cause: undefined,
  } as const;
  group.delivered = deliver(group, message) || group.delivered;
}

/** Evidence of an end that moves nobody any more (C4). */
export function appendLateEnd(group: Group, row: CallRow, { row: { attempt }, end }: Ended): void {
  group.touched.add(row.actor);
  const evidence = { callId: row.id, attempt, end: withinLimits(end) };
  group.store.journal.append({
    actor: row.actor,
    revision: undefined,
    atMs: group.arrivedAtMs,
    kind: 'late',
    event: JSON.stringify({ type: 'troupe.call.late', ...evidence }),
    cause: row.cause ?? undefined,
  });
}

function settledAs(settlement: Answer): {
  readonly status: CallStatus;
  readonly result: string | undefined;
} {
  return settlement.kind === 'done'
    ? { status: 'done', result: undefined }
    : { status: settlement.error.outcome, result: JSON.stringify(settlement.error) };
}

/** The message that tells the call's actor. */
function tell(group: Transaction, row: CallRow, settlement: Answer): void {
  const actorId = armedId(row.incarnation);
  const event =
    settlement.kind === 'done'
      ? doneEvent(actorId, settlement.output)
      : errorEvent(actorId, settlement.error);
  const text = JSON.stringify(event);
  group.writtenBytes += text.length;
  group.delivered =
    deliver(group, {
      to: row.actor,
      from: row.id,
      event: text,
      kind: 'call',
      incarnation: row.incarnation,
      cause: row.cause ?? undefined,
    }) || group.delivered;
}
