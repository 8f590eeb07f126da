// Checks: what is asked of every step and of every new point.

import type { AnyStateMachine } from 'xstate';
import { parseBy } from '../../../actors/issues.ts';
import type { RegisteredMachine } from '../../../actors/registry/index.ts';
import { messageOf } from '../../../actors/step/index.ts';
import type { Attempts } from './attempt.ts';
import { activeNodesOf, isOpenToOutside, knows, nodesOf } from './chart.ts';
import type { Findings } from './findings.ts';
import type { ExploreOptions, Invariant } from './options.ts';
import { type Point, stateOf } from './point.ts';

/** Armings that are gone, of each of which a late answer is tried at a point. */
const LATE_MAX = 100;

export class Checks {
  private readonly machine: AnyStateMachine;
  private readonly schemas: RegisteredMachine['schemas'];
  private readonly invariants: readonly (readonly [string, Invariant])[];
  private readonly findings: Findings;
  /** Ids of the states that something from outside could move. */
  private readonly open: ReadonlySet<string>;

  /** @param machine Before it is marked: a mark is an action, and a transition without any does nothing. */
  constructor(
    machine: AnyStateMachine,
    schemas: RegisteredMachine['schemas'],
    { invariants = {} }: ExploreOptions,
    findings: Findings,
  ) {
    this.machine = machine;
    this.schemas = schemas;
    this.invariants = Object.entries(invariants);
    this.findings = findings;
    const open = nodesOf(machine).filter(isOpenToOutside);
    this.open = new Set(open.map(({ id }) => id));
  }

  /** Of every step, also of one that leads to a point seen before. */
  ofStep(point: Point): void {
    const { from, arrival } = point;
    const { stimulus } = arrival;
    if (stimulus.kind === 'timer' && from !== undefined) this.knownTimer(from, point);
    if (stimulus.kind === 'error' && point.step.status === 'error') {
      this.findings.unhandledError(from, point, stimulus.id, stimulus.source);
    }
    this.invariantsOf(point);
  }

  /** Of every point that was not seen before. */
  ofPoint(point: Point): void {
    this.schemasOf(point);
    if (point.step.status === 'active' && this.isDeadEnd(point)) this.findings.deadEnd(point);
  }

  /**
   * Whatever is gone may still come back, once more or too late: nothing moves. The newest 100 are tried; at a point that was
   * seen before only what has just gone. @returns how many late answers were tried.
   */
  lateAnswers(point: Point, attempts: Attempts, { isNew }: { readonly isNew: boolean }): number {
    if (point.step.status !== 'active') return 0;
    const all = point.gone?.count ?? 0;
    const count = isNew ? Math.min(all, LATE_MAX) : all - (point.from?.gone?.count ?? 0);
    if (count === 0) return 0;
    const moved = attempts.late(point, count);
    if (moved !== undefined) this.findings.lateMoved(point, moved.gone, moved.step);
    return count;
  }

  private knownTimer(from: Point, point: Point): void {
    const { origin, event } = point.arrival.delivery;
    const active = activeNodesOf(this.machine, from.snapshot.value);
    if (origin.kind === 'event' || active.some((node) => knows(node, event.type))) return;
    const timer = from.timers.find(({ incarnation }) => incarnation === origin.incarnation);
    if (timer !== undefined) this.findings.strayTimer(from, point, timer);
  }

  /** A timer that no state knows is no way on. */
  private isDeadEnd({ timers, ordered, mailbox, snapshot }: Point): boolean {
    if (ordered.length + mailbox.length > 0) return false;
    const active = activeNodesOf(this.machine, snapshot.value);
    return !active.some(
      (node) => this.open.has(node.id) || timers.some(({ event }) => knows(node, event.type)),
    );
  }

  private invariantsOf(point: Point): void {
    if (this.invariants.length === 0) return;
    const { from, arrival, step } = point;
    const before = from === undefined ? undefined : stateOf(from);
    const edge = { before, stimulus: arrival.stimulus, effects: step.effects };
    for (const [name, holds] of this.invariants) {
      const verdict = verdictOf(() => holds(stateOf(point), edge));
      if (verdict !== true) this.findings.invariant(point, name, verdict);
    }
  }

  /** As the engine: a context when it is read again, an output when it is written. */
  private schemasOf(point: Point): void {
    const { context, output } = this.schemas;
    const { snapshot, step } = point;
    const contextFit = context && parseBy(context, snapshot.context);
    if (contextFit !== undefined && 'why' in contextFit) {
      const why = `After a restart the actor is stuck, because its context does not fit its schema: ${contextFit.why}.`;
      this.findings.misfit(point, 'context_invalid', why);
    }
    const outputFit = step.status === 'done' && output && parseBy(output, snapshot.output);
    if (outputFit && 'why' in outputFit) {
      const why = `The actor is stuck instead of ending, because its output does not fit its schema: ${outputFit.why}.`;
      this.findings.misfit(point, 'output_invalid', why);
    }
  }
}

function verdictOf(check: () => boolean | string): boolean | string {
  try {
    return check();
  } catch (error) {
    return `it throws: ${messageOf(error)}`;
  }
}
