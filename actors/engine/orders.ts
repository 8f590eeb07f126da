// Orders: the rows of what an actor has armed, timers and calls, by its own step or by the birth of a fork.
//
// J4  what a stubbed fork, or an actor born below one, orders of the outside is kept and not done: its calls wait for
//     an operator's answer, and what it sends to an actor that is not stubbed itself becomes undeliverable.

import { type ActorAddress, assert, type Store } from '../../persistence/index.ts';
import type { RegisteredMachine } from '../registry/index.ts';
import type { ActorState, Armings, Effect } from '../step/index.ts';
import type { Transaction } from './group.ts';
import { deliver, type InsideMessage } from './mailbox.ts';

export interface Ordering {
  readonly transaction: Transaction;
  readonly machine: RegisteredMachine;
  /** The actor after the step that orders. */
  readonly actor: Pick<ActorState, 'address' | 'armings'>;
  /** The journal row that orders. */
  readonly cause: number;
}

export function orderTimer(
  { transaction, actor, cause }: Ordering,
  effect: Extract<Effect, { kind: 'schedule' }>,
): void {
  const { store, nowMs } = transaction;
  const to = effect.to ?? actor.address;
  const event = JSON.stringify(effect.event);
  // Due times are fractions-free, so that they stay exact integers in the store.
  const readyAtMs = nowMs + Math.ceil(effect.delayMs);
  if (isKept(store, actor, to)) {
    return keep(transaction, { to, from: actor.address, event, kind: 'timer', cause }, readyAtMs);
  }
  transaction.mail({
    actor: to,
    sender: actor.address,
    event,
    kind: 'timer',
    readyAtMs,
    incarnation: effect.incarnation,
    cause,
    held: false,
  });
}

export function orderCall(
  { transaction, machine, actor, cause }: Ordering,
  effect: Extract<Effect, { kind: 'call' }>,
): void {
  const spec = machine.calls.get(effect.source);
  assert(spec !== undefined, `source '${effect.source}' of ${machine.name} is no call`);
  const { address, armings } = actor;
  const input = JSON.stringify(effect.input) as string | undefined;
  transaction.store.calls.insert({
    id: callIdOf(address, effect.incarnation),
    actor: address,
    incarnation: effect.incarnation,
    source: spec.key,
    class: spec.class,
    input: input ?? null,
    attempt: 0,
    host: null,
    status: armings.stubbed ? 'stubbed' : 'ordered',
    ordered_at: transaction.nowMs,
    turn: cause,
    started_at: null,
    limit_ms: spec.limitMs,
    claim_limit_ms: spec.claimLimitMs,
    cause,
    result: null,
  });
  if (!armings.stubbed) transaction.waitingSources.add(spec.key);
}

/** The id of a call, and its idempotency key: the actor and the arming that ordered it. */
export function callIdOf(actor: string, incarnation: string): string {
  return `${actor}#${incarnation}`;
}

/** Delivers what an actor sends. True when it is ready to be stepped. */
export function deliverFrom(
  transaction: Transaction,
  actor: Pick<ActorState, 'address' | 'armings'>,
  message: InsideMessage,
): boolean {
  if (!isKept(transaction.store, actor, message.to)) return deliver(transaction, message);
  keep(transaction, message, transaction.arrivedAtMs);
  return false;
}

/** J4: a stubbed actor reaches itself and other stubbed ones. */
function isKept(
  store: Store,
  { address, armings }: Pick<ActorState, 'address' | 'armings'>,
  to: ActorAddress,
): boolean {
  return armings.stubbed === true && to !== address && !isStubbed(store.actors.get(to)?.armings);
}

/** True when the stored armings say so; damaged ones do not. */
export function isStubbed(armings: string | null | undefined): boolean {
  try {
    return (JSON.parse(armings ?? 'null') as Partial<Armings> | null)?.stubbed === true;
  } catch {
    // A damaged row: whoever steps it names the damage.
    return false;
  }
}

function keep(
  { store, arrivedAtMs }: Transaction,
  { to, from, event, kind, cause }: Omit<InsideMessage, 'kind'> & { readonly kind: string },
  readyAtMs: number,
): void {
  const kept = { sender: from, event: JSON.parse(event) as unknown, kind, cause: cause ?? null };
  store.messages.refuse({ actor: to, ...kept, ready_at: readyAtMs }, 'stubbed', arrivedAtMs);
}
