// Calls: the ledger of the outside agrees with the store. Nothing starts before its claim is on disk (K3), an effect reaches
// the outside once unless its class says otherwise (C5), and what the store says of a call is true or honestly unknown.

import type { CallSpec } from '../../../../actors/registry/index.ts';
import type { LedgerEntry } from '../ledger.ts';
import type { Finding } from '../options.ts';
import { type Check, type Evidence, findingOf, rowsOf } from './evidence.ts';

interface CallRow {
  readonly id: string;
  readonly source: string;
  readonly class: 'read' | 'effect' | 'replayable';
  readonly attempt: number;
  readonly status: string;
  readonly result: string | null;
}

export const calls: Check = (evidence) => {
  const rows = rowsOf<CallRow>(evidence, 'SELECT * FROM calls');
  const ledger = new Map<string, LedgerEntry[]>();
  for (const entry of evidence.ledger) {
    ledger.set(entry.callId, [...(ledger.get(entry.callId) ?? []), entry]);
  }
  const known = new Set(rows.map(({ id }) => id));
  const unknown = [...ledger.keys()].filter((id) => !known.has(id));
  return [
    ...unknown.map((id) => findingOf('calls', 'K3')(`${id} was started, and no step ordered it`)),
    ...rows.flatMap((row) => checkCall(row, ledger.get(row.id) ?? [])),
    ...rows.flatMap((row) => checkAnswer(evidence, row, ledger.get(row.id) ?? [])),
  ];
};

function checkCall(row: CallRow, entries: readonly LedgerEntry[]): Finding[] {
  const starts = entries.filter(({ what }) => what === 'started');
  const reached = entries.filter(({ what }) => what === 'reached').length;
  const attempts = starts.map(({ attempt }) => attempt);
  const findings: Finding[] = [];
  const found = (rule: string, message: string) =>
    findings.push(findingOf('calls', rule)(`${row.id} (${row.class}) ${message}`));
  if (starts.some(({ wasClaimed }) => wasClaimed !== true)) {
    found('K3', 'was started before its claim was on disk');
  }
  if (new Set(attempts).size < attempts.length) found('C1', 'started one attempt twice');
  if (attempts.some((attempt) => attempt > row.attempt))
    found('C1', 'started an attempt that is not in the store');
  if (row.class === 'effect' && attempts.length > 1)
    found('C5', `was started ${attempts.length} times`);
  if (row.class === 'effect' && reached > 1) found('C5', `happened ${reached} times`);
  if (row.class === 'replayable' && overlaps(entries))
    found('C3', 'ran again before the earlier attempt had ended');
  if (isCertainlyNot(row) && reached > 0) found('C1', `is ${row.status}, and it happened`);
  if (row.status === 'done' && reached === 0) found('C6', 'is done, and it never happened');
  if (row.status === 'notStarted' && attempts.length > 0)
    found('C1', 'is notStarted, and it was started');
  const isUnclaimed = row.attempt === 0 && row.status === 'unknown';
  if (isUnclaimed) found('C1', 'is unknown, and nobody ever claimed it');
  return findings;
}

/** A read changes nothing, so its failure says nothing about what happened. */
function isCertainlyNot({ class: kind, status }: CallRow): boolean {
  return kind !== 'read' && (status === 'failed' || status === 'notStarted');
}

/** Whether an attempt of a thread began while an earlier one had not ended. */
function overlaps(entries: readonly LedgerEntry[]): boolean {
  const running = new Set<number>();
  for (const { what, attempt } of entries) {
    if (what === 'ended') running.delete(attempt);
    if (what !== 'started') continue;
    if (running.size > 0) return true;
    running.add(attempt);
  }
  return false;
}

/** C4: the answer that moved the actor is that of the attempt that counts. */
function checkAnswer(evidence: Evidence, row: CallRow, entries: readonly LedgerEntry[]): Finding[] {
  const answers = rowsOf<{ readonly event: string }>(
    evidence,
    "SELECT event FROM audit_messages WHERE kind = 'call' AND sender = ?",
    row.id,
  );
  const found = findingOf('calls', 'C4');
  if (answers.length > 1) return [found(`${row.id} was answered ${answers.length} times`)];
  const [answer] = answers;
  if (answer === undefined || row.status !== 'done') return [];
  const { output } = JSON.parse(answer.event) as { readonly output?: unknown };
  const own = entries.find(({ what, attempt }) => what === 'ended' && attempt === row.attempt);
  const expected = asParsed(evidence, row.source, own?.output);
  return JSON.stringify(output) === JSON.stringify(expected)
    ? []
    : [
        found(
          `${row.id} answered ${JSON.stringify(output)}; its attempt ${row.attempt} said ${JSON.stringify(expected)}`,
        ),
      ];
}

function asParsed({ registry }: Evidence, source: string, output: unknown): unknown {
  const runs = specOf(registry, source)?.runs;
  const schema = runs?.on === 'thread' ? runs.call.output : undefined;
  // What does not fit is no answer: then any answer is another one.
  return schema === undefined ? output : schema.safeParse(output).data;
}

function specOf(registry: Evidence['registry'], source: string): CallSpec | undefined {
  for (const machine of registry.machines.values()) {
    for (const spec of machine.calls.values()) if (spec.key === source) return spec;
  }
  return undefined;
}
