// Path: what happened to an actor from its birth on, and the same as rows of a journal.

import { callIdOf } from '../../../actors/engine/orders.ts';
import type { JournalEntry } from '../../../actors/index.ts';
import type { StepError } from '../../../actors/step/index.ts';
import type { Arrival, Point } from './point.ts';
import { type Stimulus, stimulusText } from './stimulus.ts';

export interface PathStep {
  readonly stimulus: Stimulus;
  /** The stimulus in one line, for people. */
  readonly text: string;
  /** The state value afterwards. */
  readonly state: unknown;
  /** As `troupe journal --json` prints it. Times are virtual. */
  readonly entry: JournalEntry;
}

export type Path = readonly PathStep[];

/** The journal of an actor to which that happened, oldest first: what `troupe journal --json` prints. */
export function journalOf(path: Path): JournalEntry[] {
  return path.map(({ entry }) => entry);
}

/** The way to a point. */
export function pathTo(point: Point | undefined): Path {
  const points: Point[] = [];
  for (let each = point; each !== undefined; each = each.from) points.push(each);
  return points.reverse().map((each) => stepOf(each));
}

/** The way to a point, and what came next and led nowhere: the actor is stuck, or nothing moved. */
export function pathBeyond(
  point: Point | undefined,
  arrival: Arrival,
  address: string,
  error?: StepError,
): Path {
  const state = point?.snapshot.value ?? null;
  const effects = error === undefined ? [] : [{ code: error.code, message: error.message }];
  const depth = (point?.depth ?? 0) + 1;
  const entry: JournalEntry = {
    ...entryOf(point, arrival, depth, address),
    revision: undefined,
    kind: error === undefined ? 'late' : 'stuck',
    effects,
    state: error === undefined ? undefined : state,
  };
  const { stimulus } = arrival;
  return [...pathTo(point), { stimulus, text: stimulusText(stimulus), state, entry }];
}

function stepOf({ from, arrival, depth, stored, step, snapshot }: Point): PathStep {
  const { stimulus } = arrival;
  const state = snapshot.value ?? null;
  const entry = {
    ...entryOf(from, arrival, depth, stored.address),
    revision: stored.revision,
    kind: 'step' as const,
    effects: step.effects,
    state,
  };
  return { stimulus, text: stimulusText(stimulus), state, entry };
}

type Facts = Omit<JournalEntry, 'revision' | 'kind' | 'effects' | 'state'>;

function entryOf(
  from: Point | undefined,
  { stimulus, delivery: { event, origin, atMs } }: Arrival,
  seq: number,
  address: string,
): Facts {
  const isBirth = stimulus.kind === 'birth';
  const incarnation = origin.kind === 'event' ? undefined : origin.incarnation;
  return {
    seq,
    address,
    atMs,
    message: seq,
    event,
    origin: isBirth ? 'init' : origin.kind,
    incarnation,
    sender: senderOf(stimulus, origin.kind, incarnation, address),
    cause: incarnation === undefined ? undefined : causeOf(from, incarnation),
  };
}

function senderOf(
  stimulus: Stimulus,
  kind: Arrival['delivery']['origin']['kind'],
  incarnation: string | undefined,
  address: string,
): string | undefined {
  if (kind === 'timer' || stimulus.kind === 'message') return address;
  if (incarnation === undefined) return undefined;
  return kind === 'call' ? callIdOf(address, incarnation) : incarnation;
}

/** The row of the step that armed it. A path has one row for each step, so its number is the depth. */
function causeOf(from: Point | undefined, incarnation: string): number | undefined {
  for (let point = from; point !== undefined; point = point.from) {
    const armed = [...point.timers, ...point.ordered].find(
      (each) => each.incarnation === incarnation,
    );
    if (armed !== undefined) return armed.revision;
  }
  return undefined;
}
