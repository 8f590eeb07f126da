// Arrivals: all that may happen to an actor at a point, in a fixed order.

import type { SpecClass } from '../../../actors/registry/index.ts';
import {
  doneEvent,
  errorEvent,
  type MachineEvent,
  type Origin,
} from '../../../actors/step/index.ts';
import { MAILBOX_MAX, TIMERS_OF_ONE_ID_MAX } from './options.ts';
import type { Arrival, Ordered, Point, Timer } from './point.ts';
import type { Stimulus } from './stimulus.ts';

/** Virtual time between two steps. Milliseconds. */
const STEP_MS = 1;

/** What a call or child of a source may come back with. */
export interface Answers {
  readonly outputs: readonly unknown[];
  readonly errors: readonly unknown[];
}

export interface Alphabet {
  readonly eventsAt: (point: Point) => readonly MachineEvent[];
  readonly answersOf: (ordered: Ordered) => Answers;
}

/** True when only the actor's own oldest message is tried, because too many of them wait. */
export function isMailboxFull({ mailbox }: Point): boolean {
  return mailbox.length > MAILBOX_MAX;
}

/** True when a timer was armed so often beside itself that more of it tells nothing new. */
export function hasTooManyTimers({ timers }: Point): boolean {
  return timers.some(
    ({ id }, index) =>
      index >= TIMERS_OF_ONE_ID_MAX &&
      timers.filter((other) => other.id === id).length > TIMERS_OF_ONE_ID_MAX,
  );
}

export function arrivalsAt(point: Point, alphabet: Alphabet): Arrival[] {
  const [own] = point.mailbox;
  const owned = own === undefined ? [] : [arrivalOf(point, { kind: 'message', event: own }, own)];
  if (isMailboxFull(point)) return owned;
  return [
    ...owned,
    ...alphabet.eventsAt(point).map((event) => arrivalOf(point, { kind: 'event', event }, event)),
    ...point.timers
      .filter((timer) => mayFire(point.timers, timer))
      .map((timer) => timerArrival(point, timer)),
    ...point.ordered.flatMap((ordered) => endsOf(point, ordered, alphabet.answersOf(ordered))),
  ];
}

/**
 * Any time may pass between two steps, so a timer may fire unless another one is certainly due before it: one that was
 * armed no later, with a smaller delay, or an equal one and armed before. This allows more than a clock that is not set
 * back would, never less.
 */
function mayFire(timers: readonly Timer[], timer: Timer): boolean {
  const index = timers.indexOf(timer);
  return !timers.some(
    (other, otherIndex) =>
      other.revision <= timer.revision &&
      (other.delayMs < timer.delayMs || (other.delayMs === timer.delayMs && otherIndex < index)),
  );
}

function timerArrival(point: Point, { id, event, incarnation, dueAtMs }: Timer): Arrival {
  const arrival = arrivalOf(point, { kind: 'timer', id, event }, event, {
    kind: 'timer',
    incarnation,
  });
  const atMs = Math.max(dueAtMs, point.atMs);
  return { ...arrival, delivery: { ...arrival.delivery, atMs } };
}

/** As the call desk and a child's end tell it. */
function endsOf(point: Point, ordered: Ordered, { outputs, errors }: Answers): Arrival[] {
  const { id, source, kind, incarnation } = ordered;
  const origin: Origin = { kind, incarnation };
  return [
    ...outputs.map((output) => {
      const event = doneEvent(id, output);
      return arrivalOf(point, { kind: 'done', id, source, output }, event, origin);
    }),
    ...errors.map((error) => {
      const event = errorEvent(id, error);
      return arrivalOf(point, { kind: 'error', id, source, error }, event, origin);
    }),
  ];
}

function arrivalOf(
  point: Point,
  stimulus: Stimulus,
  event: MachineEvent,
  origin: Origin = { kind: 'event' },
): Arrival {
  return { stimulus, delivery: { event, origin, atMs: point.atMs + STEP_MS } };
}

const FAILED = { code: 'failed', message: 'It failed.', outcome: 'failed' };
const UNKNOWN = { code: 'interrupted', message: 'It was interrupted.', outcome: 'unknown' };
const NOT_STARTED = { code: 'not_started', message: 'It was not started.', outcome: 'notStarted' };

/** What Troupe reports of a call that did not answer. A read that was interrupted has changed nothing: it failed. */
export function errorsOfClass(callClass: SpecClass): readonly unknown[] {
  return callClass === 'read' || callClass === 'listener'
    ? [FAILED, NOT_STARTED]
    : [FAILED, UNKNOWN, NOT_STARTED];
}

/** What a child machine ends with when nobody inside handled an error. */
export const CHILD_ERRORS: readonly unknown[] = [{ name: 'Error', message: 'It failed.' }];
