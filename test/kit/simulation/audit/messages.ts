// Messages: each one that was ever committed is accounted for, once (M4, K5). It was stepped, came late, parked its actor,
// waits, is undeliverable, or was a timer that its actor cancelled or took with it.

import type { SimulationFinding } from '../options.ts';
import { type Check, type Evidence, findingOf, grouped, rowsOf } from './evidence.ts';
import type { SeenMessage } from './seen.ts';

interface Fate {
  readonly seq: number;
  readonly fate: string;
}

/** `stuck` rows tell of a message that still waits. */
const FATES = `SELECT message AS seq, kind AS fate FROM journal WHERE message IS NOT NULL AND kind IN ('step', 'late')
  UNION ALL SELECT seq, 'waits' FROM messages
  UNION ALL SELECT message ->> 'seq', 'undeliverable' FROM undeliverable WHERE message ->> 'seq' IS NOT NULL`;

export const messages: Check = (evidence) => [
  ...checkFates(evidence),
  ...checkAbandoned(evidence),
  ...checkReasons(evidence),
];

function checkFates(evidence: Evidence): SimulationFinding[] {
  const found = findingOf('messages', 'M4');
  const fates = grouped(rowsOf<Fate>(evidence, FATES), ({ seq }) => String(seq));
  const seen = rowsOf<Removed>(evidence, REMOVED);
  const known = new Set(seen.map(({ seq }) => String(seq)));
  const endings = cancelledTimers(evidence);
  return [
    ...[...fates.keys()]
      .filter((seq) => !known.has(seq))
      .map((seq) => found(`message ${seq} was never written`)),
    ...seen.flatMap((message) => {
      const its = fates.get(String(message.seq)) ?? [];
      if (its.length === 1) return [];
      const name = `message ${message.seq} (${message.kind} ${message.event} to ${message.actor})`;
      const list = its.map(({ fate }) => fate).join(', ');
      if (its.length > 1) return [found(`${name} has more than one fate: ${list}`)];
      return isCancelled(message, endings) ? [] : [found(`${name} is lost`)];
    }),
  ];
}

type Removed = SeenMessage & { readonly removed_after: number | null };

const REMOVED = `SELECT m.*, r.after_row AS removed_after FROM audit_messages m
  LEFT JOIN audit_removed r ON r.seq = m.seq ORDER BY m.seq`;

interface Cancelled {
  /** Rows in which a timer was cancelled, by sender and incarnation. */
  readonly unscheduled: ReadonlyMap<string, readonly Row[]>;
  /** The last row of each actor that has ended. */
  readonly ended: ReadonlyMap<string, number>;
}

interface Row {
  readonly name: string;
  readonly row: number;
}

const UNSCHEDULED = `SELECT j.actor || ' ' || (e.value ->> 'incarnation') AS name, j.seq AS row FROM journal j, json_each(j.effects) e
  WHERE j.kind = 'step' AND j.effects IS NOT NULL AND e.value ->> 'kind' = 'unschedule'`;

const ENDED = `SELECT a.id AS name, max(j.seq) AS row FROM actors a JOIN journal j ON j.actor = a.id
  WHERE a.status IN ('done', 'error', 'stopped') AND j.kind IN ('step', 'stopped') GROUP BY a.id`;

function cancelledTimers(evidence: Evidence): Cancelled {
  const ended = rowsOf<Row>(evidence, ENDED);
  return {
    unscheduled: grouped(rowsOf<Row>(evidence, UNSCHEDULED), ({ name }) => name),
    ended: new Map(ended.map(({ name, row }) => [name, row])),
  };
}

/** A timer may be gone without a step when its sender cancelled it, or ended: it was removed then, and not before. */
function isCancelled(message: Removed, { unscheduled, ended }: Cancelled): boolean {
  const { kind, sender, incarnation, removed_after } = message;
  if (kind !== 'timer' || sender === null || removed_after === null) return false;
  const rows = unscheduled.get(`${sender} ${incarnation}`) ?? [];
  const ending = ended.get(sender);
  // The row of an actor that is stopped is written after its timers have been removed.
  const isTaken = ending !== undefined && removed_after >= ending - 1;
  return isTaken || rows.some(({ row }) => row > message.after_row && row <= removed_after);
}

/** K5: nothing waits for an actor that has ended, or was never there. A delayed message may until it is due. */
function checkAbandoned(evidence: Evidence): SimulationFinding[] {
  const sql = `SELECT m.seq, m.actor, ifnull(a.status, 'nowhere') AS status FROM messages m LEFT JOIN actors a ON a.id = m.actor
    WHERE m.kind <> 'timer' AND ifnull(a.status, '') NOT IN ('active', 'stuck')`;
  return rowsOf<{ seq: number; actor: string; status: string }>(evidence, sql).map(
    ({ seq, actor, status }) =>
      findingOf('messages', 'K5')(`message ${seq} waits for ${actor}, which is ${status}`),
  );
}

/** K5: what was refused had nowhere to go at that moment, for the reason that is given; or an operator has put it aside. */
function checkReasons(evidence: Evidence): SimulationFinding[] {
  return rowsOf<Refused>(evidence, REFUSED).flatMap(({ seq, actor, reason, status, skips }) => {
    if (skips === 0 ? reason === reasonOf(status) : skips === 1 && reason === 'skipped') return [];
    const why = `${actor} refused message ${seq} with ${reason}, and it was ${status ?? 'nowhere'}`;
    return [findingOf('messages', 'K5')(why)];
  });
}

interface Refused {
  readonly seq: number;
  readonly actor: string;
  readonly reason: string;
  readonly status: string | null;
  /** Rows of operators who have put it aside. */
  readonly skips: number;
}

const REFUSED = `SELECT u.seq, u.actor, u.reason, s.status, (SELECT count(*) FROM journal j
    WHERE j.kind = 'intervention' AND j.actor = u.actor AND j.event ->> 'type' = 'troupe.skip'
      AND j.event ->> 'undeliverable' = u.seq) AS skips
  FROM undeliverable u LEFT JOIN audit_undeliverable s ON s.seq = u.seq`;

/** Why an actor of this status takes nothing; undefined when it does. */
export function reasonOf(status: string | null): string | undefined {
  switch (status) {
    case null:
      return 'actor_unknown';
    case 'done':
    case 'error':
      return 'actor_final';
    case 'stopped':
      return 'actor_stopped';
    default:
      return undefined;
  }
}
