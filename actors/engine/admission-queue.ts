// Admission queue: outside writes on their way into the next group, each answered after the commit (M1).

import { GROUP_WRITES_BYTES_MAX } from '../limits.ts';
import { messageOf } from '../step/index.ts';
import { KeptRefusal } from './admission.ts';
import { endsGroup, type Group } from './group.ts';

/** Outside writes that one group takes. The rest is for the next one. */
const ADMISSIONS_MAX = 1_000;

export interface Admission {
  /** Answers the caller. Called after the commit. */
  settle(): void;
}

class Pending<T> implements Admission {
  private readonly work: (group: Group) => T;
  private readonly resolve: (result: T) => void;
  private readonly reject: (error: Error) => void;
  private outcome: { readonly result: T } | { readonly error: Error } | undefined;

  constructor(
    work: (group: Group) => T,
    resolve: (result: T) => void,
    reject: (error: Error) => void,
  ) {
    this.work = work;
    this.resolve = resolve;
    this.reject = reject;
  }

  /** Writes inside the group. A typed refusal undoes this write alone; anything else is the storage's. */
  run(group: Group): void {
    try {
      const result = group.part(() => this.work(group));
      this.outcome = result instanceof KeptRefusal ? { error: result.error } : { result };
    } catch (error) {
      if (endsGroup(error)) throw error;
      this.outcome = { error: error instanceof Error ? error : new Error(messageOf(error)) };
    }
  }

  settle(): void {
    if (this.outcome === undefined) return;
    if ('error' in this.outcome) this.reject(this.outcome.error);
    else this.resolve(this.outcome.result);
  }

  refuse(error: Error): void {
    this.reject(error);
  }
}

export class AdmissionQueue {
  private pending: Pending<unknown>[] = [];
  /** In the group that runs now, from its begin to its commit. */
  private running: Pending<unknown>[] = [];

  get size(): number {
    return this.pending.length;
  }

  add<T>(work: (group: Group) => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const entry = new Pending(work, resolve, (error) => reject(error));
      this.pending.push(entry as Pending<unknown>);
    });
  }

  /**
   * Writes what waits into the group, within its limits and until its time is over: steps have a time of their own.
   * @returns what to settle once the group is on disk.
   */
  run(group: Group, isOver: () => boolean): readonly Admission[] {
    this.running = [];
    try {
      while (this.running.length < ADMISSIONS_MAX && group.writtenBytes < GROUP_WRITES_BYTES_MAX) {
        const next = this.pending[this.running.length];
        if (next === undefined || (this.running.length > 0 && isOver())) break;
        this.running.push(next);
        next.run(group);
      }
    } finally {
      this.pending = this.pending.slice(this.running.length);
    }
    return this.running;
  }

  /** The group is run again: what it took waits in its place. */
  requeue(): void {
    this.pending = [...this.running.splice(0), ...this.pending];
  }

  /** The group was lost: its callers learn why. */
  refuseRunning(error: unknown): void {
    const reason = error instanceof Error ? error : new Error(messageOf(error));
    for (const entry of this.running.splice(0)) entry.refuse(reason);
  }

  refuseAll(error: Error): void {
    this.refuseRunning(error);
    this.refusePending(error);
  }

  /** Those that no group has taken yet. */
  refusePending(error: Error): void {
    for (const entry of this.pending.splice(0)) entry.refuse(error);
  }
}
