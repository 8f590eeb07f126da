// Stored definitions: the charts that a store has seen, one for each machine and version (G1).

import type { Logger } from 'pino';
import { type Store, TroupeError } from '../persistence/index.ts';
import {
  type DefinitionLine,
  firstDifference,
  type RegisteredMachine,
  type Registry,
} from './registry/index.ts';

/** How a definition is written down. One of another format says nothing about the machine and is replaced. */
const FORMAT = 1;

interface StoredDefinition {
  readonly format: number;
  readonly digest: string;
  readonly lines: readonly DefinitionLine[];
}

/** A machine whose chart is another than the one that its stored actors were stepped by. */
export interface ChangedMachine {
  readonly machine: RegisteredMachine;
  /** The first place that differs, in words. */
  readonly difference: string;
}

/** The lines that the store keeps of a machine in a version; undefined when it keeps none that can be read. */
export function storedLines(
  store: Store,
  machine: string,
  version: number,
): readonly DefinitionLine[] | undefined {
  return read(store, machine, version)?.lines;
}

/** Machines that have changed without a new version, while the store has actors of that version. Reads only. */
export function changedMachines(store: Store, registry: Registry): ChangedMachine[] {
  return [...registry.machines.values()].flatMap((machine) => {
    const { name, version, definition } = machine;
    const stored = read(store, name, version);
    if (stored === undefined || stored.digest === definition.digest) return [];
    if (!store.actors.hasVersion(name, version)) return [];
    const difference = firstDifference(stored.lines, definition.lines);
    return [{ machine, difference: difference ?? 'its digest is another' }];
  });
}

/**
 * Writes down the definitions of a host that registers. @throws {TroupeError} `machine_changed` unless `isDev`, which
 * replaces what is there.
 */
export function keepDefinitions(
  store: Store,
  registry: Registry,
  isDev: boolean,
  log: Logger,
): void {
  for (const changed of changedMachines(store, registry)) {
    if (!isDev) throw machineChanged(changed);
    const { machine, difference } = changed;
    log.warn({ machine: machine.name, difference }, 'a machine has changed under its version');
  }
  for (const { name, version, definition } of registry.machines.values()) {
    if (read(store, name, version)?.digest === definition.digest) continue;
    const stored: StoredDefinition = { format: FORMAT, ...definition };
    store.setMeta(keyOf(name, version), JSON.stringify(stored));
  }
}

/** The error of one changed machine, with the way out. */
export function machineChanged({ machine, difference }: ChangedMachine): TroupeError {
  const { name, version, owner } = machine;
  const whose =
    owner === undefined ? `machine '${name}'` : `machine '${owner}', which brings '${name}',`;
  return new TroupeError(
    'machine_changed',
    `Machine '${name}' is not the one that stored actors of its version ${version} know: ${difference}. Raise the version of ${whose} to ${version + 1} and add migrations[${version}]; while you develop, open with dev: true (troupe run --dev), which takes the new chart for the old one.`,
    { details: { machine: name, version, difference } },
  );
}

function read(store: Store, machine: string, version: number): StoredDefinition | undefined {
  const text = store.getMeta(keyOf(machine, version));
  if (typeof text !== 'string') return undefined;
  try {
    const stored = JSON.parse(text) as Partial<StoredDefinition> | null;
    const isReadable = stored?.format === FORMAT && Array.isArray(stored.lines);
    return isReadable ? (stored as StoredDefinition) : undefined;
  } catch {
    // Damaged: it says nothing, and the next host writes its own.
    return undefined;
  }
}

function keyOf(machine: string, version: number): string {
  return `definition:${machine}@${version}`;
}
