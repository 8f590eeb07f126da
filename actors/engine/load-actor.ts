// Load actor: makes of a stored row what the step takes, in the version that is registered (G2, V8).

import type { ActorRow } from '../../persistence/index.ts';
import { parseBy } from '../issues.ts';
import type { DefinitionLine, RegisteredMachine } from '../registry/index.ts';
import {
  type ActorState,
  type Armings,
  type Effect,
  type Migrated,
  migrate,
  revive,
  StepError,
  unborn,
} from '../step/index.ts';

export interface LoadedActor {
  readonly state: ActorState;
  /** What its migration orders, when it was in an older version: written with its next step. */
  readonly migration: readonly Effect[] | undefined;
}

/** The chart of this machine in an older version, as the store remembers it; undefined when it never saw one. */
export type OldDefinition = (version: number) => readonly DefinitionLine[] | undefined;

/**
 * Loads an actor of the registered version or an older one. Writes nothing.
 * @throws {StepError} when its row is damaged (V8), or it does not come to the registered version (G3).
 */
export function loadActor(
  machine: RegisteredMachine,
  row: ActorRow,
  oldDefinition: OldDefinition,
): LoadedActor {
  const isOlder = row.machine_version < machine.version;
  if (row.revision === 0) {
    // A fork may be unborn with armings of its own.
    const armings = row.armings === null ? undefined : parseArmings(row);
    const state = unborn(row.id, row.parent ?? undefined, row.child_id ?? undefined, armings);
    return { state, migration: isOlder ? [] : undefined };
  }
  if (!isOlder) {
    const state = revive(machine, storedOf(row));
    checkContext(machine, state, 'context_invalid');
    return { state, migration: undefined };
  }
  const { state, effects } = migrateRow(machine, row, oldDefinition);
  checkContext(machine, state, 'migration_failed');
  return { state, migration: effects };
}

function migrateRow(
  machine: RegisteredMachine,
  row: ActorRow,
  oldDefinition: OldDefinition,
): Migrated {
  const { machine_version: version, updated_at: atMs } = row;
  const lines = oldDefinition(version);
  return migrate(machine, storedOf(row), {
    version,
    atMs,
    isSameChart: machine.owner !== undefined && isSame(lines, machine.definition.lines),
    hadAfter: (id) => lines?.some(([place]) => place.endsWith(` on ${id}`)) ?? false,
  });
}

function isSame(a: readonly DefinitionLine[] | undefined, b: readonly DefinitionLine[]): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function storedOf(row: ActorRow) {
  return {
    address: row.id,
    parent: row.parent ?? undefined,
    childId: row.child_id ?? undefined,
    revision: row.revision,
    text: row.snapshot ?? '',
    armings: parseArmings(row),
  };
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

function checkContext(
  machine: RegisteredMachine,
  { snapshot, address }: ActorState,
  code: 'context_invalid' | 'migration_failed',
): void {
  const { context } = machine.schemas;
  const parsed = context === undefined ? undefined : parseBy(context, snapshot?.context);
  if (parsed === undefined || 'data' in parsed) return;
  throw new StepError(
    code,
    `The ${code === 'context_invalid' ? 'stored' : 'migrated'} context of ${address} does not fit the schema of ${machine.name}: ${parsed.why}`,
  );
}
