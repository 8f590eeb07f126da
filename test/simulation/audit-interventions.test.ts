import { describe, expect, it } from 'vitest';
import { consequences } from '../kit/simulation/audit/consequences.ts';
import { interventions } from '../kit/simulation/audit/interventions.ts';
import { messages } from '../kit/simulation/audit/messages.ts';
import { promises } from '../kit/simulation/audit/promises.ts';
import type { AskedIntervention } from '../kit/simulation/operator.ts';
import { tampering } from './support/tampering.ts';

/** A run in which operators have retried, skipped and sent again. */
const audit = tampering(48);

function doneOf(action: AskedIntervention['action']): AskedIntervention {
  const done = audit.run.evidence.interventions.find(
    (each) => each.action === action && each.answer === 'done',
  );
  if (done === undefined) throw new Error(`the run has no ${action}`);
  return done;
}

/** The same, but one of them was told something else. */
function told(one: AskedIntervention, answer: AskedIntervention['answer']) {
  const { interventions: all } = audit.run.evidence;
  return { interventions: all.map((each) => (each === one ? { ...one, answer } : each)) };
}

describe('interventions (J5)', () => {
  it('[simulate] finds nothing in a clean run, in which operators have intervened', () => {
    expect(doneOf('retry')).toBeDefined();
    const checks = [interventions, consequences, messages, promises];

    expect(checks.flatMap((check) => audit.findings(check, ''))).toEqual([]);
  });

  it('[simulate] finds what was told to be done and is not in the journal', () => {
    const { by, address } = doneOf('skip');
    const sql = `DELETE FROM journal WHERE kind = 'intervention' AND event ->> 'by' = '${by}'`;
    expect(audit.findings(interventions, sql)).toContain(
      `interventions J5: skip of ${address} by ${by} was done, and no row tells of it`,
    );
  });

  it('[simulate] finds what was refused and done all the same, and what nobody had asked for', () => {
    const retry = doneOf('retry');
    expect(
      audit.findings(interventions, '', told(retry, { refused: 'revision_conflict' })).join(),
    ).toContain(`retry of ${retry.address} by ${retry.by} was answered revision_conflict, and row`);
    const others = audit.run.evidence.interventions.filter((each) => each !== retry);
    expect(audit.findings(interventions, '', { interventions: others }).join()).toContain(
      `is by ${retry.by}, who asked for nothing`,
    );
  });

  it('[simulate] finds a row that tells of another reason, of another revision, and one that is doubled', () => {
    const { by, address, revision } = doneOf('retry');
    const changed = (set: string) =>
      audit
        .findings(interventions, `UPDATE journal SET ${set} WHERE event ->> 'by' = '${by}'`)
        .join();
    const ought = `was asked for: ${address}, troupe.retry, retry, ${revision}, ${revision}`;
    expect(changed("event = json_set(event, '$.reason', 'boredom')")).toContain(ought);
    expect(changed("event = json_set(event, '$.revision', 1)")).toContain(ought);
    const doubled = `INSERT INTO journal(actor, at, kind, event)
      SELECT actor, at, kind, event FROM journal WHERE event ->> 'by' = '${by}'`;
    expect(audit.findings(interventions, doubled)).toContain(
      `interventions J5: retry of ${address} by ${by} has 2 rows`,
    );
  });

  it('[simulate] finds a message that was put aside and no operator did it', () => {
    const { by } = doneOf('skip');
    const sql = `DELETE FROM journal WHERE kind = 'intervention' AND event ->> 'by' = '${by}'`;
    expect(audit.findings(messages, sql).join()).toContain('with skipped, and it was stuck');
  });

  it('[simulate] finds a message that was sent again with another payload, and one that nobody sent again', () => {
    const { by } = doneOf('redeliver');
    const row = `(SELECT seq FROM journal WHERE event ->> 'by' = '${by}')`;
    const other = `UPDATE audit_messages SET event = '{"type":"OTHER"}' WHERE cause = ${row}`;
    expect(audit.findings(consequences, other).join()).toContain('{"type":"OTHER"} was written');
    const lost = `DELETE FROM audit_messages WHERE cause = ${row}`;
    expect(audit.findings(consequences, lost).join()).toContain('and nothing was written');
  });
});
