// Patience: how long a part of a simulation goes on. Machines may never rest, and an engine may be wrong: each part ends.

import type { Timeline } from './timeline.ts';

/** Time that passes when nothing happens. Milliseconds. */
const IDLE_MS = 10_000;

/** Things that happen in a row without a row in the journal, at most: then no more of them come. */
const TASKS_MAX = 5_000;

/** Time in which so many things happen only when a host spins. Milliseconds. */
const SPIN_MS = 25_000;

/**
 * Journal rows that one part of a run may write for each row of the whole run, and those that it may write while it comes to
 * rest: beyond them its machines never rest.
 */
const ROWS_PER_STEP = 10;
const ROWS_OF_REST_MAX = 500;

/**
 * How a part ended: its condition held; its machines never rested; nobody had anything to step any more; or a host was
 * busy all the time and stepped nothing.
 */
export type Ending = 'reached' | 'restless' | 'quiet' | 'spinning';

interface PatienceParts {
  readonly timeline: Timeline;
  /** Rows of the journal. */
  readonly rows: () => number;
  /** Rows after which the run ends. */
  readonly steps: number;
  /** Asked after each thing that happened. It may throw. */
  readonly guard: () => void;
}

export class Patience {
  /** When the journal last grew. Milliseconds that had passed. */
  grownMs = 0;
  private readonly parts: PatienceParts;

  constructor(parts: PatienceParts) {
    this.parts = parts;
  }

  /** Lets things happen until a condition holds. */
  until(isDone: () => boolean): Promise<Ending> {
    return this.goOn(isDone, IDLE_MS, ROWS_PER_STEP * this.parts.steps);
  }

  /** Lets things happen until none does within a while. Milliseconds. */
  untilRest(withinMs: number): Promise<Ending> {
    return this.goOn((happened) => !happened, withinMs, ROWS_OF_REST_MAX);
  }

  private async goOn(
    isDone: (happened: boolean) => boolean,
    withinMs: number,
    rowsMax: number,
  ): Promise<Ending> {
    const { timeline, rows, guard } = this.parts;
    let known = rows();
    const last = known + rowsMax;
    this.grownMs = timeline.passedMs;
    let happened = true;
    for (let tasks = 0; tasks < TASKS_MAX; tasks++) {
      if (isDone(happened)) return 'reached';
      happened = await timeline.next(withinMs);
      guard();
      if (rows() === known) continue;
      known = rows();
      if (known > last) return 'restless';
      this.grownMs = timeline.passedMs;
      tasks = 0;
    }
    return timeline.passedMs - this.grownMs < SPIN_MS ? 'spinning' : 'quiet';
  }
}
