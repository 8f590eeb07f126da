// Order: of two messages of one actor, the one that was there first and was ready first is stepped first (M2, T4), none
// before it is due (T1).

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

export const order: Check = (evidence) => {
  const taken = rowsOf<Taken>(evidence, TAKEN);
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

/** Whether `other` should have come before `each`, which was stepped first. */
function isBefore(other: Taken, each: Taken): boolean {
  if (other.actor !== each.actor || other.seq > each.seq || other.ready_at > each.ready_at)
    return false;
  // An arrival is ready at once; a timer only when the wall clock says so, which may have been set back.
  return other.kind !== 'timer' || other.ready_at <= each.at;
}
