// Stuck: the table of `troupe stuck`. Pure.

import type { StuckActor } from '../../embedded/index.ts';
import { statePath } from './state.ts';
import { type Cell, type Column, type Frame, table } from './table.ts';
import { printable } from './text.ts';
import { localTime } from './time.ts';

const COLUMNS: readonly Column[] = [
  { title: 'ADDRESS', widthMin: 16, cut: 'middle' },
  { title: 'REV', align: 'right' },
  { title: 'SINCE' },
  { title: 'STATE', widthMin: 8, cut: 'middle' },
  { title: 'MESSAGE', align: 'right' },
  { title: 'EVENT', widthMin: 8, cut: 'middle' },
  { title: 'ERROR', widthMin: 20 },
];

export function stuckTable(actors: readonly StuckActor[], nowMs: number, frame: Frame): string[] {
  return table(
    COLUMNS,
    actors.map((actor) => rowOf(actor, nowMs)),
    frame,
  );
}

function rowOf({ address, revision, sinceMs, state, reason }: StuckActor, nowMs: number): Cell[] {
  return [
    { text: printable(address) },
    { text: String(revision) },
    { text: localTime(sinceMs, nowMs), tone: 'dim' },
    { text: printable(statePath(state)) },
    { text: reason === undefined ? '' : String(reason.messageSeq) },
    { text: printable(reason?.event ?? '') },
    {
      text: printable(reason === undefined ? '(damaged)' : `${reason.code}: ${reason.message}`),
      tone: 'bad',
    },
  ];
}
