// Memory: actors as a host holds them that does not restart, from the birth on.

import type { RegisteredMachine } from '../../../actors/registry/index.ts';
import {
  type ActorState,
  type Delivery,
  type Late,
  type MachineEvent,
  revive,
  type Step,
  StepError,
  type step as stepFunction,
  unborn,
} from '../../../actors/step/index.ts';
import type { Point } from './point.ts';

/** Steps that are taken again, without a restart in between, to make an actor in memory anew. */
const MEMORY_STEPS_MAX = 64;

export type StepFunction = typeof stepFunction;

/** The step, bound to the machine that is explored. */
export class Steps {
  private readonly machine: RegisteredMachine;
  private readonly step: StepFunction;
  private readonly address: string;
  private readonly parent: string | undefined;

  constructor(
    machine: RegisteredMachine,
    step: StepFunction,
    address: string,
    parent: string | undefined,
  ) {
    this.machine = machine;
    this.step = step;
    this.address = address;
    this.parent = parent;
  }

  /** The actor as it comes out of its stored text. */
  fromText(point: Point | undefined): ActorState {
    if (point !== undefined) return revive(this.machine, point.stored);
    return unborn(this.address, this.parent, this.parent === undefined ? undefined : 'explored');
  }

  take(actor: ActorState, delivery: Delivery): Step | Late {
    return this.step(this.machine, actor, asStored(delivery));
  }
}

/** Each step reads its event from a row, so nothing that machine code does to it is seen elsewhere. */
function asStored(delivery: Delivery): Delivery {
  const { event } = delivery;
  // The step makes a flat copy itself.
  if (Object.values(event).every(isStoredAsItIs)) return delivery;
  return { ...delivery, event: JSON.parse(JSON.stringify(event)) as MachineEvent };
}

function isStoredAsItIs(part: unknown): boolean {
  return part === null || typeof part === 'string' || typeof part === 'boolean';
}

export class Memory {
  private readonly actors = new Map<Point, ActorState>();
  private readonly steps: Steps;

  constructor(steps: Steps) {
    this.steps = steps;
  }

  keep(point: Point, actor: ActorState | undefined): void {
    if (actor !== undefined) this.actors.set(point, actor);
  }

  forget(point: Point): void {
    this.actors.delete(point);
  }

  /** The actor as the steps from its birth have left it, unless a host would have read it back on the way. */
  of(point: Point | undefined): ActorState {
    return (point && this.actors.get(point)) ?? this.steps.fromText(point);
  }

  /** The same, of which nothing else has a part: the last 64 steps are taken again. */
  anew(point: Point | undefined): ActorState {
    const way: Point[] = [];
    let first = point;
    for (; first !== undefined && way.length < MEMORY_STEPS_MAX; first = first.from) {
      way.push(first);
    }
    let actor = this.steps.fromText(first);
    for (const next of way.reverse()) actor = this.after(actor, next);
    return actor;
  }

  /** Where the way in memory is another one, that was found there; from there on the text counts. */
  private after(actor: ActorState, next: Point): ActorState {
    try {
      const stepped = this.steps.take(actor, next.arrival.delivery);
      const isLive =
        stepped.kind === 'step' && stepped.exact && stepped.after.text === next.stored.text;
      return isLive ? stepped.after : this.steps.fromText(next);
    } catch (error) {
      if (error instanceof StepError) return this.steps.fromText(next);
      throw error;
    }
  }
}
