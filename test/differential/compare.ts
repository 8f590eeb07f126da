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

export interface Run {
  /** What XState did, birth first. */
  readonly outcomes: readonly Outcome[];
  /** False when the restored mode was given up because XState left the legal configurations. */
  readonly wasLegal: boolean;
}

/** Runs the moves on XState and on Troupe in both modes. @throws an assertion error at the first difference. */
export function compareRuns(machine: AnyStateMachine, input: unknown, moves: readonly Move[]): Run {
  const reference = new Reference(machine);
  const registered = register(machine);
  const subjects = MODES.map((mode) => ({ mode, subject: new Subject(registered, mode) }));
  const outcomes: Outcome[] = [];
  let wasLegal = true;

  const compare = (expected: Outcome, where: string, take: (subject: Subject) => Outcome): void => {
    outcomes.push(expected);
    wasLegal &&= reference.isLegal;
    const compared = subjects.filter(({ mode }) => wasLegal || mode === 'live');
    for (const { mode, subject } of compared)
      requireEqual(take(subject), expected, `${where}, ${mode}`);
    requireSameText(
      compared.map(({ subject }) => subject.text),
      where,
    );
  };

  compare(reference.start(input), 'at birth', (subject) => subject.start(input, START_MS));
  for (const [index, move] of moves.entries()) {
    if (!reference.isActive) break;
    const { event, fired } = eventOf(move, reference);
    const atMs = START_MS + (index + 1) * STEP_MS;
    if (fired !== undefined) reference.fire(fired);
    const expected = reference.send({ ...event, atMs });
    const where = `at event ${index} (${event.type})`;
    compare(expected, where, (subject) => subject.send(event, atMs, fired?.id));
  }
  return { outcomes, wasLegal };
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

function requireSameText(texts: readonly string[], where: string): void {
  if (new Set(texts).size <= 1) return;
  const same = texts.map(() => texts[0]);
  expect(texts, `The stored texts of the two modes differ ${where}`).toStrictEqual(same);
}
