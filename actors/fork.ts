// Fork: a new actor that begins as another was at one of its revisions (J4).
//
// J4  the source is only read: its journal gets the row of the intervention, nothing else. The fork begins at the
//     source's revision, so that each arming keeps its name; its first row holds a checkpoint, the origin, and what it
//     has armed anew, so that the fork replays like any actor.
// J5  a fork is an intervention: who, when, why.
//
// Timers get the time that they had left at that revision, from now on. Calls are ordered anew, stubbed unless asked
// otherwise. Children are not forked: the fork waits for children that do not exist, under addresses of its own.

import {
  type ActorAddress,
  ADDRESS_CHARACTERS_MAX,
  idOf,
  type JournalRow,
  machineOf,
  type Store,
  TroupeError,
  toAddress,
} from '../persistence/index.ts';
import type { Transaction } from './engine/group.ts';
import { orderCall, orderTimer } from './engine/orders.ts';
import { appendIntervention, type Intervention } from './intervention.ts';
import type { Past } from './replay/index.ts';
import { type Armings, checkpointOf, type Effect } from './step/index.ts';

export interface ForkOptions extends Intervention {
  /** The revision of the source at which the fork begins, from 1. */
  readonly revision: number;
  /** The second part of the fork's address. 1–256 characters; default: a new unique one. */
  readonly id?: string;
  /**
   * `stubbed`: nothing that the fork orders acts on the outside: its calls do not run and wait for `answer`, its custom
   * actions do not run, what it sends to actors that are not stubbed is kept as undeliverable; for all that it spawns, too.
   * `live`: all of that is done, open calls of the source's revision are ordered once more. Default: `stubbed`.
   */
  readonly calls?: 'stubbed' | 'live';
}

/** A fork: its address, and the revision at which it begins. */
export interface Fork {
  readonly address: ActorAddress;
  readonly revision: number;
}

/** What a fork is made of. Nothing of it is written yet. */
export interface Forking {
  readonly address: ActorAddress;
  readonly past: Past;
  readonly armings: Armings;
  /** What is armed anew. */
  readonly orders: readonly Order[];
  readonly intervention: Intervention;
}

type Order = Extract<Effect, { kind: 'schedule' | 'call' }>;

/**
 * Makes a fork of an actor's past. Reads, writes nothing.
 * @throws {TroupeError} `actor_final` where the actor had ended, `invalid_address`, `journal_incomplete`.
 */
export function forkOf(
  store: Store,
  past: Past,
  id: string,
  calls: 'stubbed' | 'live',
  intervention: Intervention,
): Forking {
  const { state } = past;
  requireActive(past);
  const address = toAddress(machineOf(state.address) ?? '', id);
  const { timers, calls: open } = state.armings;
  const actors = Object.entries(state.armings.actors).map(([childId, child]) => [
    childId,
    ownAddress(child, state.address, address),
  ]);
  return {
    address,
    past,
    armings: {
      timers,
      calls: open,
      actors: Object.fromEntries(actors) as Armings['actors'],
      ...(calls === 'stubbed' ? { stubbed: true } : {}),
    },
    orders: ordersOf(store, past),
    intervention,
  };
}

/** Writes a fork. @throws {TroupeError} `actor_exists`: nothing was written. */
export function admitFork(transaction: Transaction, forking: Forking): Fork {
  const { address, past, armings, orders, intervention } = forking;
  const { store } = transaction;
  const source = past.state.address;
  if (store.actors.status(address) !== undefined) {
    throw new TroupeError('actor_exists', `${address} exists. Choose another id for the fork.`, {
      details: { address },
    });
  }
  const actor = { ...past.state, address, armings };
  const cause = appendBirth(transaction, forking);
  const ordering = { transaction, machine: past.machine, actor, cause };
  for (const order of orders) {
    if (order.kind === 'call') orderCall(ordering, order);
    else orderTimer(ordering, order);
  }
  appendIntervention(transaction, source, 'fork', intervention, { fork: address });
  return { address, revision: actor.revision };
}

