// Overdue: when nothing goes wrong any more, nothing that is ready waits, and no call waits longer than its limits.

import { CALL_ABORT_GRACE_MS } from '../../../../actors/limits.ts';
import type { SimulationFinding } from '../options.ts';
import { type Check, type Evidence, findingOf, rowsOf } from './evidence.ts';

export const overdue: Check = (evidence) => [...checkMessages(evidence), ...checkCalls(evidence)];

interface Waiting {
  readonly seq: number;
  readonly kind: string;
  readonly actor: string;
  readonly lateMs: number;
}

/** No message that is ready, or timer that is due, is left but of a stuck actor (V1, T1). */
function checkMessages(evidence: Evidence): SimulationFinding[] {
  const sql = `SELECT m.seq, m.kind, m.actor, ? - m.ready_at AS lateMs FROM messages m LEFT JOIN actors a ON a.id = m.actor
    WHERE ifnull(a.status, '') <> 'stuck' AND (m.kind <> 'timer' OR m.ready_at <= ?)`;
  return rowsOf<Waiting>(evidence, sql, evidence.nowMs, evidence.nowMs).map(
    ({ seq, kind, actor, lateMs }) =>
      findingOf(
        'overdue',
        kind === 'timer' ? 'T1' : 'V1',
      )(`message ${seq} (${kind}) of ${actor} is ready for ${lateMs} ms, and nobody steps it`),
  );
}

interface OpenCall {
  readonly id: string;
  readonly status: 'ordered' | 'claimed' | 'cancelling';
  readonly attempt: number;
  readonly ordered_at: number;
  readonly started_at: number | null;
  readonly limit_ms: number;
  readonly claim_limit_ms: number;
}

/** A call that waits is withdrawn in time (C1); one that runs is started, and ended in time (C3, C7). */
function checkCalls(evidence: Evidence): SimulationFinding[] {
  const { nowMs, ledger } = evidence;
  const starts = ledger.filter(({ what }) => what === 'started');
  const started = new Set(starts.map(({ callId, attempt }) => `${callId} ${attempt}`));
  const sql = "SELECT * FROM calls WHERE status IN ('ordered', 'claimed', 'cancelling')";
  return rowsOf<OpenCall>(evidence, sql).flatMap((call) => {
    const { id, status } = call;
    if (status !== 'ordered' && !started.has(`${id} ${call.attempt}`)) {
      return [findingOf('overdue', 'C1')(`${id} is ${status}, and nobody started it`)];
    }
    const lateMs = nowMs - limitOf(call);
    const rule = { ordered: 'C1', claimed: 'C3', cancelling: 'C7' }[status];
    return lateMs > 0
      ? [findingOf('overdue', rule)(`${id} is ${status} for ${lateMs} ms past its limit`)]
      : [];
  });
}

/** When at the latest it is no longer what it is. */
function limitOf(call: OpenCall): number {
  return call.status === 'ordered'
    ? call.ordered_at + call.claim_limit_ms
    : (call.started_at ?? 0) + call.limit_ms + CALL_ABORT_GRACE_MS;
}
