// WAL bound: who writes waits until a large WAL could be emptied, so that readers that overlap without end do not let it grow
// without end (V10).
//
// SQLite begins its WAL anew only in a moment in which nobody reads from it. Under load such a moment does not come by itself:
// writers have to make it. What is moved to the database file is read from there, so it comes when the readers of before have
// gone, and those hold a transaction for 100 ms at most.

import { BUSY_RETRY_MS, type Store } from '../persistence/index.ts';
import { WAL_REST_MS, WAL_WAIT_MS_MAX } from './limits.ts';
import type { Clock } from './ports.ts';

export class WalBound {
  private readonly store: Store;
  private readonly clock: Clock;
  /** Readers did not go: for a while it grows. */
  private isResting = false;

  constructor(store: Store, clock: Clock) {
    this.store = store;
    this.clock = clock;
  }

  /** True when a write should wait: call `whenSmall` then. */
  get isLarge(): boolean {
    return this.store.files.isWalLarge && !this.isResting;
  }

  /** Goes on at once when the WAL is small; else when it could be emptied, or after WAL_WAIT_MS_MAX. */
  whenSmall(goOn: () => void): void {
    if (!this.isLarge) return goOn();
    let isOver = false;
    const disarm = this.clock.after(WAL_WAIT_MS_MAX, () => {
      isOver = true;
    });
    const look = (): void => {
      const isEmpty = this.tryToEmpty();
      if (!isEmpty && !isOver) {
        this.clock.after(BUSY_RETRY_MS, look);
        return;
      }
      disarm();
      if (!isEmpty) this.rest();
      goOn();
    };
    look();
  }

  /** A storage that fails here fails in the write that follows, which tells it. */
  private tryToEmpty(): boolean {
    try {
      return this.store.emptyWal();
    } catch {
      return false;
    }
  }

  private rest(): void {
    this.isResting = true;
    this.clock.after(WAL_REST_MS, () => {
      this.isResting = false;
    });
  }
}
