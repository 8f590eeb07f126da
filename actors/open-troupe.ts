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
import { KeptRefusal } from './engine/admission.ts';
import { Engine } from './engine/engine.ts';
import { arrivalOf, keepArrival, type Transaction } from './engine/group.ts';
import { Feed } from './feed.ts';
import { POLL_MS, SHUTDOWN_GRACE_MS } from './limits.ts';
import type { Boundaries, CallPool, Clock, Entropy } from './ports.ts';
import { createRegistry, type Registry } from './registry/index.ts';
import { messageOf } from './step/index.ts';
import { enter, leave } from './supervisor.ts';
import { Troupe, type Writing } from './troupe.ts';
import { BUSY_MS_MAX, writeTransaction } from './write-transaction.ts';

export interface TroupeOptions {
  /** The store's file. Made when it is not there and there are machines. */
  readonly store: string;
  /** The machines that this host steps. Without any, this process sends and reads beside a host and steps nothing. */
  readonly machines?: readonly AnyMachineDefinition[];
  /** Registered calls for every machine that names them. */
  readonly calls?: readonly AnyCallDefinition[];
  /** Opens for reading only: nothing is written, `send` and `spawn` are refused. Default false. */
  readonly readonly?: boolean;
  /** How long running calls may go on when closing. Milliseconds; default 5_000. */
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
  /** For crash tests. */
  readonly boundary?: Boundaries;
}

/**
 * Opens a store. As a host it is ready when the supervisor has settled what dead hosts left and stepped what was ready
 * (V1). @throws {TroupeError} `machine_refused`, `machine_version`, `host_running`, `call_module_missing`,
 * `loader_missing`, `store_…`, `storage_…`, each with the way out; nothing was changed then.
 */
export async function openTroupe(options: TroupeOptions, ports: TroupePorts): Promise<Troupe> {
  const registry = createRegistry(options.machines ?? [], options.calls ?? []);
  for (const { machine, path, problem } of registry.warnings) {
    ports.log.warn({ machine, path }, problem);
  }
  const isHost = registry.machines.size > 0;
  const file = canonicalPath(options.store);
  const mode = options.readonly ? 'readonly' : isHost ? 'create' : 'existing';
  if (options.readonly && isHost) {
    throw new TroupeError(
      'invalid_option',
      'A host writes: open without readonly, or without machines.',
    );
  }
  const pool = isHost ? poolOf(registry, ports) : undefined;
  const store = await openStore(file, mode, ports.clock);
  const feed = new Feed();
  try {
    const writing = pool
      ? await host(store, registry, pool, feed, options, ports)
      : sender(store, feed, ports);
    const { entropy, log } = ports;
    return new Troupe({ store, registry, feed, entropy, log, writing });
  } catch (error) {
    store.close();
    throw error;
  }
}

/**
 * Opens the store, waiting while another process has it alone for a moment: it reads the WAL of a host that died, or
 * leaves as the last one.
 */
async function openStore(file: string, mode: OpenMode, clock: Clock): Promise<Store> {
  let isOver = false;
  const disarm = clock.after(BUSY_MS_MAX, () => {
    isOver = true;
  });
  try {
    for (;;) {
      try {
        return Store.open(file, mode);
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

async function host(
  store: Store,
  registry: Registry,
  pool: CallPool,
  feed: Feed,
  options: TroupeOptions,
  ports: TroupePorts,
): Promise<Writing> {
  const { clock, log } = ports;
  const boundary = ports.boundary ?? (() => {});
  const registration = await enter({ ...ports, store, registry, boundary });
  let opening: { failure?: Error } | undefined = {};
  const engine: Engine = new Engine({
    store,
    registry,
    clock,
    pool,
    log,
    host: registration.incarnation,
    boundary,
    onCommit: () => feed.notify(),
    send: (address, event) => {
      troupe.send(address, event).catch((error: unknown) => {
        log.warn({ address, error: messageOf(error) }, 'a notification could not send');
      });
    },
    onFatal: (error) => {
      log.fatal({ error: error.message }, 'the host has stopped');
      feed.close();
      if (opening) opening.failure = error;
      else options.onFatal?.(error);
    },
    ownsLock: () => registration.lock.isOwn(),
  });
  const writing = {
    write: <T>(run: (transaction: Transaction) => T) => engine.admit(run),
    close: () => closeHost(),
  };
  const troupe = new Troupe({ store, registry, feed, entropy: ports.entropy, log, writing });
  const closeHost = async (): Promise<void> => {
    await quiesce(engine, options.graceMs ?? SHUTDOWN_GRACE_MS, clock).catch((error: unknown) => {
      log.error(
        { error: messageOf(error) },
        'not everything could be written; the next host settles it',
      );
    });
    engine.stop();
    await pool.close();
    boundary('close.beforeLeave');
    await leave(store, clock, registration).finally(() => {
      feed.close();
      store.close();
    });
  };
  engine.start();
  await engine.drained();
  const { failure } = opening;
  opening = undefined;
  if (failure === undefined) return writing;
  await closeHost().catch((error: unknown) => {
    log.error({ error: messageOf(error) }, 'the host could not leave; the next one settles it');
  });
  throw failure;
}

/** V9: no new calls; those that run get their grace, then they are cut; every end is written. */
async function quiesce(engine: Engine, graceMs: number, clock: Clock): Promise<void> {
  engine.desk.stopClaiming();
  let cancelGrace = () => {};
  const grace = () =>
    new Promise<void>((resolve) => {
      cancelGrace();
      cancelGrace = clock.after(graceMs, resolve);
    });
  await Promise.race([engine.desk.idle(), grace()]);
  engine.desk.cutAll();
  await engine.desk.idle();
  // A storage that is away must not keep the process: what is not written is settled by the next host.
  await Promise.race([engine.drained(), grace()]);
  cancelGrace();
}

/** A process beside a host: it writes messages in transactions of its own, and steps nothing (G3). */
function sender(store: Store, feed: Feed, ports: TroupePorts): Writing {
  const { clock, log } = ports;
  let disarm = () => {};
  let seen = store.dataVersion();
  const look = (): void => {
    try {
      const version = store.dataVersion();
      if (version !== seen) feed.notify();
      seen = version;
    } catch (error) {
      // Nobody waits for this look, and another follows; who reads or writes meets the error itself.
      log.warn({ error: messageOf(error) }, 'the store could not be looked at');
    }
  };
  const poll = (): void => {
    disarm = clock.after(POLL_MS, () => {
      look();
      poll();
    });
  };
  poll();
  return {
    write: async (run) => {
      const result = await writeTransaction(store, clock, () => {
        const nowMs = clock.now();
        const transaction = { store, nowMs, arrivedAtMs: arrivalOf(store, nowMs), writtenBytes: 0 };
        const written = run(transaction);
        keepArrival(transaction);
        return written;
      });
      feed.notify();
      if (result instanceof KeptRefusal) throw result.error;
      return result;
    },
    close: async () => {
      disarm();
      feed.close();
      store.close();
    },
  };
}
