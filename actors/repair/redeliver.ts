// Redeliver: sends a message again that had nowhere to go, to its actor or to another, once (K5).
//
// M3  the receipt of the first time is that of every other.
// C4  an answer keeps the arming that it answers: the step judges whether the actor still waits for it.

import { z } from 'zod';
import {
  type ActorAddress,
  type ActorRow,
  REDELIVER_SCOPE,
  type Store,
  TroupeError,
  type UndeliverableRow,
} from '../../persistence/index.ts';
import { requireRoom, type SendReceipt } from '../engine/admission.ts';
import type { Group } from '../engine/group.ts';
import { appendIntervention, type Intervention, requireSeen } from '../intervention.ts';
import { parseBy } from '../issues.ts';
import { parseStored } from '../json.ts';
import { requireLive } from './stuck-actors.ts';

/** A redelivery. `revision` is that of the actor that is to get the message. */
export interface RedeliverIntervention extends Intervention {
  /** Another actor's address. Default: the actor that it was for. */
  readonly to?: ActorAddress;
}

/** What is kept of a message: those that were refused at once have no more than their event. */
const keptMessage = z.object({
  id: z.string().nullish(),
  sender: z.string().nullish(),
  event: z.looseObject({ type: z.string() }),
  kind: z.enum(['event', 'init', 'timer', 'call', 'actor']).default('event'),
  incarnation: z.string().nullish(),
});

type KeptMessage = z.infer<typeof keptMessage>;

/**
 * Sends the message with this number of `undeliverable` again, behind what waits already.
 * @throws {TroupeError} `message_unknown`, `message_redelivered` when it went to another actor, `message_refused` for a
 * birth, a damaged event, or an answer to another actor; `actor_unknown`, `actor_final`, `actor_stopped`, `actor_stuck`,
 * `revision_conflict`, `mailbox_full`. Nothing was written.
 */
export function redeliver(
  group: Group,
  undeliverable: number,
  intervention: RedeliverIntervention,
): SendReceipt {
  const { store } = group;
  const kept = requireKept(store, undeliverable);
  const address = intervention.to ?? kept.actor;
  const known = store.receipts.get(REDELIVER_SCOPE, String(undeliverable));
  if (known !== undefined) return repeated(kept, known.seq, known.actor, address);
  requireTaking(requireLive(requireSeen(store, address, intervention.revision)));
  requireRoom(group, address);
  const message = readKept(kept, address);
  const cause = appendIntervention(group, address, 'redeliver', intervention, { undeliverable });
  group.touched.add(address);
  const seq = insert(group, address, message, cause);
  const receipt = { scope: REDELIVER_SCOPE, key: String(undeliverable), digest: '' };
  store.receipts.insert({ ...receipt, actor: address, seq });
  return receiptOf(message.id, address, seq);
}

function requireKept(store: Store, undeliverable: number): UndeliverableRow {
  const kept = store.messages.undeliverableAt(undeliverable);
  if (kept !== undefined) return kept;
  throw new TroupeError(
    'message_unknown',
    `There is no undeliverable message ${undeliverable}. See 'troupe undeliverable'.`,
    { details: { undeliverable } },
  );
}

function repeated(
  kept: UndeliverableRow,
  seq: number,
  actor: string,
  address: ActorAddress,
): SendReceipt {
  if (actor === address) {
    const { id } = (parseStored(kept.message) ?? {}) as { readonly id?: string | null };
    return receiptOf(id, address, seq);
  }
  throw new TroupeError(
    'message_redelivered',
    `Undeliverable message ${kept.seq} was sent again to ${actor} already, as message ${seq}. To give its event to ${address}, too, send it as a new one: 'troupe send'.`,
    { details: { undeliverable: kept.seq, address: actor, seq } },
  );
}

function receiptOf(id: string | null | undefined, address: ActorAddress, seq: number): SendReceipt {
  return { messageId: id ?? `message-${seq}`, address, seq };
}

/** @throws {TroupeError} `actor_stuck`: what parked the actor is dealt with first. */
function requireTaking({ id, status }: ActorRow): void {
  if (status !== 'stuck') return;
  throw new TroupeError(
    'actor_stuck',
    `${id} is stuck on an earlier message. Retry or skip that first: see 'troupe show ${id}'.`,
    { details: { address: id } },
  );
}

function readKept(kept: UndeliverableRow, address: ActorAddress): KeptMessage {
  const refuse = (why: string): never => {
    throw new TroupeError(
      'message_refused',
      `Undeliverable message ${kept.seq} cannot be sent again: ${why}`,
      { details: { undeliverable: kept.seq } },
    );
  };
  const parsed = parseBy(keptMessage, parseStored(kept.message));
  if ('why' in parsed) return refuse(`it is damaged (${parsed.why}). Send its event as a new one.`);
  const message = parsed.data as KeptMessage;
  if (message.kind === 'init') return refuse('it is a birth. Spawn the actor anew.');
  const own = { ...message, kind: kindFor(message, kept.actor) };
  if (own.kind !== 'event' && (address !== kept.actor || !own.incarnation)) {
    return refuse(`it answers what ${kept.actor} had asked for, and means nothing to another.`);
  }
  return own;
}

/** What another actor had delayed is an event like any other once it has come due. */
function kindFor({ kind, sender }: KeptMessage, actor: string): KeptMessage['kind'] {
  return kind === 'timer' && sender !== actor ? 'event' : kind;
}

function insert(
  group: Group,
  actor: ActorAddress,
  { id, sender, event, kind, incarnation }: KeptMessage,
  cause: number,
): number {
  return group.mail({
    id: id ?? undefined,
    actor,
    sender: sender ?? undefined,
    event: JSON.stringify(event),
    kind,
    // A timer is due by the clock; all else is ready by its arrival (T3, T4).
    readyAtMs: kind === 'timer' ? group.nowMs : group.arrivedAtMs,
    incarnation: kind === 'event' ? undefined : (incarnation ?? undefined),
    cause,
    held: false,
  });
}
