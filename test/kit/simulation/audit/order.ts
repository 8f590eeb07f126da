// Order: an actor's messages are stepped by the time at which they became ready, then by sequence (M2, T4). Asked at each
// step, of all that was there when it began.

import { type Check, findingOf, grouped, rowsOf } from './evidence.ts';

interface Taken {
  readonly actor: string;
  /** The journal row that tells of it. */
  readonly row: number;
  /** The wall clock when it was taken. */
  readonly at: number;
  readonly seq: number;
  readonly ready_at: number;
  readonly kind: string;
  /** The last journal row before it was written. */
  readonly after_row: number;
}

const TAKEN = `SELECT j.actor, j.seq AS row, w.wall_at AS at, m.seq, m.ready_at, m.kind, m.after_row FROM journal j
  JOIN audit_messages m ON m.seq = j.message JOIN audit_journal w ON w.seq = j.seq
  WHERE j.kind IN ('step', 'late') ORDER BY j.actor, j.seq`;

export const order: Check = (evidence) => {
  const found = findingOf('order', 'T4');
  const taken = grouped(rowsOf<Taken>(evidence, TAKEN), ({ actor }) => actor);
  return [...taken.values()]
    .flatMap(wrong)
    .map(({ first, second }) =>
      found(`message ${second.seq} of ${first.actor} was stepped after ${first.seq}`),
    );
};

interface Inversion {
  readonly first: Taken;
  readonly second: Taken;
}

/** @param taken The messages of one actor in the order in which they were taken. */
function wrong(taken: readonly Taken[]): Inversion[] {
  const coming = taken.toSorted((a, b) => a.after_row - b.after_row);
  const there = new Set<Taken>();
  let next = 0;
  return taken.flatMap((first) => {
    for (let each = coming[next]; each !== undefined; each = coming[++next]) {
      if (each.after_row >= first.row) break;
      there.add(each);
    }
    there.delete(first);
    const second = [...there].find((other) => isBefore(other, first));
    return second === undefined ? [] : [{ first, second }];
  });
}

/** Whether `other`, which was there, should have come before `first`. */
function isBefore(other: Taken, first: Taken): boolean {
  const isEarlier =
    other.ready_at < first.ready_at || (other.ready_at === first.ready_at && other.seq < first.seq);
  // An arrival is ready at once; a timer only when the wall clock says so, which may have been set back.
  return isEarlier && (other.kind !== 'timer' || other.ready_at <= first.at);
}
