// Audit of calls: each check of what ran outside can fail (see audit.test.ts).

import { describe, expect, it } from 'vitest';
import type { LedgerEntry } from '../kit/index.ts';
import { calls } from '../kit/simulation/audit/calls.ts';
import type { Evidence } from '../kit/simulation/audit/evidence.ts';
import { outcomes } from '../kit/simulation/audit/outcomes.ts';
import { tampering } from './support/tampering.ts';

const audit = tampering();

/** A call of this class that ended as it should, and its entries in the ledger. */
function callOf(kind: LedgerEntry['class']) {
  // The last one: what is said of it a second time comes behind no other of its source.
  const sql =
    "SELECT * FROM calls WHERE class = ? AND status = 'done' AND attempt = 1 ORDER BY source, turn DESC";
  const { id } = audit.first(sql, kind);
  const own = audit.run.evidence.ledger.filter(({ callId }) => callId === id);
  return { id: String(id), own };
}

/** The ledger with what is said here of this call, in the places in which the call had its entries. */
function ledgerWith(id: string, own: readonly LedgerEntry[]): Partial<Evidence> {
  const { ledger } = audit.run.evidence;
  const left = [...own];
  const last = ledger.findLastIndex(({ callId }) => callId === id);
  const changed = ledger.flatMap((entry, index) => {
    if (entry.callId !== id) return [entry];
    return index === last ? left.splice(0) : left.splice(0, 1);
  });
  return { ledger: [...changed, ...left] };
}