function appendBirth(transaction: Transaction, forking: Forking): number {
  const { store, nowMs, arrivedAtMs } = transaction;
  const { address, past, armings, orders, intervention } = forking;
  const { machine, made, state } = past;
  const { revision, snapshot, text } = state;
  // The machine may have seen this time already: stamps never go back in an actor.
  const atMs = Math.max(nowMs, made.at);
  store.actors.fork({
    id: address,
    machine: machine.name,
    machineVersion: machine.version,
    parent: state.parent,
    childId: state.childId,
    baseRevision: revision,
    status: 'active',
    state: made.state ?? 'null',
    tags: JSON.stringify(snapshot !== undefined && 'tags' in snapshot ? [...snapshot.tags] : []),
    snapshot: text,
    armings: JSON.stringify(armings),
    arrivedAtMs,
    atMs,
  });
  const checkpoint = checkpointOf({ text, armings });
  const effects = orders.length === 0 ? undefined : JSON.stringify(orders);
  transaction.writtenBytes += text.length + checkpoint.length + (effects?.length ?? 0);
  return store.journal.append({
    actor: address,
    revision,
    atMs,
    kind: 'intervention',
    event: JSON.stringify({ type: 'troupe.fork', ...intervention, source: state.address }),
    machineVersion: machine.version,
    cause: made.seq,
    effects,
    state: made.state ?? undefined,
    checkpoint,
  });
}

function requireActive({ state: { address, revision, snapshot } }: Past): void {
  if (snapshot?.status === 'active') return;
  throw new TroupeError(
    'actor_final',
    `${address} has ended at revision ${revision}, and a fork of it could do nothing. Fork an earlier revision: see 'troupe journal ${address}'.`,
    { details: { address, revision } },
  );
}

/** The address that the fork's child would have. Nobody lives there, and the source's child hears nothing of the fork. */
function ownAddress(child: ActorAddress, source: ActorAddress, fork: ActorAddress): ActorAddress {
  const rest = idOf(child).slice(idOf(source).length);
  const address = toAddress(machineOf(child) ?? '', `${idOf(fork)}${rest}`);
  if (address.length <= ADDRESS_CHARACTERS_MAX) return address;
  throw new TroupeError(
    'invalid_address',
    `The fork's child ${address.slice(0, 100)}… would have an address of ${address.length} characters; at most ${ADDRESS_CHARACTERS_MAX} are taken. Give the fork a shorter id.`,
  );
}

/** The orders of all that is armed, timers with the time that they have left. */
function ordersOf(store: Store, { state, made }: Past): Order[] {
  const { address, revision, armings } = state;
  const armed = [...Object.keys(armings.timers), ...Object.values(armings.calls)];
  if (armed.length === 0) return [];
  const rows = store.journal.ordering(address, revision, armed.map(revisionOf));
  const orders = new Map(rows.flatMap((row) => ordersIn(row, made.at)));
  return armed.map((incarnation) => {
    const order = orders.get(incarnation);
    if (order !== undefined) return order;
    throw new TroupeError(
      'journal_incomplete',
      `The journal of ${address} does not tell any more how ${incarnation} was armed. Fork a later revision.`,
      { details: { address, revision, incarnation } },
    );
  });
}

/** `<id>@<revision>`, or `<id>@<revision>#<number>` where one step has armed it twice. */
function revisionOf(incarnation: string): number {
  return Number(/@(\d+)(?:#\d+)?$/.exec(incarnation)?.[1] ?? 0);
}

function ordersIn(row: JournalRow, atMs: number): (readonly [incarnation: string, Order])[] {
  const effects = JSON.parse(row.effects ?? '[]') as readonly Effect[];
  return effects.flatMap((effect): (readonly [string, Order])[] => {
    if (effect.kind === 'call') return [[effect.incarnation, effect]];
    if (effect.kind !== 'schedule') return [];
    const delayMs = Math.max(row.at + Math.ceil(effect.delayMs) - atMs, 0);
    return [[effect.incarnation, { ...effect, delayMs }]];
  });
}
