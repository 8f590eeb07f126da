// Timeline: the one queue of everything that happens in a simulation, in the order of simulated time. What happens at the
// same time keeps the order in which it was asked for.

import type { Clock } from '../../../actors/index.ts';
import { type Timer, TimerQueue, WORK_MS } from '../timer-queue.ts';
import { VIRTUAL_START_MS } from '../virtual-clock.ts';

/** Whose tasks leave with it, and wait while it is suspended. */
export interface Owner {
  readonly isDead: boolean;
  /** Nothing of it happens before. Milliseconds that have passed since the beginning. */
  readonly suspendedUntilMs?: number;
  /** What its wall clock is ahead of the others. Milliseconds; negative when it is behind. Default 0. */
  readonly aheadMs?: number;
}

export class Timeline {
  private readonly queue = new TimerQueue<Owner>(VIRTUAL_START_MS);
  /** Tasks that only looked and armed themselves again: they look once more after something has happened. */
  private idle: Timer<Owner>[] = [];

  /** Milliseconds that have passed since the beginning. */
  get passedMs(): number {
    return this.queue.passedMs;
  }

  /** The wall clock: milliseconds since 1970. */
  get wallMs(): number {
    return this.queue.wallMs;
  }

  /** Changes the wall clock; no time passes. Milliseconds; negative goes back. */
  jump(ms: number): void {
    this.queue.jump(ms);
  }

  /** Asks for something to happen after a while. Milliseconds. @returns what cancels it. */
  after(delayMs: number, run: () => void, owner?: Owner): () => void {
    const timer = this.queue.arm(Math.ceil(delayMs), run, owner);
    return () => {
      this.queue.remove(timer);
      this.idle = this.idle.filter((each) => each !== timer);
    };
  }

  /** The clock of one process: it stops with it. Each piece of work takes a moment, or a machine that never rests would stop the time. */
  clockOf(owner: Owner): Clock {
    return {
      now: () => this.wallMs + (owner.aheadMs ?? 0),
      after: (delayMs, run) => this.after(delayMs, run, owner),
      soon: (run) => {
        this.after(WORK_MS, run, owner);
      },
    };
  }

  /**
   * Lets the next thing happen, when it does so within a while. @returns false when nothing does; the while has passed
   * then.
   */
  async next(withinMs = Number.POSITIVE_INFINITY): Promise<boolean> {
    const untilMs = this.passedMs + withinMs;
    const timer = this.take(untilMs);
    if (timer === undefined) {
      if (withinMs !== Number.POSITIVE_INFINITY) this.queue.pass(untilMs);
      return false;
    }
    const again = await this.queue.fire(timer, settled);
    if (again !== undefined && again.owner !== undefined) this.sleep(again);
    else this.wake();
    return true;
  }

  private take(untilMs: number): Timer<Owner> | undefined {
    for (;;) {
      const timer = this.queue.take(untilMs);
      if (timer === undefined) return undefined;
      const { owner } = timer;
      if (owner === undefined) return timer;
      if (owner.isDead) continue;
      const { suspendedUntilMs = 0 } = owner;
      if (suspendedUntilMs <= timer.atMs) return timer;
      timer.atMs = suspendedUntilMs;
      this.queue.insert(timer);
    }
  }

  /** A poll that found nothing sleeps until something else has happened. */
  private sleep(poll: Timer<Owner>): void {
    this.queue.remove(poll);
    this.idle.push(poll);
  }

  private wake(): void {
    for (const poll of this.idle.splice(0)) {
      poll.atMs = this.passedMs + poll.delayMs;
      this.queue.insert(poll);
    }
  }
}

/** Settles when every promise that could settle by itself has. */
export function settled(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
