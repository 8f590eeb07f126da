// Write transaction: one transaction outside the engine's loop, waiting its turn without blocking the thread.

import {
  asStorageError,
  BUSY_RETRY_MS,
  type Outcome,
  type Store,
  TroupeError,
  WaitingFile,
} from '../persistence/index.ts';
import type { Clock } from './ports.ts';

/** How long a sender, or a host that enters, waits for a busy store. Milliseconds. */
export const BUSY_MS_MAX = 10_000;

/**
 * Runs a write and commits it. @throws {TroupeError} `storage_busy` when the store stayed busy for 10 s,
 * `storage_unavailable` with its outcome; what `run` throws, with nothing written.
 */
export async function writeTransaction<T>(store: Store, clock: Clock, run: () => T): Promise<T> {
  const turn = new Turn(store, clock);
  let outcome: Outcome = 'notWritten';
  try {
    while (!store.begin()) await turn.wait();
    // From the begin to the commit nothing is awaited: another write of this process would run inside the transaction.
    const result = run();
    outcome = 'unknown';
    store.commit();
    return result;
  } catch (error) {
    store.rollback();
    throw asStorageError(error, store.file, outcome);
  } finally {
    turn.end();
  }
}

/** Waiting for a busy store, said beside it, for BUSY_MS_MAX at most. */
class Turn {
  private readonly store: Store;
  private readonly clock: Clock;
  private readonly waiting: WaitingFile;
  private hasRaised = false;
  private isOver = false;
  private disarm: (() => void) | undefined;

  constructor(store: Store, clock: Clock) {
    this.store = store;
    this.clock = clock;
    this.waiting = new WaitingFile(store.file);
  }

  async wait(): Promise<void> {
    if (this.isOver) {
      throw new TroupeError(
        'storage_busy',
        `The store ${this.store.file} was busy for ${BUSY_MS_MAX} ms. Nothing was written; try again.`,
      );
    }
    this.waiting.raise();
    this.hasRaised = true;
    // Measured by time that passes: the wall clock may jump meanwhile.
    this.disarm ??= this.clock.after(BUSY_MS_MAX, () => {
      this.isOver = true;
    });
    await new Promise<void>((resolve) => this.clock.after(BUSY_RETRY_MS, resolve));
  }

  end(): void {
    this.disarm?.();
    if (this.hasRaised) this.waiting.lower();
  }
}
