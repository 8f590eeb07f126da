// Group: one transaction of a host or a sender, and what is to be performed once it is on disk (K2, K3).

import {
  type ActorAddress,
  type CallRow,
  isStorageFault,
  type MessageRow,
  type NewMessage,
  type Store,
} from '../../persistence/index.ts';
import type { CallSpec } from '../registry/index.ts';
import type { MachineEvent, Notification } from '../step/index.ts';
import { Arrivals } from './arrivals.ts';

/** What a transaction may write with. `arrivedAtMs` never decreases in a store; `nowMs` is the clock as it stands (T4). */
export interface Transaction {
  readonly store: Store;
  readonly nowMs: number;
  readonly arrivedAtMs: number;
  /** What it has written so far, about: characters of JSON. */
  writtenBytes: number;
  /** Messages that wait for an actor, counted when the first send of this transaction meets it. */
  readonly mailboxes: Map<string, number>;
  /** Sources of calls that wait for a claim. A host keeps them between transactions. */
  readonly waitingSources: Set<string>;
  /** True when a message became ready since it was last asked. */
  delivered: boolean;
  /** Puts a message into its actor's mailbox. @returns its sequence number. */
  mail(message: NewMessage): number;
}

/** A call that this host claimed in the group: started after the commit. */
export interface ClaimedCall {
  readonly row: CallRow;
  readonly spec: CallSpec;
}

export interface OrderedNotification {
  readonly actor: ActorAddress;
  readonly notification: Notification;
}

/** What a group owes the outside world after its commit, in the order in which it was ordered. */
export interface Performance {
  readonly starts: ClaimedCall[];
  /** Events for listeners that run here (K9a). */
  readonly tells: { readonly callId: string; readonly event: MachineEvent }[];
  /** Ids of running calls whose actor has no use for them any more. */
  readonly aborts: string[];
  readonly notifications: OrderedNotification[];
}

/** A part of an unguarded group threw after it may have written: nothing of the group may stay, and it is run again, guarded. */
export class TornGroup extends Error {
  override readonly name = 'TornGroup';
}

/** True for what a part may not answer by itself, because the whole group is lost. */
export function endsGroup(error: unknown): boolean {
  return error instanceof TornGroup || isStorageFault(error);
}

const ARRIVED_AT = 'arrivedAtMs';

export class Group implements Transaction {
  readonly store: Store;
  readonly nowMs: number;
  readonly arrivedAtMs: number;
  /** Messages up to this one were on disk before this transaction (V3). */
  readonly committedSeq: number;
  readonly performance: Performance = { starts: [], tells: [], aborts: [], notifications: [] };
  readonly waitingSources: Set<string>;
  /** True when something was written that must be committed. */
  wrote = false;
  delivered = false;
  /** True when a host has died in the step of a message that it had not committed: nobody can name it any more (V3). */
  hasUnnamedDeath = false;
  writtenBytes = 0;
  /** Actors whose journal has grown. */
  readonly touched = new Set<ActorAddress>();
  readonly mailboxes = new Map<string, number>();
  /** Undefined when the group is guarded. */
  private readonly arrivals: Arrivals | undefined;
  /** Children that steps of this group have ordered: their births may not have been among the messages it took. */
  readonly born = new Set<ActorAddress>();

  /**
   * Made when nothing has been written in the transaction yet.
   * @param machines Given for a group that is not guarded: its parts have no savepoints, and what it takes for these machines
   * it steps without writing it. It is a third faster, and lost whole when a part throws.
   */
  constructor(
    store: Store,
    nowMs: number,
    arrivedAtMs: number,
    waitingSources: Set<string>,
    machines?: ReadonlySet<string>,
  ) {
    this.arrivals = machines === undefined ? undefined : new Arrivals(store, machines);
    this.store = store;
    this.nowMs = nowMs;
    this.arrivedAtMs = arrivedAtMs;
    this.waitingSources = waitingSources;
    this.committedSeq = store.messages.last();
  }

  /**
   * Runs a part of the group that is undone alone when it throws: its rows, and what it owed the outside world. Nests.
   * @throws what `run` throws; {TornGroup} instead when the group is not guarded.
   */
  part<T>(run: () => T): T {
    return this.arrivals === undefined ? this.guarded(run) : this.unguarded(run);
  }

  mail(message: NewMessage): number {
    return this.arrivals === undefined
      ? this.store.messages.insert(message)
      : this.arrivals.take(message);
  }

  /** Messages that came in this group and may be stepped in it. */
  arrived(): readonly MessageRow[] {
    return this.arrivals?.all() ?? [];
  }

  /** Takes a message out to step it; false when it is not there any more, or is held: then there is no step (K2). */
  remove(seq: number): boolean {
    return this.arrivals?.remove(seq) === true || this.store.messages.remove(seq);
  }

  /** Must be called before the commit: writes what was not stepped, and when messages last arrived. */
  close(): void {
    this.arrivals?.close();
    this.store.setMeta(ARRIVED_AT, this.arrivedAtMs);
  }

  private unguarded<T>(run: () => T): T {
    try {
      return run();
    } catch (error) {
      throw endsGroup(error) ? error : new TornGroup('a part threw', { cause: error });
    }
  }

  private guarded<T>(run: () => T): T {
    const lists = Object.values(this.performance) as unknown[][];
    const lengths = lists.map((list) => list.length);
    try {
      return this.store.savepoint(run);
    } catch (error) {
      for (const [index, list] of lists.entries()) list.length = lengths[index] ?? 0;
      throw error;
    }
  }
}

/** Arrival times never decrease in a store, whatever the clock does (T4). */
export function arrivalOf(store: Store, nowMs: number): number {
  return Math.max(nowMs, Number(store.getMeta(ARRIVED_AT) ?? 0));
}
