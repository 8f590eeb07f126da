// Actors: the table of `troupe ls`. Pure.

import type { ActorSummary } from '../../embedded/index.ts';
import { statePath, toneOf } from './state.ts';
import { type Cell, type Column, type Frame, table } from './table.ts';
import { printable } from './text.ts';
import { localTime } from './time.ts';

const COLUMNS: readonly Column[] = [
  { title: 'ADDRESS', widthMin: 16, cut: 'middle' },
  { title: 'STATUS' },
  { title: 'STATE', widthMin: 8, cut: 'middle' },
  { title: 'TAGS', widthMin: 6 },
  { title: 'REV', align: 'right' },
  { title: 'CHANGED' },
];

export function actorsTable(actors: readonly ActorSummary[], nowMs: number, frame: Frame) {
  return table(
    COLUMNS,
    actors.map((actor) => rowOf(actor, nowMs)),
    frame,
  );
}

function statusOf({ status, noHost }: ActorSummary): Cell {
  return noHost
    ? { text: `${status} noHost`, tone: 'warn' }
    : { text: status, tone: toneOf(status) };
}

function rowOf(actor: ActorSummary, nowMs: number): Cell[] {
  return [
    { text: printable(actor.address) },
    statusOf(actor),
    { text: printable(statePath(actor.state)) },
    { text: printable(actor.tags.join(' ')) },
    { text: String(actor.revision) },
    { text: localTime(actor.updatedAtMs, nowMs), tone: 'dim' },
  ];
}
