// Messages: each one that was ever committed is accounted for, once (M4, K5). It was stepped, came late, parked its actor,
// waits, is undeliverable, or was a timer that its actor cancelled or took with it.

import { type Check, findingOf, rowsOf } from './evidence.ts';
import type { SeenMessage } from './messages-seen.ts';

interface Fate {
  readonly seq: number;
  readonly fate: string;
}

/** `stuck` rows tell of a message that still waits. */
const FATES = `SELECT message AS seq, kind AS fate FROM journal WHERE message IS NOT NULL AND kind IN ('step', 'late')
  UNION ALL SELECT seq, 'waits' FROM messages
  UNION ALL SELECT message ->> 'seq', 'undeliverable' FROM undeliverable WHERE message ->> 'seq' IS NOT NULL`;

export const messages: Check = (evidence) => {
  const found = findingOf('messages', 'M4');
  const fates = new Map<number, string[]>();
  for (const { seq, fate } of rowsOf<Fate>(evidence, FATES)) {
    fates.set(seq, [...(fates.get(seq) ?? []), fate]);
  }
  const seen = rowsOf<SeenMessage>(evidence, 'SELECT * FROM audit_messages ORDER BY seq');
  const known = new Set(seen.map(({ seq }) => seq));
  const cancelled = cancelledTimers(evidence);
  return [
    ...[...fates.keys()]
      .filter((seq) => !known.has(seq))
      .map((seq) => found(`message ${seq} was never written`)),
    ...seen.flatMap((message) => {
      const its = fates.get(message.seq) ?? [];
      if (its.length === 1) return [];
      const name = `message ${message.seq} (${message.kind} ${message.event} to ${message.actor})`;
      if (its.length > 1) return [found(`${name} has more than one fate: ${its.join(', ')}`)];
      return isCancelled(message, cancelled) ? [] : [found(`${name} is lost`)];
    }),
  ];
};

interface Cancelled {
  /** Sender and incarnation of timers that a step unscheduled. */
  readonly unscheduled: ReadonlySet<string>;
  /** Actors that have ended. */
  readonly ended: ReadonlySet<string>;
}

function cancelledTimers(evidence: Parameters<Check>[0]): Cancelled {
  const unscheduled = rowsOf<{ readonly timer: string }>(
    evidence,
    `SELECT j.actor || ' ' || (e.value ->> 'incarnation') AS timer FROM journal j, json_each(j.effects) e
     WHERE j.kind = 'step' AND j.effects IS NOT NULL AND e.value ->> 'kind' = 'unschedule'`,
  );
  const ended = rowsOf<{ readonly id: string }>(
    evidence,
    "SELECT id FROM actors WHERE status IN ('done', 'error', 'stopped')",
  );
  return {
    unscheduled: new Set(unscheduled.map(({ timer }) => timer)),
    ended: new Set(ended.map(({ id }) => id)),
  };
}

function isCancelled({ kind, sender, incarnation }: SeenMessage, cancelled: Cancelled): boolean {
  if (kind !== 'timer' || sender === null) return false;
  return cancelled.ended.has(sender) || cancelled.unscheduled.has(`${sender} ${incarnation}`);
}
