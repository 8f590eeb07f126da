// Outcomes: what an actor learns of a call is what its attempt said (C4, C6), and no more than its class allows to be known
// (C3, C5). A call that was cancelled tells its actor nothing, and is asked to stop (C7).

import { callIdOf } from '../../../../actors/engine/orders.ts';
import type { LedgerEntry } from '../ledger.ts';
import type { SimulationFinding } from '../options.ts';
import { type Check, type Evidence, findingOf, grouped, rowsOf } from './evidence.ts';
import type { SeenCall } from './seen.ts';
import { asParsed } from './specs.ts';

interface CallRow {
  readonly id: string;
  readonly source: string;
  readonly class: LedgerEntry['class'];
  readonly attempt: number;
  readonly status: string;
}

interface Answer {
  readonly sender: string;
  readonly event: string;
  readonly after_row: number;
}

export const outcomes: Check = (evidence) => {
  const rows = rowsOf<CallRow>(evidence, 'SELECT * FROM calls');
  const answers = grouped(rowsOf<Answer>(evidence, ANSWERS), ({ sender }) => sender);
  const changes = grouped(rowsOf<SeenCall>(evidence, CHANGES), ({ id }) => id);
  const ledger = grouped(evidence.ledger, ({ callId }) => callId);
  return [
    ...rows.flatMap((row) => {
      const entries = ledger.get(row.id) ?? [];
      return [
        ...checkAnswers(evidence, row, answers.get(row.id) ?? [], entries),
        ...(changes.get(row.id) ?? []).flatMap((change) =>
          checkChange(evidence, row, change, entries),
        ),
      ];
    }),
    ...checkCancelled(evidence, answers),
  ];
};

const ANSWERS =
  "SELECT sender, event, after_row FROM audit_messages WHERE kind = 'call' ORDER BY seq";

/** Changes that the host itself made of what it had claimed; what another does for a dead one is no answer. */
const CHANGES = `SELECT * FROM audit_calls
  WHERE before IN ('claimed', 'cancelling') AND is_host_there = 1 ORDER BY position`;

/** C4: one answer, of the attempt that counts, and as certain as the store says. */
function checkAnswers(
  evidence: Evidence,
  row: CallRow,
  answers: readonly Answer[],
  entries: readonly LedgerEntry[],
): SimulationFinding[] {
  const found = findingOf('outcomes', 'C4');
  if (answers.length > 1) return [found(`${row.id} was answered ${answers.length} times`)];
  const [answer] = answers;
  if (answer === undefined) return [];
  const { output, error } = JSON.parse(answer.event) as {
    readonly output?: unknown;
    readonly error?: { readonly outcome?: string };
  };
  if (row.status !== 'done') {
    if (error?.outcome === row.status) return [];
    return [found(`${row.id} is ${row.status}, and its actor heard ${error?.outcome ?? 'done'}`)];
  }
  const said = parsedAnswer(evidence, row, endOf(entries, row.attempt))?.output;
  const [is, ought] = [JSON.stringify(output), JSON.stringify(said)];
  if (is === ought) return [];
  return [found(`${row.id} answered ${is}; its attempt ${row.attempt} said ${ought}`)];
}

/** What the host wrote of an attempt is what the attempt said. */
function checkChange(
  evidence: Evidence,
  row: CallRow,
  change: SeenCall,
  entries: readonly LedgerEntry[],
): SimulationFinding[] {
  const { before, status, attempt } = change;
  if (status === 'cancelling') return checkAborted(evidence, change, entries);
  const ended = endOf(entries, attempt);
  const name = `attempt ${attempt} of ${row.id} (${row.class})`;
  const found = (rule: string, message: string) => [
    findingOf('outcomes', rule)(`${name} ${message}, and is ${status}`),
  ];
  if (ended === undefined) return found('C3', 'had not ended');
  const isFitting = parsedAnswer(evidence, row, ended) !== undefined;
  if (isFitting !== (status === 'done')) {
    return found('C6', isFitting ? 'gave a fitting answer' : 'gave no fitting answer');
  }
  if (isFitting) return [];
  const isSaid = ended.end?.kind === 'threw' && ended.end.error.outcome === 'failed';
  const isKnown = isSaid && (row.class === 'effect' || attempt === 1);
  const expected = before === 'claimed' ? 'failed' : 'cancelled';
  if (isKnown && status !== expected) return found('C3', 'said that nothing happened');
  const isCertain = status === 'failed' || status === 'cancelled';
  if (!isKnown && isCertain && row.class !== 'read') return found('C3', 'left it open');
  return row.class === 'effect' && status === 'ordered' ? found('C5', 'may have happened') : [];
}

/** C7: a host asks what still runs to stop as soon as it looks at the store again, unless it dies first. */
function checkAborted(
  { groups }: Evidence,
  cancelled: SeenCall,
  entries: readonly LedgerEntry[],
): SimulationFinding[] {
  const own = entries.filter(({ attempt }) => attempt === cancelled.attempt);
  const ended = own.find(({ what }) => what === 'ended');
  if (ended?.end?.kind === 'cut' || own.some(({ what }) => what === 'aborted')) return [];
  const endedMs = ended?.passedMs ?? Number.POSITIVE_INFINITY;
  const hasLooked = groups.some(
    ({ process, passedMs }) =>
      process === own[0]?.process && cancelled.passed_at < passedMs && passedMs < endedMs,
  );
  return hasLooked
    ? [findingOf('outcomes', 'C7')(`${cancelled.id} was cancelled and never aborted`)]
    : [];
}

interface Cancelled {
  readonly row: number;
  readonly actor: string;
  readonly incarnation: string;
}

const CANCELLED = `SELECT j.seq AS row, j.actor, e.value ->> 'incarnation' AS incarnation FROM journal j, json_each(j.effects) e
  WHERE j.kind = 'step' AND j.effects IS NOT NULL AND e.value ->> 'kind' = 'cancelCall'`;

/** C7: who has cancelled a call hears nothing more of it. */
function checkCancelled(
  evidence: Evidence,
  answers: ReadonlyMap<string, readonly Answer[]>,
): SimulationFinding[] {
  return rowsOf<Cancelled>(evidence, CANCELLED).flatMap(({ row, actor, incarnation }) => {
    const id = callIdOf(actor, incarnation);
    const late = (answers.get(id) ?? []).filter(({ after_row }) => after_row >= row);
    return late.map(() =>
      findingOf('outcomes', 'C7')(`${id} was cancelled by row ${row} and answered afterwards`),
    );
  });
}

function endOf(entries: readonly LedgerEntry[], attempt: number): LedgerEntry | undefined {
  return entries.find((entry) => entry.what === 'ended' && entry.attempt === attempt);
}

/** What an attempt answered, when that fits its schema. */
function parsedAnswer(
  evidence: Evidence,
  { source }: CallRow,
  ended: LedgerEntry | undefined,
): { readonly output: unknown } | undefined {
  return ended?.end?.kind === 'answered' ? asParsed(evidence, source, ended.end.output) : undefined;
}
