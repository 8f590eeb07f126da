// Answers: a timer, a call's answer and a child's end move the actor that waits for that very one, once (T2, C4). After it was
// cancelled it is late and moves nothing, also when it was on its way to another actor; while it is awaited it is never
// dismissed as late.

import type { Effect } from '../../../../actors/step/index.ts';
import type { JournalRow, MessageKind } from '../../../../persistence/index.ts';
import type { SimulationFinding } from '../options.ts';
import { type Check, type Evidence, findingOf, rowsOf } from './evidence.ts';

type Answering = 'timer' | 'call' | 'actor';

const RULES: Readonly<Record<Answering, string>> = { timer: 'T2', call: 'C4', actor: 'C4' };

export const answers: Check = (evidence) => [...checkOwn(evidence), ...checkOthers(evidence)];

function checkOwn(evidence: Evidence): SimulationFinding[] {
  const rows = rowsOf<JournalRow>(
    evidence,
    "SELECT * FROM journal WHERE kind IN ('step', 'late') ORDER BY actor, seq",
  );
  const awaited = new Map<string, Set<string>>();
  return rows.flatMap((row) => {
    const own = awaited.get(row.actor) ?? new Set();
    awaited.set(row.actor, own);
    const finding = checkRow(row, own);
    for (const effect of effectsOf(row)) note(own, effect);
    return finding === undefined ? [] : [finding];
  });
}

const UNSCHEDULED = `SELECT j.seq AS row, j.actor, e.value ->> 'incarnation' AS incarnation FROM journal j, json_each(j.effects) e
  WHERE j.kind = 'step' AND j.effects IS NOT NULL AND e.value ->> 'kind' = 'unschedule'`;

/** One id may be sent again and again: what a cancellation means is what was there. */
const FROM_OTHERS = `SELECT j.seq AS row, j.actor, j.sender, j.incarnation, m.after_row FROM journal j
  JOIN audit_messages m ON m.seq = j.message
  WHERE j.kind = 'step' AND j.origin = 'timer' AND j.sender <> j.actor`;

interface FromOther {
  readonly row: number;
  readonly actor: string;
  readonly sender: string;
  readonly incarnation: string;
  readonly after_row: number;
}

/** T2: a delayed send to another actor that its sender cancelled does not arrive. */
function checkOthers(evidence: Evidence): SimulationFinding[] {
  const found = findingOf('answers', 'T2');
  const cancelled = rowsOf<Pick<FromOther, 'row' | 'actor' | 'incarnation'>>(evidence, UNSCHEDULED);
  return rowsOf<FromOther>(evidence, FROM_OTHERS).flatMap((message) => {
    const by = cancelled.find(
      ({ row, actor, incarnation }) =>
        actor === message.sender &&
        incarnation === message.incarnation &&
        row > message.after_row &&
        row < message.row,
    );
    if (by === undefined) return [];
    const name = `timer ${message.incarnation} of ${message.sender} to ${message.actor}`;
    return [found(`${name} arrived in row ${message.row}, and row ${by.row} had cancelled it`)];
  });
}

/** Takes what the row answers from what its actor waits for. */
function checkRow(row: JournalRow, awaited: Set<string>): SimulationFinding | undefined {
  const { origin, incarnation, actor } = row;
  if (!isAnswering(origin) || (origin === 'timer' && row.sender !== actor)) return undefined;
  const found = findingOf('answers', RULES[origin]);
  const name = `${origin} ${incarnation} of ${actor} (row ${row.seq})`;
  const isAwaited = awaited.has(nameOf(origin, incarnation));
  if (row.kind === 'late') {
    return isAwaited ? found(`${name} was dismissed as late, and it was awaited`) : undefined;
  }
  awaited.delete(nameOf(origin, incarnation));
  return isAwaited ? undefined : found(`${name} moved its actor, which did not wait for it`);
}

function note(awaited: Set<string>, effect: Effect): void {
  switch (effect.kind) {
    case 'schedule':
      if (effect.to === undefined) awaited.add(nameOf('timer', effect.incarnation));
      return;
    case 'unschedule':
      awaited.delete(nameOf('timer', effect.incarnation));
      return;
    case 'call':
      awaited.add(nameOf('call', effect.incarnation));
      return;
    case 'cancelCall':
      awaited.delete(nameOf('call', effect.incarnation));
      return;
    case 'spawn':
      awaited.add(nameOf('actor', effect.address));
      return;
    case 'stop':
      awaited.delete(nameOf('actor', effect.address));
      return;
    case 'send':
    case 'emit':
    case 'notify':
      return;
  }
}

function effectsOf({ kind, effects }: JournalRow): readonly Effect[] {
  return kind === 'step' ? (JSON.parse(effects ?? '[]') as Effect[]) : [];
}

function isAnswering(origin: MessageKind | null): origin is Answering {
  return origin === 'timer' || origin === 'call' || origin === 'actor';
}

function nameOf(what: Answering, incarnation: string | null): string {
  return `${what} ${incarnation}`;
}
