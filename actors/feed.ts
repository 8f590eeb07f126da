// Feed: lets many wait for the next commit.

import type { CommitFeed } from './watch.ts';

export class Feed implements CommitFeed {
  private waiters: (() => void)[] = [];
  isClosed = false;

  next(): Promise<void> {
    if (this.isClosed) return Promise.resolve();
    return new Promise((resolve) => this.waiters.push(resolve));
  }

  /** Tells all that wait that something was committed. */
  notify(): void {
    for (const resolve of this.waiters.splice(0)) resolve();
  }

  close(): void {
    this.isClosed = true;
    this.notify();
  }
}
