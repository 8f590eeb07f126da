// Virtual clock: time that passes only when a test says so.
//
// It keeps two times, as a computer does: the wall clock, which may jump, and the time that has passed, which decides
// when timers run. Due times in a store are of the wall clock; a jump therefore fires no timer of the process.

import type { Clock } from '../../actors/index.ts';
import { type Timer, TimerQueue } from './timer-queue.ts';

export interface VirtualClock extends Clock {
  /**
   * Lets time pass. Timers run in the order of their due times, then in that in which they were armed; what each of them
   * causes has ended before the next one runs. A host wakes every 30 s, so a day takes about a second; for longer spans
   * `jump` first. Milliseconds, ≥ 0.
   */
  advance(ms: number): Promise<void>;
  /**
   * Changes the wall clock without letting time pass, as a person, NTP or the sleep of a machine does. A host notices at
   * the latest after 30 s that pass. Milliseconds; negative goes back.
   */
  jump(ms: number): void;
  /** Settles when nothing is left to do at this moment. Work on other threads is not waited for. */
  settle(): Promise<void>;
  /** Timers that are armed: when they run, in milliseconds of passed time from now. */
  readonly armed: readonly number[];
}

/** The first wall-clock time of a virtual clock, when none is given: 2030-01-01T00:00:00Z. */
export const VIRTUAL_START_MS = Date.UTC(2030, 0, 1);

/** A clock for tests. `startMs` is its first wall-clock time: milliseconds since 1970. */
export function virtualClock(startMs: number = VIRTUAL_START_MS): VirtualClock {
  return new Virtual(startMs);
}

class Virtual implements VirtualClock {
  private readonly queue: TimerQueue<never>;
  /** They only asked whether something had happened, and armed themselves again. */
  private readonly idle = new Set<Timer<never>>();
  private soonCount = 0;
  private askedMeanwhile = 0;

  constructor(startMs: number) {
    this.queue = new TimerQueue(startMs);
  }

  get armed(): readonly number[] {
    return this.queue.waiting.map(({ atMs }) => atMs - this.queue.passedMs);
  }

  now(): number {
    return Math.floor(this.queue.wallMs);
  }

  after(delayMs: number, run: () => void): () => void {
    const timer = this.queue.arm(delayMs, run);
    return () => {
      this.queue.remove(timer);
      this.idle.delete(timer);
    };
  }

  soon(run: () => void): void {
    this.soonCount++;
    this.askedMeanwhile++;
    setImmediate(() => {
      this.soonCount--;
      run();
    });
  }

  async settle(): Promise<void> {
    do await new Promise((resolve) => setImmediate(resolve));
    while (this.soonCount > 0);
  }

  jump(ms: number): void {
    this.queue.jump(ms);
  }

  async advance(ms: number): Promise<void> {
    if (!(ms >= 0)) throw new RangeError(`advance(${ms}): time passes forward; use jump()`);
    const untilMs = this.queue.passedMs + ms;
    // The test may have changed what they look at.
    this.idle.clear();
    await this.settle();
    for (;;) {
      this.skipIdle(untilMs);
      const next = this.queue.take(untilMs);
      if (next === undefined) break;
      await this.fire(next);
    }
    this.queue.pass(untilMs);
  }

  private async fire(timer: Timer<never>): Promise<void> {
    this.idle.delete(timer);
    this.askedMeanwhile = 0;
    const again = await this.queue.fire(timer, () => this.settle());
    // After anything else each of them has to look again before it may be left out.
    if (again === undefined || this.askedMeanwhile > 0) this.idle.clear();
    else this.idle.add(again);
  }

  /** Where nothing else happens, a timer that only looks need not look: it looks once, at the last moment. */
  private skipIdle(untilMs: number): void {
    const busy = this.queue.waiting.find((timer) => !this.idle.has(timer));
    const toMs = Math.min(busy?.atMs ?? untilMs, untilMs);
    for (const timer of this.idle) {
      const { atMs, delayMs } = timer;
      if (atMs + delayMs > toMs) continue;
      this.queue.remove(timer);
      timer.atMs += Math.floor((toMs - atMs) / delayMs) * delayMs;
      this.queue.insert(timer);
    }
  }
}
