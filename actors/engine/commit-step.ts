// Commit step: turns one step into rows: snapshot, journal, and every effect (K2). Performs nothing.

import {
  type ActorAddress,
  type MessageRow,
  type NewJournalRow,
  TroupeError,
} from '../../persistence/index.ts';
import { CHECKPOINT_REVISIONS } from '../limits.ts';
import type { RegisteredMachine } from '../registry/index.ts';
import {
  checkpointOf,
  doneEvent,
  type Effect,
  errorEvent,
  type MachineEvent,
  STUBBED,
  type Step,
} from '../step/index.ts';
import type { ActorCache } from './actor-cache.ts';
import { BIRTH_READY_MS, initEvent } from './admission.ts';
import { cancelCall, endActor, stopTree } from './endings.ts';
import type { Group } from './group.ts';
import { callIdOf, deliverFrom, type Ordering, orderCall, orderTimer } from './orders.ts';

export interface Committing {
  readonly group: Group;
  readonly cache: ActorCache;
  readonly machine: RegisteredMachine;
  readonly versionOf: (machine: string) => number;
  readonly step: Step;
  readonly atMs: number;
  /** The message that the step has taken. */
  readonly message: MessageRow;
  /** The actor was in an older version before (G2). */
  readonly isMigrated: boolean;
}

/** Writes one step. @throws {TroupeError} `revision_conflict` when the stored revision is not the base (K4). */
export function commitStep(committing: Committing): void {
  const { group, machine, step, atMs } = committing;
  const { after } = step;
  const written = group.store.actors.step({
    id: after.address,
    baseRevision: after.revision - 1,
    status: step.status,
    state: step.state,
    tags: JSON.stringify(step.tags),
    snapshot: after.text,
    armings: JSON.stringify(after.armings),
    atMs,
  });
  if (!written) {
    throw new TroupeError(
      'revision_conflict',
      `${after.address} is not at revision ${after.revision - 1} any more. It is read again.`,
    );
  }
  if (committing.isMigrated) group.store.actors.migrate(after.address, machine.version);
  const seq = appendStep(committing);
  group.writtenBytes +=
    after.text.length + committing.message.event.length + (step.effectsText?.length ?? 0);
  applyEffects(committing, seq);
  if (step.status !== 'active') endStep(committing, seq);
}

function appendStep({ group, machine, step, atMs, message, isMigrated }: Committing): number {
  const { after } = step;
  const isCheckpoint = isMigrated || after.revision % CHECKPOINT_REVISIONS === 0;
  return group.store.journal.append({
    actor: after.address,
    revision: after.revision,
    atMs,
    kind: 'step',
    event: message.event,
    ...originColumns(message),
    machineVersion: machine.version,
    effects: step.effectsText,
    state: step.state,
    checkpoint: isCheckpoint ? checkpointOf(after) : undefined,
  });
}

/** What the journal keeps of the message that a row is about. */
export function originColumns(message: MessageRow): OriginColumns {
  return {
    message: message.seq,
    origin: message.kind,
    incarnation: message.incarnation ?? undefined,
    sender: message.sender ?? undefined,
    cause: message.cause ?? undefined,
  };
}

type OriginColumns = Pick<NewJournalRow, 'message' | 'origin' | 'incarnation' | 'sender' | 'cause'>;

/** Births come first, so that what the same step sends to a newborn finds it. The rest keeps its order. */
function applyEffects(committing: Committing, cause: number): void {
  const { effects } = committing.step;
  for (const effect of effects) if (effect.kind === 'spawn') spawnChild(committing, effect, cause);
  const ordering = {
    transaction: committing.group,
    machine: committing.machine,
    actor: committing.step.after,
    cause,
  };
  for (const effect of effects) applyEffect(committing, effect, ordering);
  // J4: a notification acts on the outside.
  if (committing.step.after.armings.stubbed) return;
  for (const notification of committing.step.notifications) {
    committing.group.performance.notifications.push({
      actor: committing.step.after.address,
      notification,
    });
  }
}

function applyEffect({ group, cache, step }: Committing, effect: Effect, ordering: Ordering): void {
  const { after } = step;
  const { cause } = ordering;
  const { address } = after;
  switch (effect.kind) {
    case 'send':
      if (isListener(group, address, effect.to)) {
        group.performance.tells.push({ callId: effect.to, event: effect.event });
        return;
      }
      group.delivered =
        deliverFrom(group, after, {
          to: effect.to,
          from: address,
          event: JSON.stringify(effect.event),
          kind: 'event',
          cause,
        }) || group.delivered;
      return;
    case 'schedule':
      return orderTimer(ordering, effect);
    case 'unschedule':
      return group.store.messages.unschedule(address, effect.incarnation);
    case 'call':
      return orderCall(ordering, effect);
    case 'cancelCall':
      return cancelCall(group, group.store.calls.get(callIdOf(address, effect.incarnation)));
    case 'stop':
      for (const stopped of stopTree(group, effect.address, cause)) cache.drop(stopped);
      return;
    case 'spawn':
    case 'emit':
    case 'notify':
      return;
  }
}

/** K9a: what an actor tells its listener is heard after the commit, at most once, by the host on which it runs. */
function isListener({ store }: Group, address: ActorAddress, to: string): boolean {
  return to.startsWith(`${address}#`) && store.calls.get(to)?.class === 'listener';
}

function spawnChild(
  { group, step, versionOf }: Committing,
  effect: Extract<Effect, { kind: 'spawn' }>,
  cause: number,
): void {
  const input = JSON.stringify(effect.input) as string | undefined;
  group.store.actors.insert({
    id: effect.address,
    machine: effect.machine,
    machineVersion: versionOf(effect.machine),
    parent: step.after.address,
    childId: effect.childId,
    input: undefined,
    // J4: a child of a stubbed actor is stubbed from its birth on.
    armings: step.after.armings.stubbed ? JSON.stringify(STUBBED) : undefined,
    atMs: group.arrivedAtMs,
  });
  group.mail({
    actor: effect.address,
    sender: step.after.address,
    event: initEvent(input),
    kind: 'init',
    readyAtMs: BIRTH_READY_MS,
    cause,
    held: false,
  });
  group.born.add(effect.address);
  group.delivered = true;
}

/** An actor that has ended leaves nothing behind, and its parent is told. */
function endStep({ group, step, atMs }: Committing, cause: number): void {
  const { address, parent, childId } = step.after;
  endActor(group, address, atMs);
  if (parent === undefined || childId === undefined) return;
  group.delivered =
    deliverFrom(group, step.after, {
      to: parent,
      from: address,
      event: JSON.stringify(endEvent(step, childId)),
      kind: 'actor',
      incarnation: address,
      cause,
    }) || group.delivered;
}

function endEvent({ status, after }: Step, childId: string): MachineEvent {
  const { output, error } = JSON.parse(after.text) as { output?: unknown; error?: unknown };
  return status === 'done' ? doneEvent(childId, output) : errorEvent(childId, error);
}
