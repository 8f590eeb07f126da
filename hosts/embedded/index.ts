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
  type Watchdog,
} from '../../actors/index.ts';
import { workerEntry } from '../../adapters/index.ts';
import { requireProvenPlatform } from '../platform.ts';
import { systemClock, systemEntropy } from './system.ts';
import { startWatchdog } from './watchdog.ts';

export interface OpenOptions extends TroupeOptions {
  /** Where log lines go; default: nowhere. They hold ids and codes, never inputs or outputs. */
  readonly log?: Logger;
  /** Where calls run; default: worker threads. For tests. */
  readonly pool?: CallPool;
  /** What ends this process when a step lasts too long; default: a thread, after 10 s. For tests. */
  readonly startWatchdog?: () => Watchdog | undefined;
  /** Called at points where a process may die. For crash tests. */
  readonly boundary?: Boundaries;
}

/**
 * Opens a store: as its host when machines are given, else beside one, to send and read.
 * Settles when the supervisor has settled what dead hosts left and stepped what was ready.
 *
 * A host ends this whole process by SIGKILL when one step lasts longer than 10 s, after a line on stderr that names the
 * actor and the message: an endless loop in a guard or an action can be ended in no other way, and what is on disk is safe.
 * The second time that a message ends its host, its actor is parked as stuck (`message_poisoned`) and the rest goes on
 * (V3). While a debugger is attached as the store is opened, nothing is ended.
 * @throws {TroupeError} with the way out in its message; nothing was changed then.
 * @example
 * const troupe = await openTroupe({ store: 'troupe.db', machines: [archive] });
 * const actor = await troupe.spawn(archive, { id: 'photos', input: { folder: 'photos' } });
 */
export async function openTroupe(options: OpenOptions): Promise<Troupe> {
  requireProvenPlatform('Troupe');
  const log = options.log ?? pino({ level: 'silent' });
  return openWithPorts(options, {
    clock: systemClock,
    entropy: systemEntropy,
    log,
    workerEntry,
    pid: process.pid,
    startWatchdog: options.startWatchdog ?? (() => startWatchdog({ log })),
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
