// Scope: what XState sees of the world while it steps one actor. It collects actions and lets nothing run (K1).
//
// XState's own pure functions build a throw-away actor for every call; this scope is made once for a loaded actor.
// It touches underscored members of XState's system, so xstate's version is pinned and the differential test (K9)
// guards it.

import type { ActorAddress } from '../../persistence/address.ts';
import { machineOf } from '../../persistence/address.ts';
import { StepError } from './error.ts';

/** A reference that machine code can hold while it runs: to itself, its parent, a child or an address. */
export interface Ref {
  readonly id: string;
  readonly sessionId: string;
  readonly address?: ActorAddress | undefined;
}

/** What XState hands to the executor: one action of the macrostep, in order. */
export interface CollectedAction {
  readonly type: string;
  readonly params: unknown;
  readonly info: unknown;
  readonly exec: unknown;
}

const impure = (what: string) => (): never => {
  throw new StepError(
    'impure_machine',
    `Machine code used ${what} while it was stepped. Order it as an action, an invoke or a delay instead.`,
  );
};

/** The part of XState's system that its transition functions use. */
class StepSystem {
  readonly _clock = { setTimeout: impure('the clock'), clearTimeout: impure('the clock') };
  readonly _logger = impure('the logger');
  readonly scheduler = {
    schedule: impure('the scheduler'),
    cancel: impure('the scheduler'),
    cancelAll: impure('the scheduler'),
  };
  private readonly keyed = new Map<string, Ref>();
  private booked = 0;

  readonly _bookId = (): string => `x:${this.booked++}`;
  readonly _register = (sessionId: string): string => sessionId;
  readonly _sendInspectionEvent = (): void => {};
  readonly _relay = impure('send()');
  readonly inspect = impure('inspect()');
  readonly getSnapshot = (): object => ({ _scheduledEvents: {} });

  readonly _set = (systemId: string, ref: Ref): void => {
    const existing = this.keyed.get(systemId);
    if (existing && existing !== ref) {
      throw new Error(`Actor with system ID '${systemId}' already exists.`);
    }
    this.keyed.set(systemId, ref);
  };

  readonly _unregister = (ref: Ref): void => {
    for (const [key, value] of this.keyed) if (value === ref) this.keyed.delete(key);
  };

  /** An own child by its system id, else any actor by its address. Reads nothing outside the actor. */
  readonly get = (key: string): Ref | undefined =>
    this.keyed.get(key) ?? (machineOf(key) === undefined ? undefined : remoteRef(key, this));

  readonly getAll = (): Record<string, Ref> => Object.fromEntries(this.keyed);
}

export interface SelfRef extends Ref {
  readonly _parent: Ref | undefined;
  readonly system: StepSystem;
}

function remoteRef(address: ActorAddress, system: StepSystem): Ref {
  const ref = {
    id: address,
    sessionId: address,
    address,
    system,
    send: impure('send()'),
    getSnapshot: impure('getSnapshot()'),
  };
  return ref;
}

/** The scope of one loaded actor. Not shared, not stored. */
export class StepScope {
  readonly id: string;
  readonly sessionId: string;
  readonly self: SelfRef;
  readonly system = new StepSystem();
  readonly logger = impure('the logger');
  readonly stopChild = impure('stopChild()');
  readonly emit = (event: unknown): void => {
    this.actionExecutor({ type: 'xstate.emit', params: { event }, info: {}, exec: undefined });
  };
  collected: CollectedAction[] = [];

  constructor(
    address: ActorAddress,
    parent: ActorAddress | undefined,
    childId: string | undefined,
  ) {
    this.id = childId ?? address;
    this.sessionId = address;
    const parentRef = parent === undefined ? undefined : remoteRef(parent, this.system);
    this.self = {
      ...remoteRef(address, this.system),
      id: this.id,
      _parent: parentRef,
      system: this.system,
    };
  }

  /** XState calls this only for `spawn` inside `assign` or context: everything else defers when it is executed. */
  readonly defer = (): never => {
    throw new StepError(
      'spawn_in_assign',
      'spawn() inside assign() or context makes an actor that no snapshot can name. Use spawnChild with an id, or invoke.',
    );
  };

  /** Called by XState for every action; it swaps it for the time of a microstep and puts it back. */
  actionExecutor = (action: CollectedAction): void => {
    // A stopped child gives its system id free at once, so that a re-entered state can take it again.
    if (action.type === 'xstate.stopChild' && action.params) {
      this.system._unregister(action.params as Ref);
    }
    this.collected.push(action);
  };

  /** Hands over what the macrostep ordered and starts the next list. */
  take(): CollectedAction[] {
    const taken = this.collected;
    this.collected = [];
    return taken;
  }
}
