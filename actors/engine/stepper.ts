// Stepper: takes one ready message through one step into the group's transaction, or parks its actor.
//
// K2  a step begins by removing its message; without a removed row there is no step.
// K5  only an active actor is stepped.
// K6  a StepError parks the one actor; every other goes on.
// G3  an actor of a newer version is left alone.

import { assert, type MessageRow, TroupeError } from '../../persistence/index.ts';
import type { RegisteredMachine, Registry } from '../registry/index.ts';
import { type Effect, messageOf, revive, type Step, StepError, step } from '../step/index.ts';
import { storedLines } from '../stored-definitions.ts';
import type { ActorCache, CachedActor } from './actor-cache.ts';
import { commitStep, originColumns } from './commit-step.ts';
import { endsGroup, type Group } from './group.ts';
import { loadActor } from './load-actor.ts';
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
      if (endsGroup(error)) throw error;
      if (error instanceof LeftAlone) group.store.messages.leaveAlone(message.seq);
      else park(group, message, asParked(error));
    }
  }

  private stepMessage(
    group: Group,
    message: MessageRow,
  ): { step: Step; atMs: number; machine: RegisteredMachine } | undefined {
    if (!group.remove(message.seq)) return undefined;
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
    const taken = afterMigration(actor.migration, result);
    commitStep({
      group,
      cache: this.cache,
      machine,
      versionOf: (name) => this.versionOf(name),
      step: taken,
      atMs,
      message,
      isMigrated: actor.migration !== undefined,
    });
    return { step: taken, atMs, machine };
  }

  private keep({ step: { after, status, exact }, atMs, machine }: Kept): void {
    if (status !== 'active') {
      this.cache.drop(after.address);
      return;
    }
    const state = exact ? after : revive(machine, after);
    this.cache.put({ state, updatedAtMs: atMs });
  }

  private load(group: Group, machine: RegisteredMachine, message: MessageRow): Loaded | undefined {
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
    if (row.machine_version > machine.version) throw new LeftAlone();
    if (row.status === 'stuck') {
      // A delayed message of another actor has come due: it waits with the others, in its place.
      group.store.messages.restoreHeld(message);
      return undefined;
    }
    const loaded = loadActor(machine, row, (version) =>
      storedLines(group.store, machine.name, version),
    );
    return { ...loaded, updatedAtMs: row.updated_at };
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

/** This host knows the actor's machine only in an older version: its message stays as it is (G3). */
class LeftAlone extends Error {
  override readonly name = 'LeftAlone';
}

/** A cached actor is in the registered version. */
interface Loaded extends CachedActor {
  readonly migration?: readonly Effect[] | undefined;
}

/** What a migration has ordered comes before what the step orders. */
function afterMigration(migration: readonly Effect[] | undefined, taken: Step): Step {
  if (migration === undefined || migration.length === 0) return taken;
  const effects = [...migration, ...taken.effects];
  return { ...taken, effects, effectsText: JSON.stringify(effects) };
}

interface Kept {
  readonly step: Step;
  readonly atMs: number;
  readonly machine: RegisteredMachine;
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
