// Step: applies one stamped event to one actor. It owns no state and performs nothing.
//
// K1  nothing here waits, reads a clock or touches a disk; equal input gives equal bytes.
// K4  the revision grows by exactly one.
// K6  what machine code throws comes out as a StepError; the snapshot before is untouched.
// K7  an eventless loop ends at MICROSTEPS_MAX.
// K9  the step equals XState's own transition().

import type { ActorAddress } from '../../persistence/address.ts';
import {
  EVENT_BYTES_MAX,
  MICROSTEPS_MAX,
  SNAPSHOT_BYTES_MAX,
  STEP_WRITES_BYTES_MAX,
} from '../limits.ts';
import { underStamp } from './determinism.ts';
import {
  type Armings,
  type Effect,
  isLive,
  type MachineEvent,
  NO_ARMINGS,
  type Origin,
} from './effects.ts';
import { messageOf, StepError } from './error.ts';
import { persist, restore } from './persisted.ts';
import {
  activeNodes,
  initialOf,
  isMachineSnapshot,
  type LiveSnapshot,
  type SteppedMachine,
  transitionOf,
} from './registered.ts';
import { type CollectedAction, StepScope } from './scope.ts';
import { type Notification, translate } from './translate.ts';

/** An actor as the step takes it and gives it back. `snapshot` is undefined before its first step. */
export interface ActorState {
  readonly address: ActorAddress;
  readonly parent: ActorAddress | undefined;
  readonly childId: string | undefined;
  readonly revision: number;
  readonly snapshot: LiveSnapshot | undefined;
  /** The stored JSON of `snapshot`; empty before the first step. */
  readonly text: string;
  readonly armings: Armings;
  readonly scope: StepScope;
}

/** One event on its way into a step, stamped with the time that machine code sees as `event.atMs`. */
export interface Delivery {
  readonly event: MachineEvent;
  /** Milliseconds since 1970. Never smaller than the actor's last. */
  readonly atMs: number;
  readonly origin: Origin;
}

export interface Step {
  readonly kind: 'step';
  readonly after: ActorState;
  readonly status: 'active' | 'done' | 'error' | 'stopped';
  /** The state value as JSON; `null` for logic without states. */
  readonly state: string;
  readonly tags: readonly string[];
  readonly effects: readonly Effect[];
  /** The effects as JSON, or undefined when there are none. */
  readonly effectsText: string | undefined;
  readonly notifications: readonly Notification[];
  /** XState's executable actions as they were collected, in order. For the differential test. */
  readonly actions: readonly CollectedAction[];
  /** False when the snapshot must be read back from its text before the next step. */
  readonly exact: boolean;
}

/** The event answers an arming that is gone: nothing moves. */
export interface Late {
  readonly kind: 'late';
}

export const INIT_EVENT = 'xstate.init';

/**
 * An actor that has not been stepped yet. Its first delivery is `{ type: 'xstate.init', input }`. It has armed nothing,
 * but its armings may say already that it is stubbed (J4).
 */
export function unborn(
  address: ActorAddress,
  parent: ActorAddress | undefined,
  childId: string | undefined,
  armings: Armings = NO_ARMINGS,
): ActorState {
  const scope = new StepScope(address, parent, childId);
  return {
    address,
    parent,
    childId,
    revision: 0,
    snapshot: undefined,
    text: '',
    armings,
    scope,
  };
}

/** An actor from its stored form. @throws {StepError} when the snapshot is damaged or not of this machine. */
export function revive(
  machine: SteppedMachine,
  stored: Pick<ActorState, 'address' | 'parent' | 'childId' | 'revision' | 'text' | 'armings'>,
): ActorState {
  const scope = new StepScope(stored.address, stored.parent, stored.childId);
  return { ...stored, scope, snapshot: restore(machine, stored.text, scope) };
}

/**
 * Applies one event to one actor. Pure: the actor before stays as it was, but its scope belongs to the actor after.
 * @throws {StepError} when machine code throws or does what K7, K8 or K10 refuse; the actor before must then be
 * revived from its text.
 */
export function step(machine: SteppedMachine, before: ActorState, delivery: Delivery): Step | Late {
  if (!isLive(before.armings, delivery.origin)) return { kind: 'late' };
  try {
    return take(machine, before, underItsId(before.armings, delivery));
  } catch (thrown) {
    throw asStepError(thrown);
  }
}

