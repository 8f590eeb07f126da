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

const CANCELLED_AND_FIRED = `SELECT t.actor, t.incarnation, t.seq AS row FROM journal t
  WHERE t.kind = 'step' AND t.origin = 'timer' AND t.sender = t.actor AND EXISTS (
    SELECT 1 FROM journal c, json_each(c.effects) e WHERE c.actor = t.actor AND c.kind = 'step' AND c.seq < t.seq
      AND c.effects IS NOT NULL AND e.value ->> 'kind' = 'unschedule' AND e.value ->> 'incarnation' = t.incarnation)`;

export const order: Check = (evidence) => {
  const taken = rowsOf<Taken>(evidence, TAKEN);
  const fired = rowsOf<{ readonly actor: string; readonly incarnation: string }>(
    evidence,
    CANCELLED_AND_FIRED,
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
      const later = taken.slice(index + 1, index + 200).find((other) => isBefore(other, each));
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

/** Whether `other` should have come before `each`, which was stepped first. */
function isBefore(other: Taken, each: Taken): boolean {
  if (other.actor !== each.actor || other.seq > each.seq || other.ready_at > each.ready_at)
    return false;
  // An arrival is ready at once; a timer only when the wall clock says so, which may have been set back.
  return other.kind !== 'timer' || other.ready_at <= each.at;
}
