// Check: opens a store for reading and asks what would break if this code were its host (G4).

import { canonicalPath, TroupeError } from '../persistence/index.ts';
import { type CheckListener, type CheckReport, checkStore } from './check-store.ts';
import type { AnyCallDefinition } from './define-call.ts';
import type { AnyMachineDefinition } from './define-machine.ts';
import { openStore, type TroupePorts } from './open-troupe.ts';
import { createRegistry } from './registry/index.ts';

export interface CheckOptions extends CheckListener {
  /** The store's file. It is opened for reading, also beside a host. */
  readonly store: string;
  /** The machines at hand, as a host would bring them. At least one. */
  readonly machines: readonly AnyMachineDefinition[];
  /** Registered calls for every machine that names them. */
  readonly calls?: readonly AnyCallDefinition[];
}

/**
 * Loads every live actor under the code at hand, migrates it and takes a step without effect, all on copies in memory, and
 * reports what would break: what a host would park, refuse or leave alone. Writes nothing. Each actor is seen at one moment,
 * the store as a whole is not, if a host steps it meanwhile. Not found: what a migration does wrong that its checks do not
 * show, and what an event would meet.
 * @throws {TroupeError} `machine_refused`, `invalid_definition`, `invalid_option`, `store_…`, `storage_…`.
 */
export async function checkActors(
  options: CheckOptions,
  ports: Pick<TroupePorts, 'clock' | 'openStore'>,
): Promise<CheckReport> {
  const registry = createRegistry(options.machines, options.calls ?? []);
  if (registry.machines.size === 0) {
    throw new TroupeError('invalid_option', 'Name the machines to check: machines is empty.');
  }
  const store = await openStore(canonicalPath(options.store), 'readonly', ports);
  try {
    return await checkStore(store, registry, ports.clock, options);
  } finally {
    store.close();
  }
}
