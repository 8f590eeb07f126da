// Migrate: takes a stored actor from the version that it is in to the one that is registered (G2, G3).
//
// G2  consecutive, pure and total: version n to n+1 until the registered one; snapshot and armings, incarnations stay.
// G3  what comes out is restorable, and each `after` and invoke of its active states is armed.

import { childAddress } from '../../persistence/address.ts';
import { explainFinding, inspectJson } from '../json.ts';
import { SNAPSHOT_BYTES_MAX } from '../limits.ts';
import { underStamp } from './determinism.ts';
import type { Armings, Effect } from './effects.ts';
import { messageOf, StepError } from './error.ts';
import type { MigratedActor, Migration, StoredActor } from './migration.ts';
import { type PersistedChild, parsePersisted } from './persisted.ts';
import { activeNodes, isMachineSnapshot, type SteppedMachine } from './registered.ts';
import { type ActorState, bytesOver, revive } from './step.ts';

export interface MigratingMachine extends SteppedMachine {
  readonly migrations: Readonly<Record<number, Migration>>;
}

export interface OldVersion {
  readonly version: number;
  /** Stamp of the actor's last step: what `Date` says inside a migration. Milliseconds since 1970. */
  readonly atMs: number;
  /** True when the machine's chart is the same in both versions, and its version is its parent's. */
  readonly isSameChart: boolean;
  /** True when the old chart had an `after` of that id; unarmed it has fired. */
  readonly hadAfter: (id: string) => boolean;
}

export interface Migrated {
  /** The actor as the registered version takes it, at the same revision. */
  readonly state: ActorState;
  /** What the migrations have taken back and armed, to be written with the next step. */
  readonly effects: readonly Effect[];
}

type Stored = Parameters<typeof revive>[1];

/**
 * Migrates one actor. Pure: nothing is written, and the same actor always gives the same.
 * @throws {StepError} `migration_missing`, `migration_failed`, `migration_incomplete`, `snapshot_damaged`.
 */
export function migrate(machine: MigratingMachine, stored: Stored, old: OldVersion): Migrated {
  const migrating = new Migrating(machine, stored, old);
  migrating.runAll();
  return migrating.finish();
}

class Migrating {
  private readonly machine: MigratingMachine;
  private readonly stored: Stored;
  private readonly old: OldVersion;
  private actor: StoredActor;
  /** What was armed on the way, by incarnation or address. */
  private readonly armed = new Map<string, Effect>();
  private readonly spent = new Set<string>();

  constructor(machine: MigratingMachine, stored: Stored, old: OldVersion) {
    this.machine = machine;
    this.stored = stored;
    this.old = old;
    const { text, armings } = stored;
    this.actor = { ...(parsePersisted(text) as StoredActor), armings };
  }

  runAll(): void {
    const { machine, old } = this;
    for (let version = old.version; version < machine.version; version++) {
      const migration = machine.migrations[version];
      if (migration !== undefined) this.run(migration, version);
      else if (!old.isSameChart) throw missing(machine, this.stored, old.version, version);
    }
  }

  finish(): Migrated {
    const { armings, ...snapshot } = this.actor;
    const text = JSON.stringify(snapshot);
    const state = this.revived(text, armings);
    const unarmed = this.unarmed(state);
    if (unarmed.length > 0) throw incomplete(this.machine, this.stored, this.old, unarmed);
    const effects = [...this.takenBack(armings), ...this.stillArmed(armings)];
    return { state, effects };
  }

