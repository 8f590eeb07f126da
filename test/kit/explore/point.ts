// Point: an actor between two steps, with what may still come to it, and the way on which it was reached first.

import {
  type ActorState,
  armedId,
  type Delivery,
  type MachineEvent,
  type Origin,
  type Step,
} from '../../../actors/step/index.ts';
import type { ExploredState } from './options.ts';
import type { Stimulus } from './stimulus.ts';

export type Stored = Pick<
  ActorState,
  'address' | 'parent' | 'childId' | 'revision' | 'text' | 'armings'
>;

/** The JSON of a stored snapshot, as far as it is read here. */
export interface Snapshot {
  readonly status: ExploredState['status'];
  readonly value?: unknown;
  readonly nodes?: unknown;
  readonly context?: unknown;
  readonly historyValue?: unknown;
  readonly children?: Readonly<Record<string, { readonly src: string }>>;
  readonly output?: unknown;
  readonly error?: unknown;
}

interface Arming {
  readonly incarnation: string;
  /** The revision that armed it. */
  readonly revision: number;
}

export interface Timer extends Arming {
  /** The id by which the machine cancels it; of one without, its event's type in brackets. */
  readonly id: string;
  readonly hasId: boolean;
  readonly event: MachineEvent;
  /** Whole milliseconds, as the store keeps them. */
  readonly delayMs: number;
  /** Milliseconds since 1970, in virtual time. */
  readonly dueAtMs: number;
}

/** A call, or a child that is a machine. */
export interface Ordered extends Arming {
  readonly kind: 'call' | 'actor';
  readonly id: string;
  readonly source: string;
  readonly input: unknown;
}

/** An arming that is gone, with what could still come of it. The older ones follow. */
export interface Gone {
  readonly text: string;
  readonly event: MachineEvent;
  readonly origin: Origin;
  readonly older: Gone | undefined;
  /** How many there are, this one included. */
  readonly count: number;
}

/** One thing that happens, in the form of the step. */
export interface Arrival {
  readonly stimulus: Stimulus;
  readonly delivery: Delivery;
}

/** What may come of what is armed. */
export interface Armed {
  /** In the order in which they were armed. */
  readonly timers: readonly Timer[];
  readonly ordered: readonly Ordered[];
  /** What it has sent to itself, oldest first. */
  readonly mailbox: readonly MachineEvent[];
  readonly gone: Gone | undefined;
}

export interface Point extends Armed {
  /** Undefined for a birth. */
  readonly from: Point | undefined;
  /** Steps from the birth on, the birth included. */
  readonly depth: number;
  readonly arrival: Arrival;
  readonly stored: Stored;
  readonly snapshot: Snapshot;
  readonly step: Pick<Step, 'status' | 'effects' | 'tags'>;
  /** The virtual time of its step. Milliseconds since 1970. */
  readonly atMs: number;
}

/** The point that a step leads to. */
export function pointAfter(from: Point | undefined, arrival: Arrival, step: Step): Point {
  const { address, parent, childId, revision, text, armings } = step.after;
  const snapshot = JSON.parse(text) as Snapshot;
  return {
    from,
    depth: (from?.depth ?? 0) + 1,
    arrival,
    stored: { address, parent, childId, revision, text, armings },
    snapshot,
    step: { status: step.status, effects: step.effects, tags: step.tags },
    atMs: arrival.delivery.atMs,
    ...armedAfter(from, arrival, step, snapshot),
  };
}

function armedAfter(
  from: Point | undefined,
  arrival: Arrival,
  step: Step,
  snapshot: Snapshot,
): Armed {
  const before = { timers: from?.timers ?? [], ordered: from?.ordered ?? [] };
  const { timers, calls, actors } = step.after.armings;
  const live = new Set([...Object.keys(timers), ...Object.values(calls), ...Object.values(actors)]);
  const isLive = ({ incarnation }: Arming) => live.has(incarnation);
  const taken = arrival.stimulus.kind === 'message' ? 1 : 0;
  return {
    timers: [...before.timers.filter(isLive), ...armedTimers(step, arrival.delivery.atMs)],
    ordered: [...before.ordered.filter(isLive), ...orderedBy(step, snapshot)],
    mailbox: [...(from?.mailbox ?? []).slice(taken), ...sentToItself(step)],
    gone: goneAfter(from, arrival, isLive),
  };
}

function armedTimers({ effects, after }: Step, atMs: number): Timer[] {
  return effects.flatMap((effect) => {
    // What is to come to another actor answers no arming of this one.
    if (effect.kind !== 'schedule' || effect.to !== undefined) return [];
    const { incarnation, event } = effect;
    const delayMs = Math.ceil(effect.delayMs);
    const id = armedId(incarnation);
    const hasId = after.armings.timers[incarnation] === id;
    const { revision } = after;
    return [{ incarnation, id, hasId, event, delayMs, revision, dueAtMs: atMs + delayMs }];
  });
}

function orderedBy({ effects, after: { revision } }: Step, snapshot: Snapshot): Ordered[] {
  return effects.flatMap((effect): Ordered[] => {
    if (effect.kind === 'call') {
      const { incarnation, source, input } = effect;
      const id = armedId(incarnation);
      return [{ kind: 'call', id, incarnation, revision, source, input }];
    }
    if (effect.kind !== 'spawn') return [];
    const { childId: id, address: incarnation, machine, input } = effect;
    const source = snapshot.children?.[id]?.src ?? machine;
    return [{ kind: 'actor', id, incarnation, revision, source, input }];
  });
}

function sentToItself({ effects, after: { address } }: Step): MachineEvent[] {
  return effects.flatMap((effect) =>
    effect.kind === 'send' && effect.to === address ? [effect.event] : [],
  );
}

function goneAfter(
  from: Point | undefined,
  { delivery: { origin, event } }: Arrival,
  isLive: (arming: Arming) => boolean,
): Gone | undefined {
  if (from === undefined) return undefined;
  const answered = origin.kind === 'event' ? undefined : origin.incarnation;
  let gone = from.gone;
  for (const arming of [...from.timers, ...from.ordered]) {
    if (isLive(arming)) continue;
    const isDoubled = arming.incarnation === answered;
    const one = isDoubled ? { ...goneOf(arming), event } : goneOf(arming);
    const how = isDoubled ? 'twice' : 'after it was cancelled';
    gone = { ...one, text: `${one.text} ${how}`, older: gone, count: (gone?.count ?? 0) + 1 };
  }
  return gone;
}

function goneOf(arming: Timer | Ordered): Pick<Gone, 'text' | 'event' | 'origin'> {
  const { id, incarnation } = arming;
  if ('event' in arming) {
    const origin = { kind: 'timer', incarnation } as const;
    return { text: `timer ${id} fires`, event: arming.event, origin };
  }
  return {
    text: `${arming.source} '${id}' answers`,
    event: { type: `xstate.done.actor.${id}`, actorId: id },
    origin: { kind: arming.kind, incarnation },
  };
}

/** What invariants see. */
export function stateOf({ snapshot, step, timers, ordered, mailbox }: Point): ExploredState {
  const listed = (kind: Ordered['kind']) =>
    ordered
      .filter((each) => each.kind === kind)
      .map(({ id, source, input }) => ({ id, source, input }));
  return {
    status: step.status,
    value: snapshot.value,
    context: snapshot.context,
    tags: step.tags,
    output: snapshot.output,
    error: snapshot.error,
    timers: timers.map(({ id, delayMs }) => ({ id, delayMs })),
    calls: listed('call'),
    children: listed('actor'),
    mailbox,
  };
}
