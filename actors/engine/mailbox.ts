// Mailbox: how a message reaches an actor's row, or is kept where it can be found (K5).

import type { ActorAddress, ActorStatus, MessageKind } from '../../persistence/index.ts';
import { machineOf } from '../../persistence/index.ts';
import type { Transaction } from './group.ts';

/** A message from inside: from an actor or a call. It is always taken (K10). */
export interface InsideMessage {
  readonly to: ActorAddress;
  readonly from: string | undefined;
  readonly event: string;
  readonly kind: Exclude<MessageKind, 'timer' | 'init'>;
  readonly incarnation?: string;
  /** The journal row of the step that caused it. */
  readonly cause: number | undefined;
}

/** Why a message has nowhere to go. */
export type UndeliverableReason = 'actor_unknown' | 'actor_final' | 'actor_stopped';

/** The reason why an actor of this status takes no message; undefined when it does. */
export function refusalOf(status: ActorStatus | undefined): UndeliverableReason | undefined {
  switch (status) {
    case undefined:
      return 'actor_unknown';
    case 'done':
    case 'error':
      return 'actor_final';
    case 'stopped':
      return 'actor_stopped';
    case 'active':
    case 'stuck':
      return undefined;
    default:
      // A damaged row: no step could ever be taken of it.
      return 'actor_unknown';
  }
}

/** Puts an inside message into the mailbox, or into undeliverable. True when it is ready to be stepped. */
export function deliver(transaction: Transaction, message: InsideMessage): boolean {
  const { store, arrivedAtMs } = transaction;
  const status = machineOf(message.to) === undefined ? undefined : store.actors.status(message.to);
  const refusal = refusalOf(status);
  if (refusal !== undefined) {
    const kept = {
      actor: message.to,
      sender: message.from ?? null,
      event: JSON.parse(message.event) as unknown,
      kind: message.kind,
      ready_at: arrivedAtMs,
      incarnation: message.incarnation ?? null,
      cause: message.cause ?? null,
    };
    store.messages.refuse(kept, refusal, arrivedAtMs);
    return false;
  }
  transaction.mail({
    actor: message.to,
    sender: message.from,
    event: message.event,
    kind: message.kind,
    readyAtMs: arrivedAtMs,
    incarnation: message.incarnation,
    cause: message.cause,
    held: status === 'stuck',
  });
  return status === 'active';
}
