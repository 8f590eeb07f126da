// Key: what tells two points apart. Points of one key have the same future, as far as the abstraction goes.

import { VIRTUAL_START_MS } from '../virtual-clock.ts';
import type { Ordered, Point, Timer } from './point.ts';

const TIME_TEXT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/**
 * Revisions and virtual time are left out, or no state would ever be met again. Of timers their order of arming stays, and
 * which were armed together: that decides which of them may fire first.
 */
export function keyOf(point: Point, abstract: (context: unknown) => unknown): string {
  const { status, value, nodes, context, historyValue, children, output, error } = point.snapshot;
  const parts = [
    status,
    value,
    nodes,
    abstract(context),
    historyValue,
    children,
    output,
    error,
    timersKey(point.timers),
    point.ordered.toSorted(byId).map(({ kind, id, source }) => [kind, id, source]),
    point.mailbox,
  ];
  return keyText(parts, point.atMs);
}

function byId(a: Ordered, b: Ordered): number {
  return a.id < b.id ? -1 : 1;
}

function timersKey(timers: readonly Timer[]): unknown {
  const revisions = [...new Set(timers.map(({ revision }) => revision))];
  return timers.map(({ id, event, delayMs, revision }) => [
    id,
    event,
    delayMs,
    revisions.indexOf(revision),
  ]);
}

/** JSON with keys in order, in which times and random ids are told apart but have no values. */
function keyText(value: unknown, nowMs: number): string {
  const names = new Map<unknown, string>();
  const nameOf = (what: string, of: unknown): string => {
    const known = names.get(of) ?? `${what} ${names.size + 1}`;
    names.set(of, known);
    return known;
  };
  const visit = (part: unknown): string => {
    if (typeof part === 'number') {
      return part >= VIRTUAL_START_MS && part <= nowMs
        ? nameOf('time', part)
        : JSON.stringify(part);
    }
    if (typeof part === 'string') {
      if (TIME_TEXT.test(part) && Date.parse(part) >= VIRTUAL_START_MS) return nameOf('time', part);
      return UUID.test(part) ? nameOf('id', part) : JSON.stringify(part);
    }
    if (typeof part !== 'object' || part === null) return JSON.stringify(part) ?? '-';
    if (Array.isArray(part)) return `[${part.map(visit).join()}]`;
    const entries = Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1));
    return `{${entries.map(([key, below]) => `${visit(key)}:${visit(below)}`).join()}}`;
  };
  return visit(value);
}
