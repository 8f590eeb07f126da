// Store queue: how a process waits for a busy store, and how a busy host lets others come first (DESIGN's waiting file).

import { BUSY_RETRY_MS, COURTESY_MS_MAX, type Waiting } from '../persistence/index.ts';
import type { Clock } from './ports.ts';

export class StoreQueue {
  private readonly clock: Clock;
  private readonly waiting: Waiting;
  private hasRaised = false;

  constructor(waiting: Waiting, clock: Clock) {
    this.clock = clock;
    this.waiting = waiting;
  }

  /** Another process writes: says that this one waits, and comes back in a moment. */
  comeBack(again: () => void): void {
    // At every try: a host that has waited long enough for others takes the file down.
    this.waiting.raise();
    this.hasRaised = true;
    this.clock.after(BUSY_RETRY_MS, again);
  }

  /** This process got the store, or gave up. */
  leave(): void {
    if (!this.hasRaised) return;
    this.hasRaised = false;
    this.waiting.lower();
  }

  /** True when another process waits for the store. */
  get isAwaited(): boolean {
    return this.waiting.isRaised();
  }

  /** Pauses until nobody waits any more, at most COURTESY_MS_MAX; then goes on. */
  giveWay(goOn: () => void): void {
    // Measured by time that passes: the wall clock may be set back meanwhile (T3).
    let isOver = false;
    const disarm = this.clock.after(COURTESY_MS_MAX, () => {
      isOver = true;
    });
    const look = (): void => {
      if (!isOver && this.waiting.isRaised()) {
        this.clock.after(BUSY_RETRY_MS, look);
        return;
      }
      disarm();
      // Whoever raised the file may have died: it must not slow this host for ever.
      if (isOver) this.waiting.lower();
      goOn();
    };
    this.clock.after(BUSY_RETRY_MS, look);
  }
}
