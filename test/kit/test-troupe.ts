// Test troupe: a host on a real store, with time, names and calls in the hands of the test.

import Database from 'better-sqlite3';
import { type Logger, pino } from 'pino';
import {
  type Boundaries,
  type CallPool,
  type Entropy,
  openTroupe,
  type Troupe,
  type TroupeOptions,
} from '../../actors/index.ts';
import { CALL_ABORT_GRACE_MS } from '../../actors/limits.ts';
import { workerEntry } from '../../adapters/index.ts';
import { type ScriptedPool, scriptedPool } from './scripted-pool.ts';
import { seededEntropy } from './seeded-entropy.ts';
import { type TemporaryStore, temporaryStore } from './temporary-store.ts';
import { type VirtualClock, virtualClock } from './virtual-clock.ts';

export interface TestTroupeOptions extends Omit<TroupeOptions, 'store'> {
  /** The path of a store; default: a temporary one, which `close` removes. */
  readonly store?: string;
  /** Default: a virtual clock. */
  readonly clock?: VirtualClock;
  /** Default: a scripted pool. Another pool runs calls by itself; then `pool` of the result starts none. */
  readonly pool?: CallPool;
  readonly entropy?: Entropy;
  /** Default: nowhere. */
  readonly log?: Logger;
  /** Called at points where a process may die; what it throws ends the host there. */
  readonly boundary?: Boundaries;
}

export interface TestTroupe {
  /** The open Troupe; another one after `reopen`. */
  readonly troupe: Troupe;
  readonly clock: VirtualClock;
  readonly pool: ScriptedPool;
  /** The path of the store. */
  readonly file: string;
  /** Closes the host and opens another on the same store, with the same clock and pool, but for these changes. */
  readonly reopen: (changes?: TestTroupeOptions) => Promise<Troupe>;
  /** Closes the host without opening another. */
  readonly leave: () => Promise<void>;
  /** Reads the store as any other program would: through a connection of its own, committed rows only. */
  readonly rows: <TRow = Record<string, unknown>>(sql: string, ...parameters: unknown[]) => TRow[];
  /** Writes into the store as a foreign program would, in a transaction of its own. */
  readonly write: (sql: string, ...parameters: unknown[]) => void;
  /** Closes everything; a temporary store is removed. */
  readonly close: () => Promise<void>;
}

/**
 * Opens a host for a test. Its running calls get no grace when it closes: time does not pass by itself.
 * @throws {TroupeError} as `openTroupe`.
 */
export async function openTestTroupe(options: TestTroupeOptions = {}): Promise<TestTroupe> {
  const temporary = options.store === undefined ? temporaryStore() : undefined;
  try {
    const test = new Opened(options, temporary);
    await test.reopen();
    return test;
  } catch (error) {
    temporary?.remove();
    throw error;
  }
}

class Opened implements TestTroupe {
  readonly clock: VirtualClock;
  readonly pool: ScriptedPool;
  readonly file: string;
  private options: TestTroupeOptions;
  private readonly temporary: TemporaryStore | undefined;
  private readonly entropy: Entropy;
  private open: Troupe | undefined;

  constructor(options: TestTroupeOptions, temporary: TemporaryStore | undefined) {
    this.options = options;
    this.temporary = temporary;
    this.clock = options.clock ?? virtualClock();
    this.pool = isScripted(options.pool) ? options.pool : scriptedPool();
    this.entropy = options.entropy ?? seededEntropy();
    this.file = options.store ?? temporary?.file ?? '';
  }

  get troupe(): Troupe {
    if (this.open === undefined) throw new Error('this Troupe is closed: reopen() it first');
    return this.open;
  }

  readonly reopen = async (changes: TestTroupeOptions = {}): Promise<Troupe> => {
    await this.leave();
    this.options = { ...this.options, ...changes };
    const { boundary, pool, log } = this.options;
    this.open = await openTroupe(
      { graceMs: 0, ...this.options, store: this.file },
      {
        clock: this.clock,
        entropy: this.entropy,
        log: log ?? pino({ level: 'silent' }),
        workerEntry,
        pid: process.pid,
        pool: pool ?? this.pool,
        ...(boundary ? { boundary } : {}),
      },
    );
    return this.open;
  };

  readonly leave = async (): Promise<void> => {
    const open = this.open;
    this.open = undefined;
    if (open === undefined) return;
    let isClosed = false;
    const closed = open.close().finally(() => {
      isClosed = true;
    });
    // Who waits below hears of a failure; it must not be unheard until then.
    closed.catch(() => {});
    // Its grace is no time, but on this clock even that has to pass; calls that are deaf to it get the time to hear.
    await this.clock.advance(0);
    if (!isClosed) await this.clock.advance(CALL_ABORT_GRACE_MS);
    await closed;
  };

  readonly rows = <TRow>(sql: string, ...parameters: unknown[]): TRow[] =>
    this.foreign((connection) => connection.prepare(sql).all(...parameters) as TRow[]);

  readonly write = (sql: string, ...parameters: unknown[]): void =>
    this.foreign((connection) => {
      if (parameters.length === 0) connection.exec(sql);
      else connection.prepare(sql).run(...parameters);
    });

  readonly close = async (): Promise<void> => {
    await this.leave();
    this.temporary?.remove();
  };

  private foreign<T>(use: (connection: Database.Database) => T): T {
    const connection = new Database(this.file, { fileMustExist: true });
    try {
      return use(connection);
    } finally {
      connection.close();
    }
  }
}

function isScripted(pool: CallPool | undefined): pool is ScriptedPool {
  return pool !== undefined && 'newest' in pool;
}
