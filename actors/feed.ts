// Feed: lets many wait for the next commit that touches their actor.

import type { CommitFeed } from './watch.ts';

interface Waiter {
  readonly address: string;
  readonly resolve: () => void;
}

export class Feed implements CommitFeed {
  private waiters: Waiter[] = [];
  isClosed = false;
  failure: Error | undefined;

  next(address: string): Promise<void> {
    if (this.isClosed) return Promise.resolve();
    return new Promise((resolve) => this.waiters.push({ address, resolve }));
  }

  /** Tells those that wait for one of these actors; everybody when nobody knows which were touched. */
  notify(touched?: ReadonlySet<string>): void {
    const waiters = this.waiters;
    this.waiters = [];
    for (const waiter of waiters) {
      if (touched === undefined || touched.has(waiter.address)) waiter.resolve();
      else this.waiters.push(waiter);
    }
  }

  /** Ends every watch; with a failure, each of them throws it. */
  close(failure?: Error): void {
    this.failure ??= failure;
    this.isClosed = true;
    this.notify();
  }
}
