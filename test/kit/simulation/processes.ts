// Processes: the hosts of a simulation, beside each other on one store. Each is started again some time after its end.

import type { Boundary, Troupe } from '../../../actors/index.ts';
import { HostProcess, type ProcessParts } from './process.ts';
import type { Random } from './random.ts';
import type { Timeline } from './timeline.ts';

/** Pause before a process is started again. Milliseconds. */
const RESTART_MS = [0, 10_000] as const;

/** How far the wall clocks of hosts that read them apart differ from the timeline's. Milliseconds. */
const AHEAD_MS = [-20, 20] as const;

/** How long a process is suspended, as by SIGSTOP or by the sleep of a laptop. Milliseconds. */
const SUSPENDED_MS = [10, 30_000] as const;

type ProcessesParts = Omit<
  ProcessParts,
  'number' | 'aheadMs' | 'onBoundary' | 'onReady' | 'onGone'
> & {
  readonly timeline: Timeline;
  readonly random: Random;
  /** Hosts beside each other. */
  readonly hosts: number;
  /** Called when it changes which hosts can be asked. */
  readonly onChange: () => void;
};

export class Processes {
  readonly boundaries: Partial<Record<Boundary, number>> = {};
  private readonly parts: ProcessesParts;
  private readonly running = new Set<HostProcess>();
  private lives = 0;
  private isOver = false;

  constructor(parts: ProcessesParts) {
    this.parts = parts;
  }

  /** Lives that began. */
  get count(): number {
    return this.lives;
  }

  /** True while one of them is there, serving or not. */
  get isAny(): boolean {
    return this.running.size > 0;
  }

  /** Those that can be asked for something now. */
  get serving(): readonly HostProcess[] {
    return [...this.running].filter(
      ({ troupe, suspendedUntilMs }) =>
        troupe !== undefined && suspendedUntilMs <= this.parts.timeline.passedMs,
    );
  }

  /** Hosts that are open, also while they are suspended. */
  get troupes(): readonly Troupe[] {
    return [...this.running].flatMap(({ troupe }) => troupe ?? []);
  }

  /** What the slowest of their wall clocks is ahead of the timeline's: at most 0. Milliseconds. */
  get aheadMs(): number {
    return Math.min(0, ...[...this.running].map(({ aheadMs }) => aheadMs));
  }

  /** When the last of those that are suspended goes on. Milliseconds that have passed. */
  get resumedMs(): number {
    return Math.max(0, ...[...this.running].map(({ suspendedUntilMs }) => suspendedUntilMs));
  }

  /** One of those that can be asked. */
  pick(): HostProcess | undefined {
    const { serving } = this;
    return serving.length > 1 ? this.parts.random.pick(serving) : serving[0];
  }

  start(): void {
    const { random, onChange, hosts, ...parts } = this.parts;
    const process = new HostProcess({
      ...parts,
      number: ++this.lives,
      aheadMs: hosts > 1 ? random.whole(...AHEAD_MS) : 0,
      onBoundary: (boundary) => {
        this.boundaries[boundary] = (this.boundaries[boundary] ?? 0) + 1;
      },
      onReady: onChange,
      onGone: () => {
        this.running.delete(process);
        onChange();
        if (this.isOver) return;
        parts.timeline.after(random.whole(...RESTART_MS), () => this.start());
      },
    });
    this.running.add(process);
    process.start();
  }

  /** One of them stops where it is, alive: it keeps its locks, and goes on later. */
  suspend(): void {
    const { timeline, random, onChange } = this.parts;
    const process = this.pick();
    if (process === undefined) return;
    const forMs = random.whole(...SUSPENDED_MS);
    process.suspendedUntilMs = timeline.passedMs + forMs;
    onChange();
    timeline.after(forMs, onChange);
  }

  /** None is started again; each closes as by a signal. */
  closeAll(): void {
    this.isOver = true;
    for (const process of this.running) process.close();
  }

  /** None is started again; each ends as by `kill -9`. */
  killAll(): void {
    this.isOver = true;
    for (const process of this.running) process.kill();
  }
}
