// Migration: what the author of a machine writes to bring stored actors to its next version (G2).

import type { Armings } from './effects.ts';

/** The context of another version: known to its author, not to TypeScript. */
export type StoredContext = Readonly<Record<string, unknown>>;

/** A stored actor as a migration gets it: plain JSON, its own copy. */
export interface StoredActor {
  /** The state value: `'editing'`, or an object by state; absent for `fromTransition`. */
  readonly value?: unknown;
  readonly context: StoredContext;
  /** Only live actors are migrated. */
  readonly status: 'active';
  /** By the id of each history state, the ids of the states that it remembers: `{ 'photos.hist': [{ id: 'photos.a' }] }`. */
  readonly historyValue?: Readonly<Record<string, readonly { readonly id: string }[]>>;
  /**
   * The active states' ids in the order of entry, where regions run in parallel. Left as it is while `value` changes, it is
   * put aside and the order of the document counts.
   */
  readonly nodes?: readonly string[];
  /** The invoked and spawned children by id. One that is here and not armed has ended. */
  readonly children?: Readonly<
    Record<string, { readonly src: string; readonly systemId?: string }>
  >;
  /**
   * What may still come to the actor. `timers`: incarnation to the id by which the machine knows the timer (of an `after`:
   * `xstate.after.<delay>.<state id>`); `calls`: child id to incarnation; `actors`: child id to address. Incarnations and
   * addresses stay as they are; the id beside them may become another, and the answer then comes under that id. What is left
   * out is taken back: a timer is cancelled, a call is asked to stop, a child is stopped.
   */
  readonly armings: Armings;
}

/** What a migration returns: the actor as the next version would have stored it. */
export interface MigratedActor extends StoredActor {
  /** What the actor must wait for in its new version and has not armed yet. Ordered with its next step. */
  readonly arms?: {
    /** Timer id to delay from now. Milliseconds. For an `after` the id is `xstate.after.<delay>.<state id>`. */
    readonly timers?: Readonly<Record<string, number>>;
    /** Child id to source and input of a call or child. */
    readonly children?: Readonly<
      Record<string, { readonly src: string; readonly input?: unknown; readonly systemId?: string }>
    >;
  };
  /** Ids of `after`s that have fired in this visit of their state, or must not fire in it. */
  readonly spent?: readonly string[];
}

/**
 * From one version to the next: pure and total, and it waits for nothing. It gets an actor in any state that its version
 * could be in. What it throws parks that actor (`migration_failed`) with everything as it was.
 */
export type Migration = (stored: StoredActor) => MigratedActor;