  private run(migration: Migration, version: number): void {
    const before = JSON.stringify(this.actor);
    const stamp = { atMs: this.old.atMs, seed: `${this.stored.address}~${version}` };
    let result: unknown;
    try {
      result = underStamp(stamp, () => migration(JSON.parse(before) as StoredActor));
    } catch (error) {
      throw this.failed(version, messageOf(error));
    }
    const migrated = this.checked(result, version);
    const { arms, spent = [], ...actor } = JSON.parse(JSON.stringify(migrated)) as MigratedActor;
    this.requireKnown(actor.armings, version);
    const { stubbed } = this.stored.armings;
    // No migration makes of a stubbed fork one that acts outside (J4).
    const armings = { ...actor.armings, ...(stubbed === undefined ? {} : { stubbed }) };
    this.actor = withOwnOrder(this.actor, { ...actor, armings });
    for (const id of spent) this.spent.add(id);
    for (const [id, delayMs] of Object.entries(arms?.timers ?? {})) {
      this.armTimer(id, delayMs, version);
    }
    for (const [id, child] of Object.entries(arms?.children ?? {})) {
      this.armChild(id, child, version);
    }
  }

  private checked(result: unknown, version: number): MigratedActor {
    const finding = inspectJson(result);
    if (!finding.ok) {
      const what = explainFinding(finding, 'what it returned');
      throw this.failed(version, `${what}, which is not JSON`);
    }
    const { armings, context, status } = (result ?? {}) as Partial<MigratedActor>;
    const isMachine = this.machine.steppable.kind === 'machine';
    if (isMachine ? !isRecord(context) : context === undefined) {
      throw this.failed(version, 'it returned no context');
    }
    if (status !== 'active') throw this.failed(version, `it returned status '${String(status)}'`);
    const lists = [armings?.timers, armings?.calls, armings?.actors];
    if (lists.every(isRecord)) return result as MigratedActor;
    throw this.failed(version, 'it returned no armings: return { ...stored, … }');
  }

  /** Incarnations belong to rows that are there; what a migration makes up answers nothing. */
  private requireKnown(armings: Armings, version: number): void {
    const known = new Set(incarnationsOf(this.actor.armings));
    const unknown = incarnationsOf(armings).find((each) => !known.has(each));
    if (unknown === undefined) return;
    throw this.failed(
      version,
      `its armings hold '${unknown}', which the actor never armed: order what is new with arms`,
    );
  }

  private armTimer(id: string, delayMs: number, version: number): void {
    if (!Number.isFinite(delayMs) || delayMs < 0) {
      throw this.failed(version, `the delay of timer '${id}' is ${delayMs} ms`);
    }
    const incarnation = this.incarnationOf(id, version);
    const { armings } = this.actor;
    this.actor = {
      ...this.actor,
      armings: { ...armings, timers: { ...armings.timers, [incarnation]: id } },
    };
    this.armed.set(incarnation, { kind: 'schedule', incarnation, event: { type: id }, delayMs });
  }

  private armChild(id: string, child: ArmedChild, version: number): void {
    const { armings, children } = this.actor;
    const { src, systemId, input } = child;
    const entry: PersistedChild = systemId === undefined ? { src } : { src, systemId };
    const source = this.machine.sources.get(src);
    if (source === undefined) throw this.failed(version, `machine and calls have no '${src}'`);
    const armed = { ...this.actor, children: { ...children, [id]: entry } };
    if (source.kind === 'call') {
      const incarnation = this.incarnationOf(id, version);
      this.actor = {
        ...armed,
        armings: { ...armings, calls: { ...armings.calls, [id]: incarnation } },
      };
      this.armed.set(incarnation, { kind: 'call', incarnation, source: src, input });
      return;
    }
    const { address: parent, revision } = this.stored;
    const address = `${childAddress(source.machine, parent, id, revision + 1)}~${version + 1}`;
    this.actor = {
      ...armed,
      armings: { ...armings, actors: { ...armings.actors, [id]: address } },
    };
    const spawn = { address, childId: id, machine: source.machine, input };
    this.armed.set(address, { kind: 'spawn', ...spawn });
  }

  /** The tilde tells it from what the step itself arms at the same revision. */
  private incarnationOf(id: string, version: number): string {
    return `${id}@${this.stored.revision + 1}~${version + 1}`;
  }

