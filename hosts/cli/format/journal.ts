// Journal: the tables of `troupe journal` and `troupe undeliverable`. Pure.

import type { JournalEntry, Undeliverable } from '../../embedded/index.ts';
import { effectsText } from './effects.ts';
import { deedText, reasonOf } from './intervention.ts';
import { statePath } from './state.ts';
import type { Tone } from './style.ts';
import { type Cell, type Column, type Frame, table } from './table.ts';
import { printable } from './text.ts';
import { localTime } from './time.ts';

const JOURNAL_COLUMNS: readonly Column[] = [
  { title: 'SEQ', align: 'right' },
  { title: 'TIME' },
  { title: 'REV', align: 'right' },
  { title: 'EVENT', widthMin: 12, cut: 'middle' },
  { title: 'STATE', widthMin: 8, cut: 'middle' },
  { title: 'EFFECTS', widthMin: 10 },
];

export function journalTable(entries: readonly JournalEntry[], nowMs: number, frame: Frame) {
  return table(
    JOURNAL_COLUMNS,
    entries.map((entry) => journalRow(entry, nowMs)),
    frame,
  );
}

function journalRow(entry: JournalEntry, nowMs: number): Cell[] {
  const { kind, revision } = entry;
  return [
    { text: String(entry.seq), tone: 'dim' },
    { text: localTime(entry.atMs, nowMs), tone: 'dim' },
    { text: revision === undefined ? '' : String(revision) },
    { text: printable(eventText(entry)), tone: toneOfKind(kind) },
    { text: printable(entry.state === undefined ? '' : statePath(entry.state)) },
    {
      text: printable(kind === 'intervention' ? reasonOf(entry.event) : effectsText(entry.effects)),
    },
  ];
}

function eventText({ kind, event }: JournalEntry): string {
  if (kind === 'step') return typeOf(event);
  return kind === 'intervention' ? deedText(event) : `${kind}: ${typeOf(event)}`;
}

function toneOfKind(kind: JournalEntry['kind']): Tone {
  switch (kind) {
    case 'step':
      return 'plain';
    case 'late':
      return 'dim';
    case 'stuck':
      return 'bad';
    case 'stopped':
    case 'intervention':
      return 'warn';
  }
}

const UNDELIVERABLE_COLUMNS: readonly Column[] = [
  { title: 'SEQ', align: 'right' },
  { title: 'TIME' },
  { title: 'REASON' },
  { title: 'TO', widthMin: 16, cut: 'middle' },
  { title: 'EVENT', widthMin: 10 },
  { title: 'FROM', widthMin: 12, cut: 'middle' },
  { title: 'SENT AGAIN', widthMin: 10, cut: 'middle' },
];

export function undeliverableTable(
  messages: readonly Undeliverable[],
  nowMs: number,
  frame: Frame,
): string[] {
  return table(
    UNDELIVERABLE_COLUMNS,
    messages.map((message) => undeliverableRow(message, nowMs)),
    frame,
  );
}

function undeliverableRow(undeliverable: Undeliverable, nowMs: number): Cell[] {
  const { seq, atMs, reason, address, message, redelivered } = undeliverable;
  const { event, sender } = (message ?? {}) as Readonly<Record<string, unknown>>;
  return [
    { text: String(seq), tone: 'dim' },
    { text: localTime(atMs, nowMs), tone: 'dim' },
    { text: reason, tone: 'warn' },
    { text: printable(address) },
    { text: printable(typeOf(event)) },
    { text: printable(typeof sender === 'string' ? sender : '(outside)') },
    { text: printable(redelivered === undefined ? '' : redelivered.address) },
  ];
}

function typeOf(event: unknown): string {
  const type = (event as { readonly type?: unknown } | null | undefined)?.type;
  return typeof type === 'string' ? type : '';
}
