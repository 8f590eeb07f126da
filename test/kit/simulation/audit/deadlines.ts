// Deadlines: a timer is due exactly so long after its step as that step said, is never stepped before, and soon after (T1, T3).

import type { Effect } from '../../../../actors/step/index.ts';
import type { SimulationFinding } from '../options.ts';
import { type Check, type Evidence, findingOf, rowsOf } from './evidence.ts';

/** A due timer is stepped within this while a host serves (T3), and while the disk is away for a moment. Milliseconds. */
const LATE_MS_MAX = 30_000 + 15_000;

export const deadlines: Check = (evidence) => [...checkDue(evidence), ...checkFired(evidence)];

interface Armed {
  readonly row: number;
  readonly effect: string;
  readonly wall_at: number;
  readonly seq: number;
  readonly ready_at: number;
}

const ARMED = `SELECT j.seq AS row, e.value AS effect, w.wall_at, m.seq, m.ready_at FROM journal j, json_each(j.effects) e
  JOIN audit_journal w ON w.seq = j.seq
  JOIN audit_messages m ON m.cause = j.seq AND m.kind = 'timer' AND m.incarnation = e.value ->> 'incarnation'
  WHERE j.kind = 'step' AND j.effects IS NOT NULL AND e.value ->> 'kind' = 'schedule'`;

function checkDue(evidence: Evidence): SimulationFinding[] {
  return rowsOf<Armed>(evidence, ARMED).flatMap(({ row, effect, wall_at, seq, ready_at }) => {
    const { delayMs } = JSON.parse(effect) as Extract<Effect, { kind: 'schedule' }>;
    const dueMs = ready_at - wall_at;
    return dueMs === Math.ceil(delayMs)
      ? []
      : [
          findingOf(
            'deadlines',
            'T1',
          )(`timer ${seq} is due ${dueMs} ms after row ${row}, which said ${delayMs} ms`),
        ];
  });
}

interface Fired {
  readonly actor: string;
  readonly row: number;
  readonly seq: number;
  /** Both clocks when it was stepped. */
  readonly wall_at: number;
  readonly passed_at: number;
  readonly ready_at: number;
  /** When the host that stepped it had entered. */
  readonly entered_at: number;
  /** When an operator last let its actor go on: what was due while it was stuck waited for that. */
  readonly released_at: number;
}

const FIRED = `SELECT j.actor, j.seq AS row, m.seq, w.wall_at, w.passed_at, m.ready_at,
    (SELECT ifnull(max(h.passed_at), 0) FROM audit_hosts h WHERE h.passed_at <= w.passed_at) AS entered_at,
    (SELECT ifnull(max(r.passed_at), 0) FROM journal i JOIN audit_journal r ON r.seq = i.seq
      WHERE i.actor = j.actor AND i.kind = 'intervention' AND i.seq < j.seq) AS released_at
  FROM journal j JOIN audit_messages m ON m.seq = j.message JOIN audit_journal w ON w.seq = j.seq
  WHERE j.kind = 'step' AND m.kind = 'timer' ORDER BY j.seq`;

function checkFired(evidence: Evidence): SimulationFinding[] {
  const changes = clockChanges(evidence);
  return rowsOf<Fired>(evidence, FIRED).flatMap((fired) => {
    const { actor, seq, wall_at, passed_at, ready_at } = fired;
    const name = `timer ${seq} of ${actor}`;
    if (wall_at < ready_at) {
      const early = `${name} was stepped ${ready_at - wall_at} ms before it was due`;
      return [findingOf('deadlines', 'T1')(early)];
    }
    const changed = changes.findLast(({ row }) => row <= fired.row)?.passed_at ?? 0;
    const dueMs = passed_at - (wall_at - ready_at);
    const lateMs = passed_at - Math.max(dueMs, changed, fired.entered_at, fired.released_at);
    if (lateMs <= LATE_MS_MAX) return [];
    return [findingOf('deadlines', 'T3')(`${name} was stepped ${lateMs} ms after it could be`)];
  });
}

interface Written {
  readonly row: number;
  readonly passed_at: number;
}

/** The first row after each change of the wall clock. */
function clockChanges(evidence: Evidence): readonly Written[] {
  return rowsOf<Written>(
    evidence,
    `SELECT row, passed_at FROM (SELECT seq AS row, passed_at, wall_at - passed_at AS ahead,
       lag(wall_at - passed_at) OVER (ORDER BY seq) AS ahead_before FROM audit_journal)
     WHERE ahead <> ahead_before ORDER BY row`,
  );
}
