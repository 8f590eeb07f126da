// Order: of two messages of one actor, the one that was there first and was ready first is stepped first (M2, T4), none
// before it is due (T1), and a timer never after it was cancelled (T2).

import { type Check, findingOf, rowsOf } from './evidence.ts';

interface Taken {
  readonly actor: string;
  readonly row: number;
  /** The wall clock when it was stepped. */
  readonly at: number;
  readonly seq: number;
  readonly ready_at: number;
  readonly kind: string;
}

const TAKEN = `SELECT j.actor, j.seq AS row, w.wall_at AS at, m.seq, m.ready_at, m.kind FROM journal j
  JOIN audit_messages m ON m.seq = j.message JOIN audit_journal w ON w.seq = j.seq WHERE j.kind = 'step' ORDER BY j.actor, j.seq`;

/** Timers of an actor to itself: when they fired, and when a step cancelled them. */
const FIRED = `SELECT actor, incarnation, seq AS row FROM journal
  WHERE kind = 'step' AND origin = 'timer' AND sender = actor`;
const CANCELLED = `SELECT j.actor, e.value ->> 'incarnation' AS incarnation, j.seq AS row
  FROM journal j, json_each(j.effects) e
  WHERE j.kind = 'step' AND j.effects IS NOT NULL AND e.value ->> 'kind' = 'unschedule'`;

interface TimerRow {
  readonly actor: string;
  readonly incarnation: string;
  readonly row: number;
}

export const order: Check = (evidence) => {
  const taken = rowsOf<Taken>(evidence, TAKEN);
  const cancelled = new Map(
    rowsOf<TimerRow>(evidence, CANCELLED).map((each) => [nameOf(each), each.row]),
  );
  const fired = rowsOf<TimerRow>(evidence, FIRED).filter(
    (each) => (cancelled.get(nameOf(each)) ?? each.row) < each.row,
  );
  return [
    ...taken
      .filter(({ kind, at, ready_at }) => kind === 'timer' && at < ready_at)
      .map((each) =>
        findingOf(
          'order',
          'T1',
        )(
          `message ${each.seq} of ${each.actor} was stepped ${each.ready_at - each.at} ms before it was ready`,
        ),
      ),
    ...taken.flatMap((each, index) => {
      const later = laterOf(taken, index).find((other) => isBefore(other, each));
      return later === undefined
        ? []
        : [
            findingOf(
              'order',
              'T4',
            )(`message ${later.seq} of ${each.actor} was stepped after ${each.seq}`),
          ];
    }),
    ...fired.map(({ actor, incarnation }) =>
      findingOf('order', 'T2')(`timer ${incarnation} of ${actor} fired after it was cancelled`),
    ),
  ];
};

/** Steps that are looked at after each: what comes much later was not there yet. */
const LOOKAHEAD = 100;

/** The next steps of the same actor. */
function laterOf(taken: readonly Taken[], index: number): readonly Taken[] {
  const later: Taken[] = [];
  for (let at = index + 1; at < taken.length && at <= index + LOOKAHEAD; at++) {
    const other = taken[at];
    if (other?.actor !== taken[index]?.actor) break;
    if (other !== undefined) later.push(other);
  }
  return later;
}

function nameOf({ actor, incarnation }: TimerRow): string {
  return `${actor} ${incarnation}`;
}

/** Whether `other` should have come before `each`, which was stepped first. */
function isBefore(other: Taken, each: Taken): boolean {
  if (other.actor !== each.actor || other.seq > each.seq || other.ready_at > each.ready_at)
    return false;
  // An arrival is ready at once; a timer only when the wall clock says so, which may have been set back.
  return other.kind !== 'timer' || other.ready_at <= each.at;
}
