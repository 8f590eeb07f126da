// Consequences: what a step ordered was written, and nothing was written that no step ordered (K2).

import { callIdOf } from '../../../../actors/engine/orders.ts';
import { type Effect, INIT_EVENT } from '../../../../actors/step/index.ts';
import { type Check, type Evidence, findingOf, rowsOf } from './evidence.ts';
import type { SeenMessage } from './messages-seen.ts';

interface StepRow {
  readonly seq: number;
  readonly actor: string;
  readonly effects: string | null;
}

export const consequences: Check = (evidence) => {
  const found = findingOf('consequences', 'K2');
  const written = writtenBy(evidence);
  const steps = rowsOf<StepRow>(
    evidence,
    "SELECT seq, actor, effects FROM journal WHERE kind = 'step'",
  );
  const ordered = new Map(steps.map((step) => [step.seq, orderedBy(step)]));
  const rows = new Set([...written.keys(), ...ordered.keys()]);
  return [...rows].flatMap((row) => {
    const [is, ought] = [sorted(written.get(row)), sorted(ordered.get(row))];
    return is === ought
      ? []
      : [found(`journal row ${row} ordered ${ought}, and ${is} was written`)];
  });
};

function sorted(list: readonly string[] = []): string {
  return list.length === 0 ? 'nothing' : [...list].sort().join(', ');
}

/** What a step's effects order, by name. */
function orderedBy({ actor, effects }: StepRow): string[] {
  const list = JSON.parse(effects ?? '[]') as Effect[];
  return list.flatMap((effect) => {
    switch (effect.kind) {
      case 'send':
        return [`event to ${effect.to}`];
      case 'schedule':
        return [`timer ${effect.incarnation}`];
      case 'call':
        return [`call ${callIdOf(actor, effect.incarnation)}`];
      case 'spawn':
        return [`init of ${effect.address}`];
      default:
        return [];
    }
  });
}

/** What is in the tables, by the journal row that caused it. */
function writtenBy(evidence: Evidence): Map<number, string[]> {
  const written = new Map<number, string[]>();
  const add = (cause: number | null, name: string) => {
    if (cause !== null) written.set(cause, [...(written.get(cause) ?? []), name]);
  };
  for (const message of rowsOf<SeenMessage>(evidence, 'SELECT * FROM audit_messages')) {
    const name = nameOf(message);
    if (name !== undefined) add(message.cause, name);
  }
  const calls = 'SELECT id, cause FROM calls';
  for (const { id, cause } of rowsOf<{ id: string; cause: number }>(evidence, calls)) {
    add(cause, `call ${id}`);
  }
  for (const { message } of rowsOf<{ message: string }>(evidence, REFUSED_AT_ONCE)) {
    const { actor, cause } = JSON.parse(message) as { actor: string; cause?: number };
    add(cause ?? null, `event to ${actor}`);
  }
  return written;
}

/** A send to an actor that had ended was never a message. */
const REFUSED_AT_ONCE = `SELECT message FROM undeliverable
  WHERE message ->> 'seq' IS NULL AND message ->> 'kind' = 'event'`;

/** Answers of calls and ends of children are caused by what ordered them; no step's effects name them. */
function nameOf({ kind, actor, incarnation, event }: SeenMessage): string | undefined {
  switch (kind) {
    case 'event':
      return `event to ${actor}`;
    case 'timer':
      return `timer ${incarnation}`;
    case 'init':
      return event.includes(INIT_EVENT) ? `init of ${actor}` : undefined;
    case 'call':
    case 'actor':
      return undefined;
  }
}
