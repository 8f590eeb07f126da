// Table: aligned columns that are never wider than the terminal. Pure.

import type { Paint, Tone } from './style.ts';
import { fit, pad, widthOf } from './text.ts';

export interface Column {
  readonly title: string;
  readonly align?: 'left' | 'right';
  /** How far it may be cut before columns are left out. Default: not at all. */
  readonly widthMin?: number;
  /** Where it is cut. Default: at its end. */
  readonly cut?: 'end' | 'middle';
}

export interface Cell {
  readonly text: string;
  readonly tone?: Tone;
}

export interface Frame {
  /** Columns of the terminal; undefined where lines may be of any length. */
  readonly width: number | undefined;
  readonly paint: Paint;
}

const GAP = '  ';

/** Of a longer text no more is looked at. */
const CELL_CHARACTERS_MAX = 1_000;

/** @returns one line for the titles and one for each row; the last columns are left out where they do not fit. */
export function table(
  columns: readonly Column[],
  content: readonly (readonly Cell[])[],
  { width, paint }: Frame,
): string[] {
  const rows = content.map((row) => row.map(bounded));
  const widths = widthsOf(columns, rows, width ?? Number.POSITIVE_INFINITY);
  const titles = columns.map(({ title }): Cell => ({ text: title, tone: 'dim' }));
  return [titles, ...rows].map((row) =>
    widths
      .map((columnWidth, index) =>
        cell(columns[index], row[index], columnWidth, index === widths.length - 1, paint),
      )
      .join(GAP)
      .trimEnd(),
  );
}

function bounded({ text, ...cell }: Cell): Cell {
  return { ...cell, text: fit(text.slice(0, CELL_CHARACTERS_MAX + 1), CELL_CHARACTERS_MAX) };
}

function cell(
  column: Column | undefined,
  content: Cell | undefined,
  width: number,
  isLast: boolean,
  paint: Paint,
): string {
  const text = fit(content?.text ?? '', width, column?.cut);
  const padded = isLast && column?.align !== 'right' ? text : pad(text, width, column?.align);
  return paint(content?.tone ?? 'plain', padded);
}

function widthsOf(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  room: number,
): number[] {
  const natural = columns.map(({ title }, index) =>
    Math.max(widthOf(title), ...rows.map((row) => widthOf(row[index]?.text ?? ''))),
  );
  const least = columns.map(({ widthMin }, index) =>
    Math.min(widthMin ?? Number.POSITIVE_INFINITY, natural[index] ?? 0),
  );
  let shown = columns.length;
  while (shown > 1 && total(least.slice(0, shown)) > room) shown--;
  return shrink(natural.slice(0, shown), least, room);
}

/** Takes from the widest column that may still give, until all fit. */
function shrink(natural: readonly number[], least: readonly number[], room: number): number[] {
  const widths = [...natural];
  while (total(widths) > room) {
    let widest = -1;
    for (const [index, width] of widths.entries()) {
      const gives = width > (least[index] ?? 0);
      if (gives && width > (widths[widest] ?? 0)) widest = index;
    }
    if (widest === -1) return widths.map((width) => Math.min(width, Math.max(room, 1)));
    widths[widest] = (widths[widest] ?? 1) - 1;
  }
  return widths;
}

function total(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, 0) + GAP.length * (widths.length - 1);
}
