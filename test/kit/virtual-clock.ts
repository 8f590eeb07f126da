// Virtual clock: time that passes only when a test says so.
//
// It keeps two times, as a computer does: the wall clock, which may jump, and the time that has passed, which decides
// when timers run. Due times in a store are of the wall clock; a jump therefore fires no timer of the process.

import type { Clock } from '../../actors/index.ts';

export interface VirtualClock extends Clock {
  /**
   * Lets time pass. Timers run in the order of their due times, then in that in which they were armed; what each of them
   * causes has ended before the next one runs. Milliseconds, ≥ 0.
   */
  advance(ms: number): Promise<void>;
  /** Changes the wall clock without letting time pass, as a person or NTP does. Milliseconds; negative goes back. */
  jump(ms: number): void;
  /** Settles when nothing is left to do at this moment. Work on other threads is not waited for. */
  settle(): Promise<void>;
  /** Timers that are armed: when they run, in milliseconds of passed time from now. */
  readonly armed: readonly number[];
}

interface Timer {
  readonly atMs: number;
  readonly run: () => void;
}

/** The first wall-clock time of a virtual clock, when none is given: 2030-01-01T00:00:00Z. */
export const VIRTUAL_START_MS = Date.UTC(2030, 0, 1);

/** A clock for tests. `startMs` is its first wall-clock time: milliseconds since 1970. */
export function virtualClock(startMs: number = VIRTUAL_START_MS): VirtualClock {
  return new Virtual(startMs);
}

class Virtual implements VirtualClock {
  private wallMs: number;
  private passedMs = 0;
  private timers: Timer[] = [];
  private soonCount = 0;

  constructor(startMs: number) {
    this.wallMs = startMs;
  }

  get armed(): readonly number[] {
    return this.timers.map(({ atMs }) => atMs - this.passedMs);
  }

  now(): number {
    return Math.floor(this.wallMs);
  }

  after(delayMs: number, run: () => void): () => void {
    const timer = { atMs: this.passedMs + Math.max(delayMs, 0), run };
    // Kept in order: a later one of the same time goes behind.
    const index = this.timers.findLastIndex(({ atMs }) => atMs <= timer.atMs);
    this.timers.splice(index + 1, 0, timer);
    return () => {
      this.timers = this.timers.filter((each) => each !== timer);
    };
  }

  soon(run: () => void): void {
    this.soonCount++;
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
    this.wallMs += ms;
  }

  async advance(ms: number): Promise<void> {
    if (!(ms >= 0)) throw new RangeError(`advance(${ms}): time passes forward; use jump()`);
    const untilMs = this.passedMs + ms;
    await this.settle();
    for (;;) {
      const next = this.timers[0];
      if (next === undefined || next.atMs > untilMs) break;
      this.timers.shift();
      this.pass(next.atMs);
      next.run();
      await this.settle();
    }
    this.pass(untilMs);
  }

  private pass(toMs: number): void {
    this.wallMs += toMs - this.passedMs;
    this.passedMs = toMs;
  }
}
