// Consequences: what a step ordered was written, word for word, and nothing was written that no step ordered (K2). What it
// sends to one actor is written in that order (M2), and who is stopped takes no further step.

import { callIdOf } from '../../../../actors/engine/orders.ts';
import { type Effect, INIT_EVENT } from '../../../../actors/step/index.ts';
import type { SimulationFinding } from '../options.ts';
import { type Check, type Evidence, findingOf, grouped, rowsOf } from './evidence.ts';
import type { SeenMessage } from './seen.ts';

interface StepRow {
  readonly seq: number;
  readonly actor: string;
  readonly effects: string | null;
}

/** One thing that was ordered, or written. Those of one name keep their order. */
interface Ordered {
  readonly row: number;
  readonly name: string;
  /** JSON. */
  readonly content: string | undefined;
}

const STEPS = "SELECT seq, actor, effects FROM journal WHERE kind = 'step' AND effects IS NOT NULL";

export const consequences: Check = (evidence) => {
  const steps = rowsOf<StepRow>(evidence, STEPS);
  return [...checkWritten(evidence, steps), ...checkStopped(evidence, steps)];
};

function checkWritten(evidence: Evidence, steps: readonly StepRow[]): SimulationFinding[] {
  const found = findingOf('consequences', 'K2');
  const byRow = ({ row }: Ordered) => String(row);
  const written = grouped(writtenIn(evidence), byRow);
  const ordered = grouped([...steps.flatMap(orderedBy), ...sentAgain(evidence)], byRow);
  const rows = new Set([...written.keys(), ...ordered.keys()]);
  return [...rows].flatMap((row) => {
    const [is, ought] = [textOf(written.get(row)), textOf(ordered.get(row))];
    return is === ought
      ? []
      : [found(`journal row ${row} ordered ${ought}, and ${is} was written`)];
  });
}

/** Sorted by name alone: the sort is stable. */
function textOf(list: readonly Ordered[] = []): string {
  if (list.length === 0) return 'nothing';
  return list
    .toSorted((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name)))
    .map(({ name, content }) => (content === undefined ? name : `${name} ${content}`))
    .join(', ');
}

function effectsOf({ effects }: StepRow): readonly Effect[] {
  return JSON.parse(effects ?? '[]') as readonly Effect[];
}

function orderedBy(step: StepRow): Ordered[] {
  const { actor, seq: row } = step;
  return effectsOf(step).flatMap((effect): Ordered[] => {
    switch (effect.kind) {
      case 'send':
        return [{ row, name: `event to ${effect.to}`, content: JSON.stringify(effect.event) }];
      case 'schedule': {
        const name = `timer ${effect.incarnation} to ${effect.to ?? actor}`;
        return [{ row, name, content: JSON.stringify(effect.event) }];
      }
      case 'call': {
        const name = `call ${callIdOf(actor, effect.incarnation)}`;
        return [{ row, name, content: JSON.stringify(effect.input) }];
      }
      case 'spawn': {
        const birth = { type: INIT_EVENT, input: effect.input };
        return [{ row, name: `init to ${effect.address}`, content: JSON.stringify(birth) }];
      }
      // Looked at by themselves: a stop below, a cancelled call with the outcomes, a cancelled timer with the answers.
      case 'stop':
      case 'cancelCall':
      case 'unschedule':
      case 'emit':
      case 'notify':
        return [];
    }
  });
}

interface SentAgain {
  readonly row: number;
  readonly actor: string;
  readonly kind: string;
  readonly sender: string | null;
  readonly incarnation: string | null;
  readonly event: string;
}

const SENT_AGAIN = `SELECT j.seq AS row, j.actor, ifnull(u.message ->> 'kind', 'event') AS kind, u.message ->> 'sender' AS sender,
    u.message ->> 'incarnation' AS incarnation, u.message -> 'event' AS event
  FROM journal j JOIN undeliverable u ON u.seq = j.event ->> 'undeliverable'
  WHERE j.kind = 'intervention' AND j.event ->> 'type' = 'troupe.redeliver'`;

/** J5: what an operator has sent again; another actor's timer has come due and is an event by now. */
function sentAgain(evidence: Evidence): Ordered[] {
  return rowsOf<SentAgain>(evidence, SENT_AGAIN).flatMap(
    ({ row, actor, kind, sender, incarnation, event }) => {
      const content = JSON.stringify(JSON.parse(event));
      if (kind === 'timer' && sender === actor) {
        return [{ row, name: `timer ${incarnation} to ${actor}`, content }];
      }
      const isEvent = kind === 'event' || kind === 'timer';
      return isEvent ? [{ row, name: `event to ${actor}`, content }] : [];
    },
  );
}

/** What is in the tables, with the journal row that caused it. */
function writtenIn(evidence: Evidence): Ordered[] {
  const messages = rowsOf<SeenMessage & { readonly cause: number }>(evidence, MESSAGES);
  const calls = rowsOf<CallRow>(evidence, 'SELECT id, input, cause FROM calls ORDER BY rowid');
  const refused = rowsOf<{ readonly message: string }>(evidence, REFUSED_AT_ONCE);
  return [
    ...messages.map((message) => ({
      row: message.cause,
      name: nameOf(message),
      content: message.event,
    })),
    ...calls.map(({ id, input, cause }) => ({
      row: cause,
      name: `call ${id}`,
      content: input ?? undefined,
    })),
    ...refused.map(({ message }) => {
      const { actor, cause, event } = JSON.parse(message) as RefusedSend;
      return { row: cause, name: `event to ${actor}`, content: JSON.stringify(event) };
    }),
  ];
}

interface CallRow {
  readonly id: string;
  readonly input: string | null;
  readonly cause: number;
}

interface RefusedSend {
  readonly actor: string;
  readonly cause: number;
  readonly event: unknown;
}

/** Answers of calls and ends of children are caused by what ordered them; no step's effects name them. */
const MESSAGES = `SELECT * FROM audit_messages
  WHERE cause IS NOT NULL AND kind IN ('event', 'timer', 'init') ORDER BY seq`;

/** A send to an actor that had ended was never a message. */
const REFUSED_AT_ONCE = `SELECT message FROM undeliverable
  WHERE message ->> 'seq' IS NULL AND message ->> 'kind' = 'event' ORDER BY seq`;

function nameOf({ kind, actor, incarnation }: SeenMessage): string {
  return kind === 'timer' ? `timer ${incarnation} to ${actor}` : `${kind} to ${actor}`;
}

/** Who is stopped has ended, and takes no step after that. */
function checkStopped(evidence: Evidence, steps: readonly StepRow[]): SimulationFinding[] {
  const found = findingOf('consequences', 'K9');
  const sql = `SELECT status, (SELECT max(seq) FROM journal WHERE actor = id AND kind = 'step') AS last
    FROM actors WHERE id = ?`;
  const stops = steps.flatMap((step) =>
    effectsOf(step).flatMap((effect) =>
      effect.kind === 'stop' ? [{ row: step.seq, address: effect.address }] : [],
    ),
  );
  return stops.flatMap(({ row, address }) => {
    const [actor] = rowsOf<{ status: string; last: number | null }>(evidence, sql, address);
    const isOver = actor !== undefined && actor.status !== 'active' && actor.status !== 'stuck';
    if (isOver && (actor.last ?? 0) <= row) return [];
    return [found(`row ${row} stopped ${address}, which went on`)];
  });
}
