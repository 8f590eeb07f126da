// Search: breadth first through all points, so that the first way to each is a shortest one.

import { INIT_EVENT } from '../../../actors/step/index.ts';
import { VIRTUAL_START_MS } from '../virtual-clock.ts';
import { arrivalsAt, hasTooManyTimers, isMailboxFull } from './arrivals.ts';
import type { Attempts } from './attempt.ts';
import type { Checks } from './checks.ts';
import type { Marks } from './coverage.ts';
import type { Findings } from './findings.ts';
import { keyOf } from './key.ts';
import { type ExploreLimit, type ExploreOptions, STATES_MAX } from './options.ts';
import { type Arrival, type Point, pointAfter, stateOf } from './point.ts';
import type { Subject } from './subject.ts';

/** Points between two words about the progress. */
const PROGRESS_POINTS = 250;

interface SearchParts {
  readonly subject: Subject;
  readonly options: ExploreOptions;
  readonly attempts: Attempts;
  readonly checks: Checks;
  readonly findings: Findings;
  readonly marks: Marks;
}

export class Search {
  readonly points: Point[] = [];
  readonly limits = new Set<ExploreLimit>();
  /** The first point at which nothing was tried, because of its many timers. */
  crowded: Point | undefined;
  steps = 0;
  late = 0;
  private readonly parts: SearchParts;
  private readonly seen = new Set<string>();
  private readonly abstract: (context: unknown) => unknown;

  constructor(parts: SearchParts) {
    this.parts = parts;
    this.abstract = parts.options.abstract ?? ((context) => context);
  }

  run(): void {
    for (const input of this.parts.subject.inputs) this.take(undefined, birthOf(input));
    if (this.points.length === 0) this.limits.add('birth');
    for (let index = 0; index < this.points.length; index++) {
      const point = this.points[index];
      if (point === undefined || this.limits.has('states')) break;
      if (index % PROGRESS_POINTS === 0) this.tellProgress(index);
      if (this.isExpanded(point)) this.expand(point);
      this.parts.attempts.forget(point);
    }
  }

  private isExpanded(point: Point): boolean {
    if (point.step.status !== 'active') return false;
    const { until, depthMax } = this.parts.options;
    if (until?.(stateOf(point)) === true) return false;
    if (hasTooManyTimers(point)) {
      this.limits.add('timers');
      this.crowded ??= point;
      return false;
    }
    if (depthMax === undefined || point.depth < depthMax) return true;
    this.limits.add('depth');
    return false;
  }

  private expand(point: Point): void {
    if (isMailboxFull(point)) this.limits.add('mailbox');
    for (const arrival of arrivalsAt(point, this.parts.subject.alphabet)) {
      this.take(point, arrival);
      if (this.limits.has('states')) return;
    }
  }

  private take(from: Point | undefined, arrival: Arrival): void {
    const { attempts, findings, checks, marks } = this.parts;
    this.steps++;
    const { outcome, difference, live } = attempts.take(from, arrival);
    if (outcome.kind === 'step') marks.keep();
    else marks.drop();
    if (difference !== undefined) findings.restoreDiffers(from, arrival, difference);
    if (outcome.kind === 'threw') findings.threw(from, arrival, outcome.error);
    if (outcome.kind !== 'step') return;
    const point = pointAfter(from, arrival, outcome.step);
    checks.ofStep(point);
    const key = keyOf(point, this.abstract);
    const isNew = !this.seen.has(key);
    this.late += checks.lateAnswers(point, attempts, { isNew });
    marks.drop();
    if (!isNew) return;
    if (this.points.length >= (this.parts.options.statesMax ?? STATES_MAX)) {
      this.limits.add('states');
      return;
    }
    this.seen.add(key);
    this.points.push(point);
    attempts.keep(point, live);
    checks.ofPoint(point);
  }

  private tellProgress(index: number): void {
    const states = this.points.length;
    this.parts.options.onProgress?.({ states, queue: states - index, steps: this.steps });
  }
}

function birthOf(input: unknown): Arrival {
  return {
    stimulus: { kind: 'birth', input },
    delivery: {
      event: { type: INIT_EVENT, input },
      origin: { kind: 'event' },
      atMs: VIRTUAL_START_MS,
    },
  };
}