describe('calls', () => {
  it('[simulate] finds a call that was started before its claim was on disk', () => {
    const { id, own } = callOf('effect');
    const changed = own.map((entry) =>
      entry.what === 'started' ? { ...entry, wasClaimed: false } : entry,
    );
    expect(audit.findings(calls, '', ledgerWith(id, changed))).toEqual([
      `calls K3: ${id} (effect) was started before its claim was on disk`,
    ]);
  });

  it('[simulate] finds a call that no step ordered', () => {
    const { own } = callOf('effect');
    const changed = own.map((entry) => ({ ...entry, callId: 'order/a1#stray@1' }));
    expect(
      audit.findings(calls, '', ledgerWith('', [...audit.run.evidence.ledger, ...changed])),
    ).toContain('calls K3: order/a1#stray@1 was started, and no step ordered it');
  });

  it('[simulate] finds an effect that ran and happened twice', () => {
    const { id, own } = callOf('effect');
    const again = own.map((entry) => ({ ...entry, attempt: 2 }));
    const sql = `UPDATE calls SET attempt = 2 WHERE id = '${id}'`;
    expect(audit.findings(calls, sql, ledgerWith(id, [...own, ...again]))).toEqual([
      `calls C5: ${id} (effect) was started 2 times`,
      `calls C5: ${id} (effect) happened 2 times`,
    ]);
  });

  it('[simulate] finds one attempt that was started twice, and one that the store does not know', () => {
    const { id, own } = callOf('read');
    expect(audit.findings(calls, '', ledgerWith(id, [...own, ...own]))).toEqual([
      `calls C1: ${id} (read) started one attempt twice`,
    ]);
    const unknown = own.map((entry) => ({ ...entry, attempt: 2 }));
    expect(audit.findings(calls, '', ledgerWith(id, [...own, ...unknown]))).toEqual([
      `calls C1: ${id} (read) started an attempt that is not in the store`,
    ]);
  });

  it('[simulate] finds a repetition that began before the earlier attempt had ended', () => {
    const { id, own } = callOf('replayable');
    const second = own.map((entry) => ({ ...entry, attempt: 2 }));
    const entries = [...own.filter(({ what }) => what !== 'ended'), ...second];
    const sql = `UPDATE calls SET attempt = 2 WHERE id = '${id}'`;
    expect(audit.findings(calls, sql, ledgerWith(id, entries))).toEqual([
      `calls C3: ${id} (replayable) ran again before the earlier attempt had ended`,
      expect.stringMatching(/^calls C8: 2 attempts of ship in process \d+ ran at once, of 1$/),
    ]);
  });

  it.each(['failed', 'notStarted'])(
    '[simulate] finds a call that is %s, and it happened',
    (status) => {
      const { id } = callOf('effect');
      const sql = `UPDATE calls SET status = '${status}' WHERE id = '${id}'`;
      expect(audit.findings(calls, sql)).toContain(
        `calls C1: ${id} (effect) is ${status}, and it happened`,
      );
    },
  );

  it('[simulate] finds a call that is done and never happened', () => {
    const { id, own } = callOf('effect');
    const entries = own.filter(({ what }) => what !== 'reached');
    expect(audit.findings(calls, '', ledgerWith(id, entries))).toEqual([
      `calls C6: ${id} (effect) is done, and it never happened`,
    ]);
  });

  it('[simulate] finds a call that is unknown, and nobody ever claimed it', () => {
    const { id } = callOf('effect');
    const sql = `UPDATE calls SET status = 'unknown', attempt = 0 WHERE id = '${id}'`;
    expect(audit.findings(calls, sql, ledgerWith(id, []))).toEqual([
      `calls C1: ${id} (effect) is unknown, and nobody ever claimed it`,
    ]);
  });

  it('[simulate] finds a call that is notStarted, and it was started', () => {
    const { id, own } = callOf('read');
    const sql = `UPDATE calls SET status = 'notStarted' WHERE id = '${id}'`;
    const started = ledgerWith(
      id,
      own.filter(({ what }) => what === 'started'),
    );
    expect(audit.findings(calls, sql, started)).toEqual([
      `calls C1: ${id} (read) is notStarted, and it was started`,
    ]);
  });

  it('[simulate] finds more attempts at once than are allowed', () => {
    const { own } = callOf('replayable');
    const [start] = own;
    if (start === undefined) throw new Error('the call never started');
    const others = [2, 3].map((number) => ({ ...start, callId: `order/a1#ship@${number}` }));
    const ledger = [start, ...others].map((entry) => ({ ...entry, process: 77 }));
    expect(audit.findings(calls, '', { ledger })).toContain(
      'calls C8: 3 attempts of ship in process 77 ran at once, of 1',
    );
  });

  it('[simulate] finds a claim out of turn, one past its limit, and starts in another order', () => {
    const { position, id, turn } = audit.first(
      "SELECT * FROM audit_calls WHERE status = 'claimed'",
    );
    const turned = `UPDATE audit_calls SET turn_waiting = turn - 1 WHERE position = ${position}`;
    expect(audit.findings(calls, turned)).toEqual([
      `calls C8: ${id} of turn ${turn} was claimed before the one of turn ${Number(turn) - 1}`,
    ]);
    const late = `UPDATE audit_calls SET claim_late_ms = 7 WHERE position = ${position}`;
    expect(audit.findings(calls, late)).toEqual([
      `calls C1: ${id} was claimed 7 ms past its claim limit`,
    ]);
    const reversed = audit.run.evidence.ledger.toReversed();
    expect(audit.findings(calls, '', { ledger: reversed })).toContainEqual(
      expect.stringMatching(/^calls C8: .* was started after one that was claimed later$/),
    );
  });
});