function take(machine: SteppedMachine, before: ActorState, delivery: Delivery): Step {
  const revision = before.revision + 1;
  const stamp = { atMs: delivery.atMs, seed: `${before.address}@${revision}` };
  const moved = underStamp(stamp, () => runMachine(machine, before, delivery));
  const actions = before.scope.take();
  const stepping = {
    machine,
    address: before.address,
    parent: before.parent,
    revision,
    scope: before.scope,
  };
  const ordered = translate(stepping, actions, disarm(before.armings, delivery.origin));
  const snapshot = withoutFinishedChild(moved, before.snapshot, delivery);
  const persisted = persist(snapshot);
  // Nothing has moved: what a guard may have changed in place is not kept, in memory either.
  const isSame = snapshot === before.snapshot;
  const text = isSame ? before.text : persisted.text;
  const exact = persisted.exact && persisted.text === text;
  const effectsText = ordered.effects.length === 0 ? undefined : JSON.stringify(ordered.effects);
  requireSizes(text, effectsText, ordered.effects, delivery.event);
  return {
    kind: 'step',
    after: { ...before, revision, snapshot, text, armings: ordered.armings },
    status: snapshot.status,
    state: JSON.stringify(isMachineSnapshot(snapshot) ? snapshot.value : null),
    tags: isMachineSnapshot(snapshot) ? [...snapshot.tags] : [],
    effects: ordered.effects,
    effectsText,
    notifications: ordered.notifications,
    actions,
    exact,
  };
}

/** True when the machine has a transition of its own for the event where the actor is; a reducer takes any event. */
export function wouldMove(
  { steppable }: SteppedMachine,
  { snapshot }: ActorState,
  event: MachineEvent,
): boolean {
  if (snapshot === undefined || steppable.kind === 'transition') return true;
  if (!isMachineSnapshot(snapshot)) return true;
  return activeNodes(snapshot).some(({ transitions }) =>
    [...transitions.keys()].some((descriptor) => takes(descriptor, event.type)),
  );
}

/** XState's descriptors: the type itself, `*`, or the beginning of a type with `.*`. */
function takes(descriptor: string, type: string): boolean {
  if (descriptor === '*' || descriptor === type) return true;
  return descriptor.endsWith('.*') && `${type}.`.startsWith(descriptor.slice(0, -1));
}

/** What an earlier version armed under another id comes under the id that the arming has now (G2). */
function underItsId(armings: Armings, delivery: Delivery): Delivery {
  const { origin, event } = delivery;
  switch (origin.kind) {
    case 'event':
      return delivery;
    case 'timer': {
      const id = armings.timers[origin.incarnation];
      const isSame = id === undefined || id === event.type || !isAfter(id);
      return isSame ? delivery : { ...delivery, event: { ...event, type: id } };
    }
    case 'call':
    case 'actor':
      return childUnderItsId(origin.kind === 'call' ? armings.calls : armings.actors, delivery);
  }
}

function isAfter(id: string): boolean {
  return id.startsWith('xstate.after.');
}

function childUnderItsId(
  armed: Readonly<Record<string, string>>,
  delivery: Delivery & { readonly origin: { readonly incarnation?: string } },
): Delivery {
  const { origin, event } = delivery;
  const found = Object.entries(armed).find(([, incarnation]) => incarnation === origin.incarnation);
  const old = event['actorId'];
  if (found === undefined || typeof old !== 'string' || found[0] === old) return delivery;
  const [id] = found;
  const type = `${event.type.slice(0, -old.length)}${id}`;
  return { ...delivery, event: { ...event, type, actorId: id } };
}

function runMachine(machine: SteppedMachine, before: ActorState, delivery: Delivery): LiveSnapshot {
  before.scope.take();
  const isBirth = delivery.event.type === INIT_EVENT;
  if (isBirth !== (before.snapshot === undefined)) {
    throw new StepError(
      'assertion_failed',
      `revision ${before.revision} met ${delivery.event.type}`,
    );
  }
  if (before.snapshot !== undefined) {
    const stamped = { ...delivery.event, atMs: delivery.atMs };
    return transitionOf(machine.steppable, before.snapshot, stamped, before.scope);
  }
  const initial = initialOf(machine.steppable, delivery.event['input'], before.scope);
  // XState reports what machine code throws at birth as a snapshot; a birth has no other way to fail.
  if (initial.status === 'error') throw asStepError(initial.error);
  return initial;
}

