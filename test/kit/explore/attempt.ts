// Attempt: takes one step twice, from the actor in memory and from its stored text, as a host does before and after a crash.

import type { AnyStateMachine } from 'xstate';
import { type ActorState, type Step, StepError } from '../../../actors/step/index.ts';
import { activeNodesOf, type ChartNode, knows } from './chart.ts';
import { Memory, type Steps } from './memory.ts';
import type { Arrival, Gone, Point } from './point.ts';

export type Outcome =
  | { readonly kind: 'step'; readonly step: Step }
  | { readonly kind: 'late' }
  | { readonly kind: 'threw'; readonly error: StepError };

interface Attempted {
  /** From the stored text: what counts. */
  readonly outcome: Outcome;
  /** What the actor in memory did otherwise; undefined when it did the same. */
  readonly difference: string | undefined;
  /** The actor in memory afterwards; undefined when a host would read it back from its text. */
  readonly live: ActorState | undefined;
}

export class Attempts {
  private readonly machine: AnyStateMachine;
  private readonly steps: Steps;
  private readonly memory: Memory;
  private untouched: { readonly point: Point | undefined; readonly actor: ActorState } | undefined;

  private active: { readonly of: Point | undefined; readonly nodes: readonly ChartNode[] } = {
    of: undefined,
    nodes: [],
  };

  constructor(machine: AnyStateMachine, steps: Steps) {
    this.machine = machine;
    this.steps = steps;
    this.memory = new Memory(steps);
  }

  /** A birth has no stored text: it is taken twice, each time anew. */
  take(point: Point | undefined, arrival: Arrival): Attempted {
    const outcome = this.restored(point, arrival);
    if (this.isUnheard(point, arrival)) return { outcome, difference: undefined, live: undefined };
    const inMemory = this.outcomeOf(arrival, this.memory.of(point));
    const difference = differenceOf(outcome, inMemory);
    if (difference === undefined) return { outcome, difference, live: liveAfter(inMemory) };
    return this.takeAgain(point, arrival, outcome);
  }

  /** No state knows what comes from outside: no machine code runs, neither before nor after a restart. */
  private isUnheard(point: Point | undefined, { stimulus, delivery }: Arrival): boolean {
    if (point === undefined || stimulus.kind !== 'event') return false;
    if (this.active.of !== point) {
      this.active = { of: point, nodes: activeNodesOf(this.machine, point.snapshot.value) };
    }
    return !this.active.nodes.some((node) => knows(node, delivery.event.type));
  }

  /** An actor that the step before has left as it was serves again. */
  private restored(point: Point | undefined, arrival: Arrival): Outcome {
    const { untouched } = this;
    const isThere = untouched !== undefined && untouched.point === point;
    const actor = isThere ? untouched.actor : this.steps.fromText(point);
    const outcome = this.outcomeOf(arrival, actor);
    this.untouched = isUntouched(actor, outcome) ? { point, actor } : undefined;
    return outcome;
  }

  /** The actor of a point that was not seen before, as `take` has left it in memory. */
  keep(point: Point, live: ActorState | undefined): void {
    this.memory.keep(point, live);
  }

  /** Nothing more is tried at the point. */
  forget(point: Point): void {
    this.memory.forget(point);
  }

  /**
   * The actor in memory is used for all that is tried at a point, and machine code may have changed it in place: a difference
   * counts only when it is there with one of which nobody else has a part, or when the stored text itself leads elsewhere.
   */
  private takeAgain(point: Point | undefined, arrival: Arrival, outcome: Outcome): Attempted {
    const again = this.outcomeOf(arrival, this.steps.fromText(point));
    const inMemory = this.outcomeOf(arrival, this.memory.anew(point));
    const difference = differenceOf(again, inMemory) ?? differenceOf(outcome, again);
    const live = difference === undefined ? liveAfter(inMemory) : undefined;
    return { outcome, difference, live };
  }

  /**
   * Tries answers of what is gone, the newest first, until one of them wrongly moves the actor.
   * @param count How many of them.
   */
  late(point: Point, count: number): { readonly gone: Gone; readonly step: Step } | undefined {
    // What comes late leaves the actor as it is, so one of them serves for all.
    const actor = this.steps.fromText(point);
    let { gone } = point;
    for (let tried = 0; gone !== undefined && tried < count; tried++) {
      const { event, origin, older } = gone;
      const stepped = this.steps.take(actor, { event, origin, atMs: point.atMs });
      if (stepped.kind === 'step') return { gone, step: stepped };
      gone = older;
    }
    return undefined;
  }

  private outcomeOf({ delivery }: Arrival, actor: ActorState): Outcome {
    try {
      const stepped = this.steps.take(actor, delivery);
      return stepped.kind === 'late' ? stepped : { kind: 'step', step: stepped };
    } catch (error) {
      if (error instanceof StepError) return { kind: 'threw', error };
      throw error;
    }
  }
}

/** The step has taken nothing, changed nothing in place and ordered nothing. */
function isUntouched({ snapshot }: ActorState, outcome: Outcome): boolean {
  if (outcome.kind !== 'step') return false;
  const { after, exact, effects } = outcome.step;
  return after.snapshot === snapshot && exact && effects.length === 0;
}

/** As the engine does: what JSON does not give back exactly is read back before it is used. */
function liveAfter(outcome: Outcome): ActorState | undefined {
  return outcome.kind === 'step' && outcome.step.exact ? outcome.step.after : undefined;
}

function differenceOf(restored: Outcome, live: Outcome): string | undefined {
  if (restored.kind === 'step' && live.kind === 'step') {
    return differenceOfSteps(restored.step, live.step);
  }
  const [inMemory, afterwards] = [wordOf(live), wordOf(restored)];
  return inMemory === afterwards
    ? undefined
    : `in memory ${inMemory}, after a restart ${afterwards}`;
}

function differenceOfSteps(restored: Step, live: Step): string | undefined {
  const parts = [
    ['status', restored.status, live.status],
    ['snapshot', restored.after.text, live.after.text],
    ['effects', restored.effectsText, live.effectsText],
    ['armings', armingsText(restored), armingsText(live)],
  ] as const;
  const differing = parts.find(([, ofRestored, ofLive]) => ofRestored !== ofLive);
  if (differing === undefined) return undefined;
  const [what, ofRestored = 'none', ofLive = 'none'] = differing;
  const from = Math.max(firstDifference(ofRestored, ofLive) - SHOWN_BEFORE, 0);
  return `the ${what} in memory ${shown(ofLive, from)}, after a restart ${shown(ofRestored, from)}`;
}

function armingsText({ after: { armings } }: Step): string {
  return JSON.stringify(armings);
}

function wordOf(outcome: Outcome): string {
  if (outcome.kind !== 'threw') return outcome.kind === 'step' ? 'it moves' : 'it does not move';
  return `it throws ${outcome.error.code}: ${shown(outcome.error.message, 0)}`;
}

/** Characters of a difference that are shown, and of what comes before it. */
const SHOWN_MAX = 120;
const SHOWN_BEFORE = 40;

function firstDifference(a: string, b: string): number {
  let index = 0;
  while (index < a.length && a[index] === b[index]) index++;
  return index;
}

function shown(text: string, from: number): string {
  const to = from + SHOWN_MAX;
  return `${from > 0 ? '…' : ''}${text.slice(from, to)}${to < text.length ? '…' : ''}`;
}