describe('outcomes', () => {
  it('[simulate] finds an answer that is not what its attempt said, and one that came twice', () => {
    const { id } = callOf('effect');
    const other = `UPDATE audit_messages SET event = '{"output":7}' WHERE sender = '${id}'`;
    expect(audit.findings(outcomes, other)).toEqual([
      expect.stringContaining(`outcomes C4: ${id} answered 7; its attempt 1 said`),
    ]);
    const twice = `INSERT INTO audit_messages(actor, sender, event, kind, ready_at, after_row)
      SELECT actor, sender, event, kind, ready_at, after_row FROM audit_messages WHERE sender = '${id}'`;
    expect(audit.findings(outcomes, twice)).toEqual([`outcomes C4: ${id} was answered 2 times`]);
  });

  it('[simulate] finds an actor that heard something else than the store says', () => {
    const { id } = audit.first("SELECT id FROM calls WHERE status = 'failed' AND class = 'read'");
    const sql = `UPDATE audit_messages SET event = json_set(event, '$.error.outcome', 'unknown') WHERE sender = '${id}'`;
    expect(audit.findings(outcomes, sql)).toEqual([
      `outcomes C4: ${id} is failed, and its actor heard unknown`,
    ]);
  });

  /** What is found when the one attempt of a call is said to have ended in another way. */
  function endedAs(kind: LedgerEntry['class'], end: LedgerEntry['end'], status: string) {
    const { id, own } = callOf(kind);
    const changed = own.map((entry) =>
      entry.what === 'ended' && end !== undefined ? { ...entry, end } : entry,
    );
    const sql = `UPDATE calls SET status = '${status}' WHERE id = '${id}';
      DELETE FROM audit_messages WHERE sender = '${id}';
      UPDATE audit_calls SET status = '${status}' WHERE id = '${id}' AND before = 'claimed'`;
    return audit
      .findings(outcomes, sql, ledgerWith(id, changed))
      .map((found) => found.replace(id, 'it'));
  }

  it('[simulate] finds a fitting answer that was not believed, and one of another form that was', () => {
    expect(endedAs('effect', undefined, 'unknown')).toEqual([
      'outcomes C6: attempt 1 of it (effect) gave a fitting answer, and is unknown',
    ]);
    expect(endedAs('effect', { kind: 'answered', output: { odd: true } }, 'done')).toEqual([
      'outcomes C6: attempt 1 of it (effect) gave no fitting answer, and is done',
    ]);
  });

  it('[simulate] finds more and less certainty than an attempt gave', () => {
    const cut = { kind: 'cut', by: 'time_limit', why: '' } as const;
    expect(endedAs('effect', cut, 'failed')).toEqual([
      'outcomes C3: attempt 1 of it (effect) left it open, and is failed',
    ]);
    expect(endedAs('effect', cut, 'ordered')).toEqual([
      'outcomes C5: attempt 1 of it (effect) may have happened, and is ordered',
    ]);
    const error = { code: 'refused', message: '', outcome: 'failed' } as const;
    expect(endedAs('effect', { kind: 'threw', error }, 'unknown')).toEqual([
      'outcomes C3: attempt 1 of it (effect) said that nothing happened, and is unknown',
    ]);
  });

  it('[simulate] finds a call that was settled while its attempt ran', () => {
    const { id, own } = callOf('effect');
    const running = own.filter(({ what }) => what !== 'ended');
    expect(audit.findings(outcomes, '', ledgerWith(id, running))).toContain(
      `outcomes C3: attempt 1 of ${id} (effect) had not ended, and is done`,
    );
  });

  it('[simulate] finds a cancelled call that was never aborted, unless its host stood still', () => {
    const { id, passed } =
      audit.first(`SELECT id, passed_at AS passed FROM audit_calls c WHERE status = 'cancelling' AND is_host_there = 1
      AND EXISTS (SELECT 1 FROM audit_calls d WHERE d.id = c.id AND d.before = 'cancelling' AND d.is_host_there = 1
        AND d.passed_at > c.passed_at)`);
    const own = audit.run.evidence.ledger.filter(({ callId }) => callId === id);
    const deaf = own
      .filter(({ what }) => what !== 'aborted')
      .map((entry) =>
        entry.what === 'ended'
          ? {
              ...entry,
              passedMs: Number(passed) + 2,
              end: { kind: 'answered' as const, output: 7 },
            }
          : entry,
      );
    const changed = ledgerWith(String(id), deaf);
    const found = `outcomes C7: ${id} was cancelled and never aborted`;
    const group = { process: deaf[0]?.process ?? 0, passedMs: Number(passed) + 1 };
    expect(audit.findings(outcomes, '', { ...changed, groups: [group] })).toContain(found);
    expect(audit.findings(outcomes, '', { ...changed, groups: [] })).not.toContain(found);
  });

  it('[simulate] finds a call that answered after it was cancelled', () => {
    const { row, actor, incarnation } =
      audit.first(`SELECT j.seq AS row, j.actor, e.value ->> 'incarnation' AS incarnation
      FROM journal j, json_each(j.effects) e WHERE j.kind = 'step' AND e.value ->> 'kind' = 'cancelCall'
        AND (j.actor || '#' || (e.value ->> 'incarnation')) NOT IN
          (SELECT sender FROM audit_messages WHERE kind = 'call')`);
    const id = `${actor}#${incarnation}`;
    const sql = `INSERT INTO audit_messages(actor, sender, event, kind, ready_at, after_row)
      VALUES ('${actor}', '${id}', '{}', 'call', 0, ${row})`;
    expect(audit.findings(outcomes, sql)).toContain(
      `outcomes C7: ${id} was cancelled by row ${row} and answered afterwards`,
    );
  });
});