function asStepError(thrown: unknown): StepError {
  if (thrown instanceof StepError) return thrown;
  const message = messageOf(thrown);
  if (message.startsWith('Infinite loop detected')) {
    return new StepError(
      'eventless_loop',
      `The machine took more than ${MICROSTEPS_MAX} microsteps without coming to rest. Look for always or raise transitions that lead back to where they began.`,
      thrown,
    );
  }
  if (message.startsWith('Unable to send event to actor')) {
    return new StepError('target_unknown', message, thrown);
  }
  return new StepError('machine_threw', message, thrown);
}

/** What has come back has no arming any more: a timer fires once, a child answers once. */
function disarm(armings: Armings, origin: Origin): Armings {
  switch (origin.kind) {
    case 'event':
      return armings;
    case 'timer':
      return { ...armings, timers: without(armings.timers, (key) => key === origin.incarnation) };
    case 'call':
      return {
        ...armings,
        calls: without(armings.calls, (_id, value) => value === origin.incarnation),
      };
    case 'actor':
      return {
        ...armings,
        actors: without(armings.actors, (_id, value) => value === origin.incarnation),
      };
  }
}

function without<T>(
  record: Readonly<Record<string, T>>,
  leaves: (key: string, value: T) => boolean,
): Record<string, T> {
  return Object.fromEntries(Object.entries(record).filter(([key, value]) => !leaves(key, value)));
}

/** A spawned child that has answered leaves the snapshot; an invoked one leaves with its state, as XState has it. */
function withoutFinishedChild(
  snapshot: LiveSnapshot,
  before: LiveSnapshot | undefined,
  delivery: Delivery,
): LiveSnapshot {
  const { origin, event } = delivery;
  if (origin.kind !== 'call' && origin.kind !== 'actor') return snapshot;
  if (before === undefined || !isMachineSnapshot(snapshot) || !isMachineSnapshot(before)) {
    return snapshot;
  }
  const childId = String(event['actorId']);
  const child = snapshot.children[childId];
  if (child === undefined || child !== before.children[childId]) return snapshot;
  const invoked = activeNodes(snapshot).some((node) =>
    node.invoke.some((invoke) => invoke.id === childId),
  );
  if (invoked) return snapshot;
  const children = without(snapshot.children, (id) => id === childId);
  return Object.assign({}, snapshot, { children });
}

function requireSizes(
  text: string,
  effectsText: string | undefined,
  effects: readonly Effect[],
  event: MachineEvent,
): void {
  const snapshotBytes = bytesOver(text, SNAPSHOT_BYTES_MAX);
  if (snapshotBytes !== undefined) {
    throw new StepError(
      'snapshot_too_large',
      `The snapshot has ${snapshotBytes} bytes; at most ${SNAPSHOT_BYTES_MAX} are stored. Keep large data in files and their names in the context.`,
    );
  }
  if (effectsText === undefined) return;
  if (effectsText.length > EVENT_BYTES_MAX / 3) requireEventSizes(effects);
  const writes = text + effectsText;
  // The event is written, too; it is put into the sum only where it could matter.
  if ((writes.length + EVENT_BYTES_MAX) * 3 <= STEP_WRITES_BYTES_MAX) return;
  const bytes = bytesOver(writes + JSON.stringify(event), STEP_WRITES_BYTES_MAX);
  if (bytes === undefined) return;
  throw new StepError(
    'writes_too_large',
    `The step writes ${bytes} bytes; at most ${STEP_WRITES_BYTES_MAX} are allowed. Order less in one step.`,
  );
}

function requireEventSizes(effects: readonly Effect[]): void {
  for (const effect of effects) {
    const bytes = bytesOver(JSON.stringify(effect), EVENT_BYTES_MAX);
    if (bytes === undefined) continue;
    throw new StepError(
      'event_too_large',
      `An effect of kind ${effect.kind} has ${bytes} bytes; an event or input has at most ${EVENT_BYTES_MAX}. Pass a file's name instead of its content.`,
    );
  }
}

/** The size of a text when it is over a limit, else undefined. Encodes only what may be over it. */
export function bytesOver(text: string, limitBytes: number): number | undefined {
  if (text.length * 3 <= limitBytes) return undefined;
  const bytes = new TextEncoder().encode(text).length;
  return bytes > limitBytes ? bytes : undefined;
}
