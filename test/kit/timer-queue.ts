// Timer queue: what is to run at its time, in order; a later one of the same time runs behind.
//
// It keeps two times, as a computer does: the time that has passed, which decides when timers run, and the wall clock, which
// may jump.

export interface Timer<TOwner> {
  readonly delayMs: number;
  readonly run: () => void;
  /** Whose it is; undefined when nobody asks. */
  readonly owner: TOwner | undefined;
  /** When it runs. Milliseconds of passed time. */
  atMs: number;
}

/**
 * Up to this delay a timer is work, not a poll: what asks for itself again and again so soon wants to be done. Milliseconds.
 */
export const WORK_MS = 1;

export class TimerQueue<TOwner> {
  private readonly startMs: number;
  private passed = 0;
  private jumpedMs = 0;
  private timers: Timer<TOwner>[] = [];
  /** Armed since a timer began to run. */
  private armed: Timer<TOwner>[] = [];

  /** @param startMs The first wall-clock time: milliseconds since 1970. */
  constructor(startMs: number) {
    this.startMs = startMs;
  }

  /** Milliseconds that have passed since the beginning. */
  get passedMs(): number {
    return this.passed;
  }

  /** Milliseconds since 1970. */
  get wallMs(): number {
    return this.startMs + this.passed + this.jumpedMs;
  }

  /** In the order in which they run. */
  get waiting(): readonly Timer<TOwner>[] {
    return this.timers;
  }

  /** Changes the wall clock; no time passes. Milliseconds; negative goes back. */
  jump(ms: number): void {
    this.jumpedMs += ms;
  }

  /** Lets time pass up to then; it never goes back. */
  pass(toMs: number): void {
    this.passed = Math.max(this.passed, toMs);
  }

  arm(delayMs: number, run: () => void, owner?: TOwner): Timer<TOwner> {
    const timer = { delayMs, run, owner, atMs: this.passed + Math.max(delayMs, 0) };
    this.armed.push(timer);
    this.insert(timer);
    return timer;
  }

  insert(timer: Timer<TOwner>): void {
    const index = this.timers.findLastIndex(({ atMs }) => atMs <= timer.atMs);
    this.timers.splice(index + 1, 0, timer);
  }

  remove(timer: Timer<TOwner>): void {
    this.timers = this.timers.filter((each) => each !== timer);
  }

  /** Takes out the first one, when it is due by then. */
  take(untilMs: number): Timer<TOwner> | undefined {
    const [first] = this.timers;
    return first !== undefined && first.atMs <= untilMs ? this.timers.shift() : undefined;
  }

  /**
   * Runs a timer that was taken out, and all that it causes.
   * @returns the timer with which it armed itself again, when it did nothing else: it only looked.
   */
  async fire(
    timer: Timer<TOwner>,
    settled: () => Promise<void>,
  ): Promise<Timer<TOwner> | undefined> {
    this.pass(timer.atMs);
    this.armed = [];
    timer.run();
    await settled();
    const [again, ...others] = this.armed;
    const isPoll = again?.delayMs === timer.delayMs && timer.delayMs > WORK_MS;
    return isPoll && again.owner === timer.owner && others.length === 0 ? again : undefined;
  }
}
