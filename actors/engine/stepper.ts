// Stepper: takes one ready message through one step into the group's transaction, or parks its actor.
//
// K2  a step begins by removing its message; without a removed row there is no step.
// K5  only an active actor is stepped.
// K6  a StepError parks the one actor; every other goes on.

import {
  type ActorRow,
  assert,
  isStorageFault,
  type MessageRow,
  TroupeError,
} from '../../persistence/index.ts';
import { parseBy } from '../issues.ts';
import type { RegisteredMachine, Registry } from '../registry/index.ts';
import {
  type ActorState,
  type Armings,
  messageOf,
  revive,
  type Step,
  StepError,
  step,
  unborn,
} from '../step/index.ts';
import type { ActorCache, CachedActor } from './actor-cache.ts';
import { commitStep, originColumns } from './commit-step.ts';
import type { Group } from './group.ts';
import { refusalOf } from './mailbox.ts';
import { originOf } from './origin.ts';
import { checkOutput } from './output.ts';
import { park, parseEvent } from './park.ts';

export class Stepper {
  private readonly registry: Registry;
  private readonly cache: ActorCache;

  constructor(registry: Registry, cache: ActorCache) {
    this.registry = registry;
    this.cache = cache;
  }

  /** Steps one message inside the group's transaction. @throws only what the storage throws, or a bug. */
  handle(group: Group, message: MessageRow): void {
    group.wrote = true;
    group.touched.add(message.actor);
    try {
      const stepped = group.part(() => this.stepMessage(group, message));
      if (stepped !== undefined) this.keep(stepped);
    } catch (error) {
      this.cache.drop(message.actor);
      // A base revision that is not the stored one: the actor is read again and its message taken once more (K4).
      if (error instanceof TroupeError && error.code === 'revision_conflict') {
        group.delivered = true;
        return;
      }
      if (isStorageFault(error)) throw error;
      park(group, message, asParked(error));
    }
  }

  private stepMessage(
    group: Group,
    message: MessageRow,
  ): { step: Step; atMs: number; machine: RegisteredMachine } | undefined {
    if (!group.store.messages.remove(message.seq)) return undefined;
    const machine = this.machineOf(message);
    const actor = this.load(group, machine, message);
    if (actor === undefined) return undefined;
    const atMs = Math.max(group.nowMs, message.ready_at, actor.updatedAtMs);
    const event = parseEvent(message);
    const result = step(machine, actor.state, { event, atMs, origin: originOf(message) });
    if (result.kind === 'late') {
      appendLate(group, message, atMs);
      return undefined;
    }
    checkOutput(machine, result);
    commitStep({
      group,
      cache: this.cache,
      machine,
      versionOf: (name) => this.versionOf(name),
      step: result,
      atMs,
      message,
    });
    return { step: result, atMs, machine };
  }

  private keep({ step: { after, status, exact }, atMs, machine }: Kept): void {
    if (status !== 'active') {
      this.cache.drop(after.address);
      return;
    }
    const state = exact ? after : revive(machine, after);
    this.cache.put({ state, updatedAtMs: atMs });
  }

  private load(
    group: Group,
    machine: RegisteredMachine,
    message: MessageRow,
  ): CachedActor | undefined {
    const cached = this.cache.get(message.actor);
    if (cached !== undefined) return cached;
    const row = group.store.actors.get(message.actor);
    const refusal = refusalOf(row?.status);
    if (row === undefined || refusal !== undefined) {
      const kept = { ...message, event: parseEvent(message) };
      group.store.messages.refuse(kept, refusal ?? 'actor_unknown', group.arrivedAtMs);
      return undefined;
    }
    if (row.revision === 0 && message.kind !== 'init' && group.born.has(row.id)) {
      const why = `${row.id} is born in this group: message ${message.seq} comes after its birth.`;
      throw new TroupeError('revision_conflict', why);
    }
    if (row.status === 'stuck') {
      // A delayed message of another actor has come due: it waits with the others, in its place.
      group.store.messages.restoreHeld(message);
      return undefined;
    }
    return { state: reviveRow(machine, row), updatedAtMs: row.updated_at };
  }

  private machineOf(message: MessageRow): RegisteredMachine {
    const machine = this.registry.machines.get(message.machine);
    assert(machine !== undefined, `a message of machine '${message.machine}' was taken`);
    return machine;
  }

  private versionOf(machine: string): number {
    const registered = this.registry.machines.get(machine);
    assert(registered !== undefined, `child machine '${machine}' is not registered`);
    return registered.version;
  }
}

/** A bug of Troupe's own parks the actor that met it, never the host. */
function asParked(error: unknown): StepError {
  return error instanceof StepError
    ? error
    : new StepError('assertion_failed', messageOf(error), error);
}

interface Kept {
  readonly step: Step;
  readonly atMs: number;
  readonly machine: RegisteredMachine;
}

/** A stored actor as the step takes it. @throws {StepError} when its row is damaged (V8). */
export function reviveRow(machine: RegisteredMachine, row: ActorRow): ActorState {
  const parent = row.parent ?? undefined;
  const childId = row.child_id ?? undefined;
  if (row.revision === 0 && row.armings === null) return unborn(row.id, parent, childId);
  const armings = parseArmings(row);
  if (row.revision === 0) return unborn(row.id, parent, childId, armings);
  const text = row.snapshot ?? '';
  const state = revive(machine, {
    address: row.id,
    parent,
    childId,
    revision: row.revision,
    text,
    armings,
  });
  checkContext(machine, state);
  return state;
}

function parseArmings(row: ActorRow): Armings {
  try {
    const armings = JSON.parse(row.armings ?? '') as Partial<Armings>;
    if (armings.timers && armings.calls && armings.actors) return armings as Armings;
  } catch {
    // Not JSON: reported below, with the actor named.
  }
  throw new StepError('snapshot_damaged', `The stored armings of ${row.id} are damaged.`);
}

function checkContext(machine: RegisteredMachine, { snapshot, address }: ActorState): void {
  const { context } = machine.schemas;
  const parsed = context === undefined ? undefined : parseBy(context, snapshot?.context);
  if (parsed === undefined || 'data' in parsed) return;
  throw new StepError(
    'context_invalid',
    `The stored context of ${address} does not fit the schema of ${machine.name}: ${parsed.why}`,
  );
}

/** Evidence of what came too late: a row without a revision. It moves nothing (T2, C4). */
function appendLate(group: Group, message: MessageRow, atMs: number): void {
  group.store.journal.append({
    actor: message.actor,
    revision: undefined,
    atMs,
    kind: 'late',
    event: message.event,
    ...originColumns(message),
  });
}
