// Store queue: how a process waits for a busy store, and how a busy host lets those that wait come first (V5).

import { BUSY_RETRY_MS, COURTESY_MS_MAX, type WaitingLine } from '../persistence/index.ts';
import type { Clock } from './ports.ts';

export class StoreQueue {
  private readonly clock: Clock;
  private readonly waiting: WaitingLine;
  private isInLine = false;

  constructor(waiting: WaitingLine, clock: Clock) {
    this.clock = clock;
    this.waiting = waiting;
  }

  /** Stands behind those that wait already, if there are any. */
  join(): void {
    if (this.isAwaited) this.isInLine = true;
  }

  /** Whether this process may try now. Asked before every try. */
  mayTry(): boolean {
    return !this.isInLine || this.waiting.stand();
  }

  /** Another process writes, or is first: comes back in a moment. */
  comeBack(again: () => void): void {
    if (!this.isInLine) {
      this.isInLine = true;
      this.waiting.stand();
    }
    this.clock.after(BUSY_RETRY_MS, again);
  }

  /** This process got the store, or gave up. */
  leave(): void {
    if (!this.isInLine) return;
    this.isInLine = false;
    this.waiting.leave();
  }

  /** True when another process waits for the store. */
  get isAwaited(): boolean {
    return this.waiting.first() !== undefined;
  }

  /** Pauses until nobody waits any more, at most COURTESY_MS_MAX; then goes on. */
  giveWay(goOn: () => void): void {
    const first = this.waiting.first();
    // Measured by time that passes: the wall clock may be set back meanwhile (T3).
    let isOver = false;
    const disarm = this.clock.after(COURTESY_MS_MAX, () => {
      isOver = true;
    });
    const look = (): void => {
      const now = this.waiting.first();
      if (!isOver && now !== undefined) {
        this.clock.after(BUSY_RETRY_MS, look);
        return;
      }
      disarm();
      // Who did not move may have died: it must not slow this host for ever.
      if (now !== undefined && now === first) this.waiting.dismiss(now);
      goOn();
    };
    this.clock.after(BUSY_RETRY_MS, look);
  }
}
