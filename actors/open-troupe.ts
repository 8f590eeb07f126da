// Open: composes a Troupe. With machines it is the store's host; without, it sends and reads beside one.

import type { Logger } from 'pino';
import {
  BUSY_RETRY_MS,
  canonicalPath,
  type OpenMode,
  Store,
  TroupeError,
} from '../persistence/index.ts';
import { ThreadPool } from './calls/index.ts';
import type { AnyCallDefinition } from './define-call.ts';
import type { AnyMachineDefinition } from './define-machine.ts';
import { Feed } from './feed.ts';
import { openHost } from './host.ts';
import { SHUTDOWN_GRACE_MS, SHUTDOWN_GRACE_MS_MAX } from './limits.ts';
import type { Boundaries, CallPool, Clock, Entropy, Watchdog } from './ports.ts';
import { createRegistry, type Registry } from './registry/index.ts';
import { openSender } from './sender.ts';
import { Troupe } from './troupe.ts';
import { BUSY_MS_MAX } from './write-transaction.ts';

export interface TroupeOptions {
  /** The store's file. Made when it is not there and there are machines. */
  readonly store: string;
  /** The machines that this host steps. Without any, this process sends and reads beside a host and steps nothing. */
  readonly machines?: readonly AnyMachineDefinition[];
  /**
   * False: this process knows its machines, to replay, fork and check events, and steps nothing. Default: true when there
   * are machines.
   */
  readonly host?: boolean;
  /** Registered calls for every machine that names them. */
  readonly calls?: readonly AnyCallDefinition[];
  /**
   * Opens for reading only: nothing is written, `send` and `spawn` are refused. Machines are then known, so that `list` and
   * `get` can tell what has no host here, and not stepped. Default false.
   */
  readonly readonly?: boolean;
  /**
   * Takes a machine that has changed under its version for the one that stored actors know, instead of refusing it
   * (`machine_changed`, G1). For development. Default false.
   */
  readonly dev?: boolean;
  /**
   * How long running calls may go on when closing. Then their signals abort, and after as long again, but at most 2 s,
   * their threads end. Milliseconds, 0–600_000; default 5_000.
   */
  readonly graceMs?: number;
  /** Called when this host had to stop by itself: its row is gone, or a bug showed. */
  readonly onFatal?: (error: Error) => void;
}

export interface TroupePorts {
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly log: Logger;
  readonly workerEntry: URL;
  readonly pid: number;
  /** Where calls run; default: worker threads, and machines' promises on this thread. */
  readonly pool?: CallPool;
  /** What ends this process when a step lasts longer than 10 s (V3); default: nothing. */
  readonly startWatchdog?: () => Watchdog | undefined;
  /** How the store is opened; default: `Store.open`. */
  readonly openStore?: (file: string, mode: OpenMode) => Store;
  /** For crash tests. */
  readonly boundary?: Boundaries;
}

/**
 * Opens a store. As a host it is ready when the supervisor has settled what dead hosts left and stepped what was ready
 * (V1). @throws {TroupeError} `machine_refused`, `machine_changed`, `host_running`, `call_module_missing`,
 * `loader_missing`, `store_…`, `storage_…`, `invalid_option`, each with the way out; no actor was
 * touched then.
 */
export async function openTroupe(options: TroupeOptions, ports: TroupePorts): Promise<Troupe> {
  requireDefinitions('machines', 'machine', options.machines ?? []);
  requireDefinitions('calls', 'call', options.calls ?? []);
  const registry = createRegistry(options.machines ?? [], options.calls ?? []);
  for (const { machine, path, problem } of registry.warnings) {
    ports.log.warn({ machine, path }, problem);
  }
  const isHost = registry.machines.size > 0 && options.host !== false;
  const file = canonicalPath(options.store);
  const mode = options.readonly ? 'readonly' : isHost ? 'create' : 'existing';
  if (options.readonly && isHost) {
    throw new TroupeError(
      'invalid_option',
      'A host writes: open without readonly, or with host: false.',
    );
  }
  const graceMs = checkGrace(options.graceMs ?? SHUTDOWN_GRACE_MS);
  const pool = isHost ? poolOf(registry, ports) : undefined;
  const store = await openStore(file, mode, ports);
  const feed = new Feed();
  const { clock, entropy, log, pid } = ports;
  try {
    const writing = pool
      ? await openHost({
          store,
          registry,
          pool,
          feed,
          clock,
          entropy,
          log,
          pid,
          isDev: options.dev ?? false,
          graceMs,
          startWatchdog: ports.startWatchdog,
          boundary: ports.boundary ?? (() => {}),
          onFatal: options.onFatal,
        })
      : openSender(store, feed, clock, log, mode === 'readonly');
    return new Troupe({ store, registry, feed, clock, entropy, log, writing });
  } catch (error) {
    store.close();
    throw error;
  }
}

/** What JavaScript may pass instead of a definition. */
function requireDefinitions(
  option: string,
  kind: 'machine' | 'call',
  definitions: readonly { readonly kind?: unknown }[],
): void {
  const index = definitions.findIndex((definition) => definition?.kind !== kind);
  if (index === -1) return;
  const maker = kind === 'machine' ? 'defineMachine({ machine, version: 1 })' : 'defineCall({ … })';
  throw new TroupeError(
    'invalid_definition',
    `${option}[${index}] is no ${kind} definition. Make it with ${maker}.`,
  );
}

function checkGrace(graceMs: number): number {
  if (Number.isInteger(graceMs) && graceMs >= 0 && graceMs <= SHUTDOWN_GRACE_MS_MAX) return graceMs;
  throw new TroupeError(
    'invalid_option',
    `graceMs is ${graceMs}. It is a whole number of milliseconds from 0 to ${SHUTDOWN_GRACE_MS_MAX}.`,
  );
}

/**
 * Opens the store, waiting while another process has it alone for a moment: it reads the WAL of a host that died, or
 * leaves as the last one.
 */
export async function openStore(
  file: string,
  mode: OpenMode,
  ports: Pick<TroupePorts, 'clock' | 'openStore'>,
): Promise<Store> {
  const { clock } = ports;
  const open = ports.openStore ?? ((path, how) => Store.open(path, how));
  let isOver = false;
  const disarm = clock.after(BUSY_MS_MAX, () => {
    isOver = true;
  });
  try {
    for (;;) {
      try {
        return open(file, mode);
      } catch (error) {
        const isBusy = error instanceof TroupeError && error.code === 'storage_busy';
        if (isOver || !isBusy) throw error;
      }
      await new Promise<void>((resolve) => clock.after(BUSY_RETRY_MS, resolve));
    }
  } finally {
    disarm();
  }
}

function poolOf(registry: Registry, ports: TroupePorts): CallPool {
  if (ports.pool) return ports.pool;
  const pool = new ThreadPool({ workerEntry: ports.workerEntry, log: ports.log });
  for (const machine of registry.machines.values()) {
    for (const { runs } of machine.calls.values())
      if (runs.on === 'thread') pool.prepare(runs.call);
  }
  return pool;
}
