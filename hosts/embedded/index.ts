// Embedded: Troupe as a library, in the process that uses it. This is what `import … from 'troupe'` gives.

import { type Logger, pino } from 'pino';
import {
  type Boundaries,
  type CallPool,
  type CheckOptions,
  type CheckReport,
  checkActors,
  openTroupe as openWithPorts,
  type Troupe,
  type TroupeOptions,
} from '../../actors/index.ts';
import { workerEntry } from '../../adapters/index.ts';
import { requireProvenPlatform } from '../platform.ts';
import { systemClock, systemEntropy } from './system.ts';

export interface OpenOptions extends TroupeOptions {
  /** Where log lines go; default: nowhere. They hold ids and codes, never inputs or outputs. */
  readonly log?: Logger;
  /** Where calls run; default: worker threads. For tests. */
  readonly pool?: CallPool;
  /** Called at points where a process may die. For crash tests. */
  readonly boundary?: Boundaries;
}

/**
 * Opens a store: as its host when machines are given, else beside one, to send and read.
 * Settles when the supervisor has settled what dead hosts left and stepped what was ready.
 * @throws {TroupeError} with the way out in its message; nothing was changed then.
 * @example
 * const troupe = await openTroupe({ store: 'troupe.db', machines: [archive] });
 * const actor = await troupe.spawn(archive, { id: 'photos', input: { folder: 'photos' } });
 */
export async function openTroupe(options: OpenOptions): Promise<Troupe> {
  requireProvenPlatform('Troupe');
  return openWithPorts(options, {
    clock: systemClock,
    entropy: systemEntropy,
    log: options.log ?? pino({ level: 'silent' }),
    workerEntry,
    pid: process.pid,
    ...(options.pool ? { pool: options.pool } : {}),
    ...(options.boundary ? { boundary: options.boundary } : {}),
  });
}

/**
 * Tells what would break if this code were the host of a store (G4): each live actor is loaded, migrated and stepped once on a
 * copy in memory. Writes nothing; works beside a host; needs the memory of one page of actors.
 * @throws {TroupeError} `machine_refused`, `invalid_option`, `store_…`, `storage_…`.
 * @example
 * const { findings } = await check({ store: 'troupe.db', machines: [archive], onFinding: console.log });
 */
export function check(options: CheckOptions): Promise<CheckReport> {
  requireProvenPlatform('Troupe');
  return checkActors(options, { clock: systemClock });
}

export * from '../../actors/exports.ts';
