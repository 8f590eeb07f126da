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
const BUSY_MS_MAX = 10_000;

/**
 * Runs a write and commits it. @throws {TroupeError} `storage_busy` when the store stayed busy for 10 s,
 * `storage_unavailable` with its outcome; what `run` throws, with nothing written.
 */
export async function writeTransaction<T>(store: Store, clock: Clock, run: () => T): Promise<T> {
  let outcome: Outcome = 'notWritten';
  try {
    await takeTurn(store, clock);
    const result = run();
    outcome = 'unknown';
    store.commit();
    return result;
  } catch (error) {
    store.rollback();
    throw asStorageError(error, store.file, outcome);
  }
}

async function takeTurn(store: Store, clock: Clock): Promise<void> {
  const waiting = new WaitingFile(store.file);
  const untilMs = clock.now() + BUSY_MS_MAX;
  let hasRaised = false;
  try {
    while (!store.begin()) {
      if (clock.now() > untilMs) {
        throw new TroupeError(
          'storage_busy',
          `The store ${store.file} was busy for ${BUSY_MS_MAX} ms. Nothing was written; try again.`,
        );
      }
      waiting.raise();
      hasRaised = true;
      await new Promise<void>((resolve) => clock.after(BUSY_RETRY_MS, resolve));
    }
  } finally {
    if (hasRaised) waiting.lower();
  }
}
