// Heard: what leaves an actor without a promise. A notification is told after its commit, at most once (K8); who watches an
// actor sees each change once, in order, and none that is not on disk (M5).

import type { SimulationFinding } from '../options.ts';
import { type Check, type Evidence, findingOf, grouped, rowsOf } from './evidence.ts';

export const heard: Check = (evidence) => [...checkTold(evidence), ...checkWatched(evidence)];

const LOGGED = `SELECT j.seq AS row, j.actor, json(e.value -> 'params' -> 'value') AS value FROM journal j, json_each(j.effects) e
  WHERE j.kind = 'step' AND j.effects IS NOT NULL AND e.value ->> 'kind' = 'notify' AND e.value ->> 'action' = 'xstate.log'
  ORDER BY j.seq`;

interface Logged {
  readonly row: number;
  readonly actor: string;
  readonly value: string;
}

function checkTold(evidence: Evidence): SimulationFinding[] {
  const ordered = grouped(rowsOf<Logged>(evidence, LOGGED), keyOf);
  const told = evidence.told.map((each) => ({ ...each, value: JSON.stringify(each.value) }));
  const early = told.filter(({ isInTransaction }) => isInTransaction);
  return [
    ...early.map((each) =>
      findingOf('heard', 'K3')(`${keyOf(each)} was told while its transaction was open`),
    ),
    ...[...grouped(told, keyOf)].flatMap(([key, times]) => {
      const rows = ordered.get(key) ?? [];
      const isKnown = times.every(({ afterRow }, index) => afterRow >= (rows[index]?.row ?? 0));
      return rows.length >= times.length && isKnown
        ? []
        : [findingOf('heard', 'K8')(`${key} was told ${times.length} times, of ${rows.length}`)];
    }),
  ];
}

function keyOf({ actor, value }: Pick<Logged, 'actor' | 'value'>): string {
  return `${value} of ${actor}`;
}

const CHANGES = `SELECT j.seq, (SELECT ifnull(json_group_array(json(e.value -> 'event')), '[]') FROM json_each(j.effects) e
    WHERE e.value ->> 'kind' = 'emit') AS emitted
  FROM journal j WHERE j.actor = ? AND j.seq BETWEEN ? AND ? ORDER BY j.seq`;

function checkWatched(evidence: Evidence): SimulationFinding[] {
  const found = findingOf('heard', 'M5');
  return evidence.watched.flatMap(({ address, changes }) => {
    const [first, last] = [changes[0]?.seq, changes.at(-1)?.seq];
    if (first === undefined || last === undefined) return [];
    const rows = rowsOf<{ readonly seq: number; readonly emitted: string }>(
      evidence,
      CHANGES,
      address,
      first,
      Math.max(first, last),
    );
    const [saw, is] = [changes, rows].map((list) =>
      list.map(({ seq, emitted }) => `${seq} ${emitted}`).join(', '),
    );
    return saw === is ? [] : [found(`who watched ${address} saw ${saw}; the journal has ${is}`)];
  });
}
