// Timeline: the one queue of everything that happens in a simulation, in the order of simulated time. What happens at the
// same time keeps the order in which it was asked for.
//
// It keeps two times, as a computer does: the time that has passed, and the wall clock, which may jump.

import type { Clock } from '../../../actors/index.ts';
import { VIRTUAL_START_MS } from '../virtual-clock.ts';

interface Task {
  readonly order: number;
  readonly delayMs: number;
  readonly owner: Owner | undefined;
  readonly run: () => void;
  atMs: number;
  isCancelled: boolean;
}

/** Whose tasks leave with it. */
export interface Owner {
  readonly isDead: boolean;
}

/** Time that a process takes for what it does next: without it a machine that never rests would stop the time. Milliseconds. */
const WORK_MS = 1;

export class Timeline {
  private passed = 0;
  private jumpedMs = 0;
  private order = 0;
  private tasks: Task[] = [];
  /** Tasks that only looked and armed themselves again: they look once more after something has happened. */
  private idle: Task[] = [];
  private armed: Task[] = [];

  /** Milliseconds that have passed since the beginning. */
  get passedMs(): number {
    return this.passed;
  }

  /** The wall clock: milliseconds since 1970. */
  get wallMs(): number {
    return VIRTUAL_START_MS + this.passed + this.jumpedMs;
  }

  /** Changes the wall clock; no time passes. Milliseconds; negative goes back. */
  jump(ms: number): void {
    this.jumpedMs += ms;
  }

  /** Asks for something to happen after a while. Milliseconds. @returns what cancels it. */
  after(delayMs: number, run: () => void, owner?: Owner): () => void {
    const atMs = this.passed + Math.max(Math.ceil(delayMs), 0);
    const task = { order: this.order++, delayMs, owner, run, atMs, isCancelled: false };
    this.insert(task);
    this.armed.push(task);
    return () => {
      task.isCancelled = true;
    };
  }

  /** The clock of one process: it stops with it. */
  clockOf(owner: Owner): Clock {
    return {
      now: () => this.wallMs,
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
    const task = this.take(this.passed + withinMs);
    if (task === undefined) {
      if (withinMs !== Number.POSITIVE_INFINITY) this.passed += withinMs;
      return false;
    }
    this.passed = Math.max(this.passed, task.atMs);
    this.armed = [];
    task.run();
    await settled();
    this.judge(task);
    return true;
  }

  private take(untilMs: number): Task | undefined {
    for (;;) {
      const [task] = this.tasks;
      if (task === undefined || task.atMs > untilMs) return undefined;
      this.tasks.shift();
      if (!task.isCancelled && task.owner?.isDead !== true) return task;
    }
  }

  /** A poll that found nothing sleeps until something else has happened. */
  private judge(task: Task): void {
    const [again, ...others] = this.armed;
    const isIdle = again !== undefined && others.length === 0 && again.delayMs === task.delayMs;
    // Work that is done at once looks for itself: a timer that is due a moment later is no poll.
    if (
      isIdle &&
      task.delayMs > WORK_MS &&
      again.owner === task.owner &&
      again.owner !== undefined
    ) {
      this.tasks = this.tasks.filter((each) => each !== again);
      this.idle.push(again);
      return;
    }
    for (const each of this.idle.splice(0)) {
      each.atMs = this.passed + each.delayMs;
      this.insert(each);
    }
  }

  private insert(task: Task): void {
    const index = this.tasks.findLastIndex(({ atMs }) => atMs <= task.atMs);
    this.tasks.splice(index + 1, 0, task);
  }
}

/** Settles when every promise that could settle by itself has. */
export function settled(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