  private revived(text: string, armings: Armings): ActorState {
    const { machine, stored } = this;
    const bytes = bytesOver(text, SNAPSHOT_BYTES_MAX);
    if (bytes !== undefined) {
      throw this.failed(machine.version - 1, `the snapshot has ${bytes} bytes then`);
    }
    try {
      return revive(machine, { ...stored, text, armings });
    } catch (error) {
      throw this.failed(machine.version - 1, messageOf(error));
    }
  }

  /** Each `after` and invoke of an active state that nothing will ever answer. */
  private unarmed({ snapshot, armings }: ActorState): string[] {
    if (snapshot === undefined || !isMachineSnapshot(snapshot)) return [];
    const timers = new Set(Object.values(armings.timers));
    const children = new Set(Object.keys(this.actor.children ?? {}));
    return activeNodes(snapshot).flatMap(({ invoke, after }) => [
      ...after.flatMap(({ eventType: id }) =>
        timers.has(id) || this.spent.has(id) || this.hasFired(id) ? [] : [`timer '${id}'`],
      ),
      ...invoke.flatMap(({ id }) => (children.has(id) ? [] : [`invoke '${id}'`])),
    ]);
  }

  private hasFired(id: string): boolean {
    return this.old.hadAfter(id) && !Object.values(this.stored.armings.timers).includes(id);
  }

  private takenBack(armings: Armings): Effect[] {
    const kept = new Set(incarnationsOf(armings));
    const gone = (keys: readonly string[]): string[] => keys.filter((key) => !kept.has(key));
    const before = this.stored.armings;
    return [
      ...gone(Object.keys(before.timers)).map(
        (incarnation): Effect => ({ kind: 'unschedule', incarnation }),
      ),
      ...gone(Object.values(before.calls)).map(
        (incarnation): Effect => ({ kind: 'cancelCall', incarnation }),
      ),
      ...gone(Object.values(before.actors)).map((address): Effect => ({ kind: 'stop', address })),
    ];
  }

  /** What one migration armed and a later one has left out never starts. */
  private stillArmed(armings: Armings): Effect[] {
    const kept = new Set(incarnationsOf(armings));
    return [...this.armed].flatMap(([key, effect]) => (kept.has(key) ? [effect] : []));
  }

  private failed(version: number, why: string): StepError {
    const { machine, stored, old } = this;
    return new StepError(
      'migration_failed',
      `${stored.address} is stored in version ${old.version} of machine '${machine.name}' and cannot become version ${machine.version}: migrations[${version}] failed: ${why}. Mend that migration; the actor was left as it was.`,
    );
  }
}

type ArmedChild = NonNullable<NonNullable<MigratedActor['arms']>['children']>[string];

function incarnationsOf({ timers, calls, actors }: Armings): string[] {
  return [...Object.keys(timers), ...Object.values(calls), ...Object.values(actors)];
}

/** An order of entry that was kept while the state value has changed is of other states. */
function withOwnOrder(before: StoredActor, after: StoredActor): StoredActor {
  const { nodes, ...rest } = after;
  if (nodes === undefined) return after;
  const isOld = JSON.stringify(nodes) === JSON.stringify(before.nodes);
  const hasMoved = JSON.stringify(after.value) !== JSON.stringify(before.value);
  return isOld && hasMoved ? rest : after;
}

function isRecord(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function missing(
  machine: MigratingMachine,
  { address }: Stored,
  from: number,
  version: number,
): StepError {
  return new StepError(
    'migration_missing',
    `${address} is stored in version ${from} of machine '${machine.name}', and this host brings version ${machine.version} without migrations[${version}]. Add it to the machine's migrations; the actor was left as it was.`,
  );
}

function incomplete(
  machine: MigratingMachine,
  { address }: Stored,
  old: OldVersion,
  unarmed: readonly string[],
): StepError {
  return new StepError(
    'migration_incomplete',
    `${address} would come from version ${old.version} of machine '${machine.name}' to version ${machine.version} with nothing to wait for: ${unarmed.join(', ')} of its active states is not armed. Carry the old arming over to that id, or order it with arms; an 'after' that has fired already is spent. The actor was left as it was.`,
  );
}
