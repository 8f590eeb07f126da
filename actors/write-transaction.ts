// Write transaction: one transaction outside the engine's loop, waiting for the store without blocking the thread.

import { asStorageError, type Outcome, type Store, TroupeError } from '../persistence/index.ts';
import type { Clock } from './ports.ts';
import { StoreQueue } from './store-queue.ts';
import { WalBound } from './wal-bound.ts';

/** How long a sender, or a host that enters, waits for a busy store. Milliseconds. */
export const BUSY_MS_MAX = 10_000;

/**
 * Runs a write and commits it. @throws {TroupeError} `storage_busy` when the store stayed busy for 10 s,
 * `storage_unavailable` with its outcome, `store_replaced`; what `run` throws, with nothing written.
 */
export async function writeTransaction<T>(store: Store, clock: Clock, run: () => T): Promise<T> {
  const queue = new StoreQueue(store.waiting, clock);
  const bound = new WalBound(store, clock);
  let outcome: Outcome = 'notWritten';
  let isOver = false;
  // Measured by time that passes: the wall clock may jump meanwhile.
  const disarm = clock.after(BUSY_MS_MAX, () => {
    isOver = true;
  });
  try {
    await new Promise<void>((resolve) => bound.whenSmall(resolve));
    queue.join();
    while (!queue.mayTry() || !store.begin()) {
      if (isOver) throw stayedBusy(store);
      await new Promise<void>((resolve) => queue.comeBack(resolve));
    }
    // From the begin to the commit nothing is awaited, not even a function of ours: another write of this process would
    // run inside the transaction, and its failure would undo both.
    const result = run();
    store.files.requireOwn();
    outcome = 'unknown';
    store.commit();
    return result;
  } catch (error) {
    store.rollback();
    throw asStorageError(error, store.file, outcome);
  } finally {
    disarm();
    queue.leave();
  }
}

function stayedBusy(store: Store): TroupeError {
  return new TroupeError(
    'storage_busy',
    `The store ${store.file} was busy for ${BUSY_MS_MAX} ms. Nothing was written; try again.`,
  );
}
