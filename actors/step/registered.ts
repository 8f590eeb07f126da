// What the step knows of a registered machine: inert logic and what each of its sources stands for.

import type { AnyMachineSnapshot, AnyStateMachine, Snapshot } from 'xstate';
import type { StepScope } from './scope.ts';

/** What a source of a machine (the `src` of an invoke or spawnChild) is registered as. */
export type SourceKind =
  /** A durable call: a registered function on a worker thread, or a promise that the machine brings. */
  | { readonly kind: 'call' }
  /** A durable child actor of that registered machine. */
  | { readonly kind: 'actor'; readonly machine: string };

/** `fromTransition` logic: a context, a reducer, no states. */
export interface TransitionLogic {
  transition(snapshot: TransitionSnapshot, event: object, scope: object): TransitionSnapshot;
  getInitialSnapshot(scope: object, input: unknown): TransitionSnapshot;
}

export type TransitionSnapshot = Snapshot<unknown> & { readonly context: unknown };

export type Steppable =
  | { readonly kind: 'machine'; readonly machine: AnyStateMachine }
  | { readonly kind: 'transition'; readonly logic: TransitionLogic };

/** A machine as the step uses it. Immutable; nothing in it can run by itself. */
export interface SteppedMachine {
  /** The machine's id, or `<parent machine>.<source>` for logic that only a parent names. */
  readonly name: string;
  readonly version: number;
  readonly steppable: Steppable;
  readonly sources: ReadonlyMap<string, SourceKind>;
}

export type LiveSnapshot = AnyMachineSnapshot | TransitionSnapshot;

export function isMachineSnapshot(snapshot: LiveSnapshot): snapshot is AnyMachineSnapshot {
  return 'machine' in snapshot;
}

/** The state nodes that a snapshot is in. XState keeps them in an underscored member. */
export function activeNodes(snapshot: AnyMachineSnapshot): readonly ActiveNode[] {
  return (snapshot as AnyMachineSnapshot & { readonly _nodes: readonly ActiveNode[] })._nodes;
}

/** True when the machine has a state of that id. XState keeps the ids in a member that its types hide. */
export function hasNode(machine: AnyStateMachine, id: string): boolean {
  return (machine as unknown as { readonly idMap: ReadonlyMap<string, unknown> }).idMap.has(id);
}

export interface ActiveNode {
  readonly id: string;
  readonly type: string;
  readonly tags: readonly string[];
  readonly invoke: readonly { readonly id: string }[];
  /** By event descriptor. */
  readonly transitions: ReadonlyMap<string, unknown>;
  /** Its delayed transitions: the event type is also the id of the timer. */
  readonly after: readonly { readonly eventType: string }[];
}

/** Runs one transition under a scope. @throws what machine code throws. */
export function transitionOf(
  steppable: Steppable,
  snapshot: LiveSnapshot,
  event: object,
  scope: StepScope,
): LiveSnapshot {
  if (steppable.kind === 'transition') {
    return steppable.logic.transition(snapshot as TransitionSnapshot, event, scope);
  }
  return steppable.machine.transition(
    snapshot as AnyMachineSnapshot,
    event,
    scope as never,
  ) as AnyMachineSnapshot;
}

/** Computes the initial snapshot. XState reports what machine code throws here as a snapshot of status `error`. */
export function initialOf(steppable: Steppable, input: unknown, scope: StepScope): LiveSnapshot {
  if (steppable.kind === 'transition') return steppable.logic.getInitialSnapshot(scope, input);
  return steppable.machine.getInitialSnapshot(scope as never, input) as AnyMachineSnapshot;
}
