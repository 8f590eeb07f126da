// Compare: drives XState and Troupe through the same events and stops at the first step in which they differ.

import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import type { AnyEventObject, AnyStateMachine } from 'xstate';
import { didThrow, type Outcome } from './record.ts';
import { Reference, type WaitingEvent } from './reference.ts';
import { type Mode, register, Subject } from './subject.ts';

/** An event to send, or a choice that depends on what the machine is waiting for. */
export type Move =
  | { readonly kind: 'send'; readonly event: AnyEventObject }
  /** The delayed event at that place among those that wait, counted round. */
  | { readonly kind: 'fire'; readonly pick: number }
  /** The result of the child at that place among those that live, counted round. */
  | {
      readonly kind: 'answer';
      readonly pick: number;
      readonly with: 'done' | 'error';
      readonly data: unknown;
    };

const START_MS = 1_700_000_000_000;
const STEP_MS = 1_000;
const MODES: readonly Mode[] = ['live', 'restored'];

/**
 * Runs the moves on XState and on Troupe in both modes, and gives back what XState did.
 * @throws an assertion error at the first difference.
 */
export function compareRuns(
  machine: AnyStateMachine,
  input: unknown,
  moves: readonly Move[],
): readonly Outcome[] {
  const reference = new Reference(machine);
  const registered = register(machine);
  const subjects = MODES.map((mode) => ({ mode, subject: new Subject(registered, mode) }));

  const expected = reference.start(input);
  const outcomes = [expected];
  for (const { mode, subject } of subjects) {
    requireEqual(subject.start(input, START_MS), expected, `at birth, ${mode}`);
  }
  for (const [index, move] of moves.entries()) {
    if (!reference.isActive) break;
    const { event, fired } = eventOf(move, reference);
    const atMs = START_MS + (index + 1) * STEP_MS;
    if (fired !== undefined) reference.fire(fired);
    const wanted = reference.send({ ...event, atMs });
    outcomes.push(wanted);
    for (const { mode, subject } of subjects) {
      const where = `at event ${index} (${event.type}), ${mode}`;
      requireEqual(subject.send(event, atMs, fired?.id), wanted, where);
    }
    requireSameText(
      subjects.map(({ subject }) => subject.text),
      index,
      event,
    );
  }
  return outcomes;
}

function eventOf(
  move: Move,
  reference: Reference,
): { readonly event: AnyEventObject; readonly fired?: WaitingEvent } {
  switch (move.kind) {
    case 'send':
      return { event: move.event, ...firedBy(move.event, reference) };
    case 'fire': {
      const waiting = at(reference.waiting, move.pick);
      return waiting
        ? { event: waiting.event, fired: waiting }
        : { event: { type: 'NOBODY_WAITS' } };
    }
    case 'answer': {
      const id = at(reference.children, move.pick) ?? 'nobody';
      const type = `xstate.${move.with}.actor.${id}`;
      const result = move.with === 'done' ? { output: move.data } : { error: move.data };
      return { event: { type, ...result, actorId: id } };
    }
  }
}

/** A script names a firing by its event alone. */
function firedBy(event: AnyEventObject, reference: Reference): { readonly fired?: WaitingEvent } {
  const fired = reference.waiting.find(({ id }) => id === event.type);
  return fired ? { fired } : {};
}

function at<T>(list: readonly T[], pick: number): T | undefined {
  return list[pick % Math.max(list.length, 1)];
}

function requireEqual(actual: Outcome, expected: Outcome, where: string): void {
  if (isDeepStrictEqual(actual, expected)) return;
  expect(comparable(actual), `Troupe's step differs from XState's ${where}`).toStrictEqual(
    comparable(expected),
  );
  throw new Error(`Troupe's step differs from XState's ${where}, in a way that is not shown`);
}

/** Actions first and short, so that the difference is seen at once. */
function comparable(outcome: Outcome): unknown {
  if (didThrow(outcome)) return outcome;
  const { actions, ...rest } = outcome;
  return {
    order: actions.map(({ type, params }) => `${type} ${JSON.stringify(params)}`),
    ...rest,
    actions,
  };
}

function requireSameText(texts: readonly string[], index: number, event: AnyEventObject): void {
  if (new Set(texts).size <= 1) return;
  expect(texts, `The stored texts differ after event ${index} (${event.type})`).toStrictEqual(
    texts.map(() => texts[0]),
  );
}
