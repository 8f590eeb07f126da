// Calls: the ledger of the outside agrees with the store. Nothing starts before its claim is on disk (K3), an effect reaches
// the outside once unless its class says otherwise (C5), and no more run at a time than a host can, in their order (C8).

import type { LedgerEntry } from '../ledger.ts';
import type { SimulationFinding } from '../options.ts';
import { type Check, type Evidence, findingOf, grouped, rowsOf } from './evidence.ts';
import type { SeenCall } from './seen.ts';
import { specOf } from './specs.ts';

interface CallRow {
  readonly id: string;
  readonly class: 'read' | 'effect' | 'replayable';
  readonly attempt: number;
  readonly status: string;
}

export const calls: Check = (evidence) => {
  const rows = rowsOf<CallRow>(evidence, 'SELECT * FROM calls');
  const ledger = grouped(evidence.ledger, ({ callId }) => callId);
  const known = new Set(rows.map(({ id }) => id));
  const unknown = [...ledger.keys()].filter((id) => !known.has(id));
  return [
    ...unknown.map((id) => findingOf('calls', 'K3')(`${id} was started, and no step ordered it`)),
    ...rows.flatMap((row) => checkCall(row, ledger.get(row.id) ?? [])),
    ...checkClaims(evidence),
    ...checkRunning(evidence),
  ];
};

function checkCall(row: CallRow, entries: readonly LedgerEntry[]): SimulationFinding[] {
  const starts = entries.filter(({ what }) => what === 'started');
  const reached = entries.filter(({ what }) => what === 'reached').length;
  const attempts = starts.map(({ attempt }) => attempt);
  const findings: SimulationFinding[] = [];
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

const CLAIMS = "SELECT * FROM audit_calls WHERE status = 'claimed' ORDER BY position";

/**
 * A claim takes the first of those that wait for the same function, none that has waited too long (C1), and they start in the
 * order of their claims.
 */
function checkClaims(evidence: Evidence): SimulationFinding[] {
  const found = findingOf('calls', 'C8');
  const claims = rowsOf<SeenCall>(evidence, CLAIMS);
  const positions = new Map(
    claims.map((claim) => [`${claim.id} ${claim.attempt}`, claim.position]),
  );
  // A start without a claim is C1's matter.
  const starts = evidence.ledger.filter(
    ({ what, callId, attempt }) => what === 'started' && positions.has(`${callId} ${attempt}`),
  );
  const late = [...grouped(starts, placeOf).values()].flatMap((own) => {
    const at = own.map(({ callId, attempt }) => positions.get(`${callId} ${attempt}`) ?? 0);
    return own.filter((_start, index) => (at[index - 1] ?? 0) > (at[index] ?? 0));
  });
  return [
    ...claims
      .filter(({ turn, turn_waiting }) => turn_waiting !== null && turn_waiting < turn)
      .map(({ id, turn, turn_waiting }) =>
        found(`${id} of turn ${turn} was claimed before the one of turn ${turn_waiting}`),
      ),
    ...claims
      .filter(({ claim_late_ms }) => claim_late_ms >= 0)
      .map(({ id, claim_late_ms }) =>
        findingOf('calls', 'C1')(`${id} was claimed ${claim_late_ms} ms past its claim limit`),
      ),
    ...late.map(({ callId }) => found(`${callId} was started after one that was claimed later`)),
  ];
}

/** No more attempts run at a time than the function allows. */
function checkRunning(evidence: Evidence): SimulationFinding[] {
  const found = findingOf('calls', 'C8');
  return [...grouped(evidence.ledger, placeOf)].flatMap(([place, entries]) => {
    const most = mostRunning(entries);
    const allowed = specOf(evidence, entries[0]?.source ?? '')?.concurrency ?? 0;
    return most > allowed ? [found(`${most} attempts of ${place} ran at once, of ${allowed}`)] : [];
  });
}

function mostRunning(entries: readonly LedgerEntry[]): number {
  let [running, most] = [0, 0];
  for (const { what } of entries) {
    if (what === 'started') running++;
    if (what === 'ended') running--;
    most = Math.max(most, running);
  }
  return most;
}

function placeOf({ source, process }: LedgerEntry): string {
  return `${source} in process ${process}`;
}
