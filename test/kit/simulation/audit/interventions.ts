// Interventions: what an operator was told was done is in the journal, once, with who, why and the revision that they saw,
// which was the actor's; what was refused is not there, and nobody else intervened (J5).

import type { AskedIntervention } from '../operator.ts';
import type { SimulationFinding } from '../options.ts';
import { type Check, type Evidence, findingOf, grouped, rowsOf } from './evidence.ts';

interface InterventionRow {
  readonly seq: number;
  readonly actor: string;
  readonly by: string;
  readonly type: string;
  readonly reason: string;
  readonly revision: number;
  /** Of the actor, before the row. */
  readonly stored: number;
}

const ROWS = `SELECT seq, actor, event ->> 'by' AS "by", event ->> 'type' AS type, event ->> 'reason' AS reason,
    event ->> 'revision' AS revision,
    (SELECT ifnull(max(b.revision), 0) FROM journal b WHERE b.actor = j.actor AND b.seq < j.seq) AS stored
  FROM journal j WHERE kind = 'intervention' ORDER BY seq`;

export const interventions: Check = (evidence) => {
  const rows = grouped(rowsOf<InterventionRow>(evidence, ROWS), ({ by }) => by);
  const asked = new Map(evidence.interventions.map((each) => [each.by, each]));
  const found = findingOf('interventions', 'J5');
  return [
    ...[...rows.values()].flatMap((its) =>
      its.flatMap((row) =>
        asked.has(row.by) ? [] : [found(`row ${row.seq} is by ${row.by}, who asked for nothing`)],
      ),
    ),
    ...evidence.interventions.flatMap((each) => checkOne(evidence, each, rows.get(each.by) ?? [])),
  ];
};

function checkOne(
  evidence: Evidence,
  { action, address, by, revision, answer }: AskedIntervention,
  rows: readonly InterventionRow[],
): SimulationFinding[] {
  const found = findingOf('interventions', 'J5');
  const name = `${action} of ${address} by ${by}`;
  const told = answer === undefined ? 'nothing' : answer === 'done' ? answer : answer.refused;
  const [row] = rows;
  if (row === undefined) {
    // Of two that send the same message again, both get the receipt and one has the row.
    const isShared = action === 'redeliver' && isRedelivered(evidence, address);
    return answer === 'done' && !isShared
      ? [found(`${name} was done, and no row tells of it`)]
      : [];
  }
  if (rows.length > 1) return [found(`${name} has ${rows.length} rows`)];
  if (answer !== undefined && answer !== 'done') {
    return [found(`${name} was answered ${told}, and row ${row.seq} tells of it`)];
  }
  const ought = [address, `troupe.${action}`, action, revision, revision];
  const is = [row.actor, row.type, row.reason, row.revision, row.stored];
  return String(is) === String(ought)
    ? []
    : [found(`row ${row.seq} says ${is.join(', ')}; ${name} was asked for: ${ought.join(', ')}`)];
}

const REDELIVERED = `SELECT 1 FROM journal WHERE actor = ? AND kind = 'intervention' AND event ->> 'type' = 'troupe.redeliver'`;

function isRedelivered(evidence: Evidence, address: string): boolean {
  return rowsOf(evidence, REDELIVERED, address).length > 0;
}
