// Virtual clock: time that passes only when a test says so.
//
// It keeps two times, as a computer does: the wall clock, which may jump, and the time that has passed, which decides
// when timers run. Due times in a store are of the wall clock; a jump therefore fires no timer of the process.

import type { Clock } from '../../actors/index.ts';

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

interface Timer {
  readonly delayMs: number;
  readonly run: () => void;
  atMs: number;
  /** It only asked whether something had happened, and armed itself again. */
  isIdle: boolean;
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
  /** Armed since a timer ran, to tell what it did. */
  private armedMeanwhile: Timer[] | undefined;
  private soonCount = 0;
  private askedMeanwhile = 0;

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
    const atMs = this.passedMs + Math.max(delayMs, 0);
    const timer: Timer = { delayMs, run, atMs, isIdle: false };
    this.armedMeanwhile?.push(timer);
    this.insert(timer);
    return () => {
      this.timers = this.timers.filter((each) => each !== timer);
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
    this.wallMs += ms;
  }

  async advance(ms: number): Promise<void> {
    if (!(ms >= 0)) throw new RangeError(`advance(${ms}): time passes forward; use jump()`);
    const untilMs = this.passedMs + ms;
    // The test may have changed what they look at.
    this.wakeIdle();
    await this.settle();
    for (;;) {
      this.skipIdle(untilMs);
      const next = this.timers.shift();
      if (next === undefined) break;
      if (next.atMs > untilMs) {
        this.timers.unshift(next);
        break;
      }
      await this.fire(next);
    }
    this.pass(untilMs);
  }

  private async fire(timer: Timer): Promise<void> {
    this.pass(timer.atMs);
    const armed: Timer[] = [];
    this.armedMeanwhile = armed;
    this.askedMeanwhile = 0;
    timer.run();
    await this.settle();
    this.armedMeanwhile = undefined;
    const [again, ...others] = armed;
    const isIdle =
      again?.delayMs === timer.delayMs && others.length === 0 && this.askedMeanwhile === 0;
    if (again !== undefined && isIdle) again.isIdle = true;
    else this.wakeIdle();
  }

  /** Something has happened: each of them has to look again before it may be left out. */
  private wakeIdle(): void {
    for (const timer of this.timers) timer.isIdle = false;
  }

  /** Where nothing else happens, a timer that only looks need not look: it looks once, at the last moment. */
  private skipIdle(untilMs: number): void {
    const busy = this.timers.find(({ isIdle }) => !isIdle);
    const toMs = Math.min(busy?.atMs ?? untilMs, untilMs);
    const skipped = this.timers.filter(
      ({ isIdle, atMs, delayMs }) => isIdle && delayMs > 0 && atMs + delayMs <= toMs,
    );
    for (const timer of skipped) {
      this.timers = this.timers.filter((each) => each !== timer);
      timer.atMs += Math.floor((toMs - timer.atMs) / timer.delayMs) * timer.delayMs;
      this.insert(timer);
    }
  }

  /** Kept in order: a later one of the same time goes behind. */
  private insert(timer: Timer): void {
    const index = this.timers.findLastIndex(({ atMs }) => atMs <= timer.atMs);
    this.timers.splice(index + 1, 0, timer);
  }

  private pass(toMs: number): void {
    this.wallMs += toMs - this.passedMs;
    this.passedMs = toMs;
  }
}
