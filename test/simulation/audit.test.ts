// Audit: each check of the simulation can fail. One clean run is tampered with, and the check names exactly what was done.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LedgerEntry, workload } from '../kit/index.ts';
import { answers } from '../kit/simulation/audit/answers.ts';
import { armings } from '../kit/simulation/audit/armings.ts';
import { calls } from '../kit/simulation/audit/calls.ts';
import { checkAll } from '../kit/simulation/audit/checks.ts';
import { consequences } from '../kit/simulation/audit/consequences.ts';
import type { Check, Evidence } from '../kit/simulation/audit/evidence.ts';
import { hosts, integrity } from '../kit/simulation/audit/integrity.ts';
import { messages } from '../kit/simulation/audit/messages.ts';
import { order } from '../kit/simulation/audit/order.ts';
import { promises } from '../kit/simulation/audit/promises.ts';
import { replays } from '../kit/simulation/audit/replays.ts';
import { overdue, waiting } from '../kit/simulation/audit/waiting.ts';
import type { Asked } from '../kit/simulation/client.ts';
import { type OpenRun, simulateOpen } from '../kit/simulation/simulate.ts';

let run: OpenRun;

beforeAll(async () => {
  run = await simulateOpen({ ...workload(), seed: 1, steps: 200 });
}, 60_000);

afterAll(() => run.close());

/** What a check finds once something was changed. The store is then as it was. */
function findings(check: Check, sql: string, changed: Partial<Evidence> = {}): readonly string[] {
  const { connection } = run.evidence;
  connection.exec('SAVEPOINT tampering');
  try {
    connection.exec(sql);
    return check({ ...run.evidence, ...changed }).map(
      ({ check: name, rule, message }) => `${name} ${rule}: ${message}`,
    );
  } finally {
    connection.exec('ROLLBACK TO tampering; RELEASE tampering');
  }
}

/** The first row of a query: the tests need one of its kind. */
function first(sql: string, ...parameters: unknown[]): Record<string, never> {
  const row = run.evidence.connection.prepare(sql).get(...parameters);
  if (row === undefined) throw new Error(`the run has no row for: ${sql}`);
  return row as Record<string, never>;
}

const STEP_OF = (origin: string) =>
  `SELECT * FROM journal WHERE kind = 'step' AND origin = '${origin}'`;

it('[simulate] finds nothing in a clean run', () => {
  expect(run.report.findings).toEqual([]);
  expect(checkAll('alive', run.evidence)).toEqual([]);
  expect(checkAll('closed', run.evidence)).toEqual([]);
});

describe('integrity', () => {
  it('[simulate] finds a revision without a step', () => {
    const sql = "UPDATE actors SET revision = revision + 1 WHERE id = 'order/a1'";
    expect(findings(integrity, sql)).toEqual([
      expect.stringMatching(/^integrity K4: order\/a1 is at revision \d+, and its journal has/),
    ]);
  });

  it('[simulate] finds a doubled journal row', () => {
    const sql = `INSERT INTO journal(actor, revision, at, kind)
      SELECT actor, revision, at, kind FROM journal WHERE kind = 'step' AND actor = 'order/a1' LIMIT 1`;
    expect(findings(integrity, sql)).toEqual([expect.stringContaining('order/a1 is at revision')]);
  });
});

describe('hosts', () => {
  it('[simulate] finds a row that a host has left', () => {
    const sql = "INSERT INTO hosts VALUES ('gone', 'file', 1, 2, 1, 0, 0)";
    expect(findings(hosts, sql)).toEqual(['hosts V4: the row of gone is left']);
  });

  it.each(['claimed', 'cancelling'])('[simulate] finds a call that is still %s', (status) => {
    const { id } = first('SELECT id FROM calls');
    const sql = `UPDATE calls SET status = '${status}' WHERE id = '${id}'`;
    expect(findings(hosts, sql)).toEqual([`hosts V9: ${id} is still ${status}`]);
  });
});

describe('messages', () => {
  it('[simulate] finds a lost message', () => {
    const { seq } = first("SELECT seq FROM messages WHERE kind = 'timer'");
    expect(findings(messages, `DELETE FROM messages WHERE seq = ${seq}`)).toEqual([
      expect.stringMatching(new RegExp(`^messages M4: message ${seq} .* is lost$`)),
    ]);
  });

  it('[simulate] finds a message that was stepped and still waits', () => {
    const { message, actor } = first(STEP_OF('event'));
    const sql = `INSERT INTO messages(seq, actor, machine, event, kind, ready_at)
      VALUES (${message}, '${actor}', 'order', '{}', 'event', 0)`;
    expect(findings(messages, sql)).toEqual([
      expect.stringMatching(`message ${message} .* has more than one fate: step, waits`),
    ]);
  });

  it('[simulate] finds a step of a message that was never written', () => {
    const { seq } = first(STEP_OF('event'));
    const found = findings(messages, `UPDATE journal SET message = 999999 WHERE seq = ${seq}`);
    expect(found).toContain('messages M4: message 999999 was never written');
    expect(found).toHaveLength(2);
  });
});

describe('order', () => {
  it('[simulate] finds a timer that fired early', () => {
    const { seq, message } = first(STEP_OF('timer'));
    const sql = `UPDATE audit_journal SET wall_at =
      (SELECT ready_at - 5 FROM audit_messages WHERE seq = ${message}) WHERE seq = ${seq}`;
    expect(findings(order, sql)).toContainEqual(
      expect.stringMatching(`^order T1: message ${message} of .* was stepped 5 ms before`),
    );
  });

  it('[simulate] finds two messages that were stepped in the wrong order', () => {
    const { early, late, one, two } =
      first(`SELECT a.seq AS early, b.seq AS late, a.message AS one, b.message AS two
      FROM journal a JOIN journal b ON b.actor = a.actor AND b.revision = a.revision + 1
      WHERE a.origin = 'event' AND b.origin = 'event' AND a.message < b.message AND a.kind = 'step' AND b.kind = 'step'`);
    const sql = `UPDATE journal SET message = CASE seq WHEN ${early} THEN ${two} ELSE ${one} END
      WHERE seq IN (${early}, ${late})`;
    expect(findings(order, sql)).toContainEqual(
      expect.stringMatching(`^order T4: message ${one} of .* was stepped after ${two}$`),
    );
  });
});

describe('consequences', () => {
  it('[simulate] finds what was ordered and not written', () => {
    const { seq, cause, incarnation } = first(
      "SELECT * FROM audit_messages WHERE kind = 'timer' AND cause IS NOT NULL",
    );
    const found = findings(consequences, `DELETE FROM audit_messages WHERE seq = ${seq}`);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(`consequences K2: journal row ${cause} ordered`);
    expect(found[0]).toContain(`timer ${incarnation}`);
  });

  it('[simulate] finds what was written and not ordered', () => {
    const { seq, actor } = first("SELECT * FROM journal WHERE kind = 'step' AND effects IS NULL");
    const sql = `INSERT INTO messages(actor, machine, event, kind, ready_at, cause)
      VALUES ('${actor}', 'order', '{}', 'event', 0, ${seq})`;
    expect(findings(consequences, sql)).toEqual([
      `consequences K2: journal row ${seq} ordered nothing, and event to ${actor} was written`,
    ]);
  });
});

describe('answers', () => {
  it('[simulate] finds an answer that moved an actor which did not wait for it', () => {
    const { seq, actor, incarnation } = first(STEP_OF('call'));
    const sql = `UPDATE journal SET incarnation = 'other@1' WHERE seq = ${seq}`;
    expect(findings(answers, sql)).toEqual([
      `answers C4: call other@1 of ${actor} (row ${seq}) moved its actor, which did not wait for it`,
    ]);
    expect(incarnation).not.toBe('other@1');
  });

  it('[simulate] finds a timer that fired twice', () => {
    const { seq, actor, incarnation } = first(`${STEP_OF('timer')} AND sender = actor`);
    const sql = `INSERT INTO journal(actor, at, kind, origin, incarnation, sender)
      VALUES ('${actor}', 0, 'step', 'timer', '${incarnation}', '${actor}')`;
    expect(findings(answers, sql)).toEqual([
      expect.stringMatching(/^answers T2: timer .* moved its actor, which did not wait for it$/),
    ]);
    expect(seq).toBeGreaterThan(0);
  });

  it('[simulate] finds an answer that was dismissed while it was awaited', () => {
    const { seq } = first(STEP_OF('call'));
    expect(findings(answers, `UPDATE journal SET kind = 'late' WHERE seq = ${seq}`)).toContainEqual(
      expect.stringMatching(/^answers C4: call .* was dismissed as late, and it was awaited$/),
    );
  });
});

describe('armings', () => {
  it('[simulate] finds a timer that is waited for and not there', () => {
    const { seq, incarnation } = first(
      "SELECT * FROM messages WHERE kind = 'timer' AND sender = actor",
    );
    const found = findings(armings, `DELETE FROM messages WHERE seq = ${seq}`);
    expect(found).toEqual([
      expect.stringMatching(/^armings T2: timer .* is armed, and there 0 times$/),
    ]);
    expect(found[0]).toContain(incarnation);
  });

  it('[simulate] finds a timer, a call and a child for which nobody waits', () => {
    const sql = `INSERT INTO messages(actor, machine, sender, event, kind, ready_at, incarnation)
        VALUES ('order/a1', 'order', 'order/a1', '{}', 'timer', 0, 'stray@1');
      INSERT INTO calls(id, actor, incarnation, source, class, attempt, status, ordered_at, turn, limit_ms, claim_limit_ms)
        VALUES ('order/a1#stray@1', 'order/a1', 'stray@1', 'quote', 'read', 0, 'ordered', 0, 0, 1, 1);
      INSERT INTO actors(id, machine, machine_version, parent, revision, status, created_at, updated_at)
        VALUES ('bell/stray', 'bell', 1, 'order/a1', 0, 'active', 0, 0);`;
    expect(findings(armings, sql)).toEqual([
      'armings T2: timer order/a1 stray@1 is there, and nobody waits for it',
      'armings C1: call order/a1#stray@1 is there, and nobody waits for it',
      'armings K9: child bell/stray is there, and nobody waits for it',
    ]);
  });
});

describe('calls', () => {
  /** A call of this class that ended as it should, and its entries in the ledger. */
  function callOf(kind: LedgerEntry['class']) {
    const sql = "SELECT * FROM calls WHERE class = ? AND status = 'done' AND attempt = 1";
    const { id } = first(sql, kind);
    const own = run.evidence.ledger.filter(({ callId }) => callId === id);
    return { id: String(id), own };
  }

  /** The ledger without what it says of this call, and with what is said here instead. */
  function ledgerWith(id: string, own: readonly LedgerEntry[]): Partial<Evidence> {
    const others = run.evidence.ledger.filter(({ callId }) => callId !== id);
    return { ledger: [...others, ...own] };
  }

  it('[simulate] finds a call that was started before its claim was on disk', () => {
    const { id, own } = callOf('effect');
    const changed = own.map((entry) =>
      entry.what === 'started' ? { ...entry, wasClaimed: false } : entry,
    );
    expect(findings(calls, '', ledgerWith(id, changed))).toEqual([
      `calls K3: ${id} (effect) was started before its claim was on disk`,
    ]);
  });

  it('[simulate] finds a call that no step ordered', () => {
    const { own } = callOf('effect');
    const changed = own.map((entry) => ({ ...entry, callId: 'order/a1#stray@1' }));
    expect(findings(calls, '', ledgerWith('', [...run.evidence.ledger, ...changed]))).toContain(
      'calls K3: order/a1#stray@1 was started, and no step ordered it',
    );
  });

  it('[simulate] finds an effect that ran and happened twice', () => {
    const { id, own } = callOf('effect');
    const again = own.map((entry) => ({ ...entry, attempt: 2 }));
    const sql = `UPDATE calls SET attempt = 2 WHERE id = '${id}'`;
    expect(findings(calls, sql, ledgerWith(id, [...own, ...again]))).toEqual([
      `calls C5: ${id} (effect) was started 2 times`,
      `calls C5: ${id} (effect) happened 2 times`,
    ]);
  });

  it('[simulate] finds one attempt that was started twice, and one that the store does not know', () => {
    const { id, own } = callOf('read');
    expect(findings(calls, '', ledgerWith(id, [...own, ...own]))).toEqual([
      `calls C1: ${id} (read) started one attempt twice`,
    ]);
    const unknown = own.map((entry) => ({ ...entry, attempt: 2 }));
    expect(findings(calls, '', ledgerWith(id, [...own, ...unknown]))).toEqual([
      `calls C1: ${id} (read) started an attempt that is not in the store`,
    ]);
  });

  it('[simulate] finds a repetition that began before the earlier attempt had ended', () => {
    const { id, own } = callOf('replayable');
    const second = own.map((entry) => ({ ...entry, attempt: 2 }));
    const entries = [...own.filter(({ what }) => what !== 'ended'), ...second];
    const sql = `UPDATE calls SET attempt = 2 WHERE id = '${id}'`;
    expect(findings(calls, sql, ledgerWith(id, entries))).toEqual([
      `calls C3: ${id} (replayable) ran again before the earlier attempt had ended`,
    ]);
  });

  it.each(['failed', 'notStarted'])(
    '[simulate] finds a call that is %s, and it happened',
    (status) => {
      const { id } = callOf('effect');
      const sql = `UPDATE calls SET status = '${status}' WHERE id = '${id}'`;
      expect(findings(calls, sql)).toContain(
        `calls C1: ${id} (effect) is ${status}, and it happened`,
      );
    },
  );

  it('[simulate] finds a call that is done and never happened', () => {
    const { id, own } = callOf('effect');
    const entries = own.filter(({ what }) => what !== 'reached');
    expect(findings(calls, '', ledgerWith(id, entries))).toEqual([
      `calls C6: ${id} (effect) is done, and it never happened`,
    ]);
  });

  it('[simulate] finds a call that is unknown, and nobody ever claimed it', () => {
    const { id } = callOf('effect');
    const sql = `UPDATE calls SET status = 'unknown', attempt = 0 WHERE id = '${id}'`;
    expect(findings(calls, sql, ledgerWith(id, []))).toEqual([
      `calls C1: ${id} (effect) is unknown, and nobody ever claimed it`,
    ]);
  });

  it('[simulate] finds an answer that is not what its attempt said, and one that came twice', () => {
    const { id } = callOf('effect');
    const other = `UPDATE audit_messages SET event = '{"output":7}' WHERE sender = '${id}'`;
    expect(findings(calls, other)).toEqual([
      expect.stringContaining(`calls C4: ${id} answered 7; its attempt 1 said`),
    ]);
    const twice = `INSERT INTO audit_messages(actor, sender, event, kind, ready_at)
      SELECT actor, sender, event, kind, ready_at FROM audit_messages WHERE sender = '${id}'`;
    expect(findings(calls, twice)).toEqual([`calls C4: ${id} was answered 2 times`]);
  });
});

describe('promises', () => {
  /** A send that has its receipt. */
  function sent(): Asked & { readonly wish: { readonly kind: 'send' } } {
    const found = run.evidence.asked.find(
      ({ wish, answer }) => wish.kind === 'send' && answer !== undefined && 'seq' in answer,
    );
    if (found === undefined) throw new Error('the run has no send');
    return found as ReturnType<typeof sent>;
  }

  it('[simulate] finds a request that nobody answered, or refused for no known reason', () => {
    const asked = sent();
    const { messageId } = asked.wish as { readonly messageId?: string };
    expect(findings(promises, '', { asked: [{ ...asked, answer: undefined }] })).toEqual([
      `promises M1: nobody ever answered send ${messageId}`,
    ]);
    const refused = { ...asked, answer: { refused: 'no typed error' } };
    expect(findings(promises, '', { asked: [refused] })).toEqual([
      `promises M1: send ${messageId} was refused with no typed error`,
    ]);
  });

  it('[simulate] finds another answer to the same question', () => {
    const asked = { ...sent(), otherAnswers: ['{"seq":7}'] };
    expect(findings(promises, '', { asked: [asked] })).toEqual([
      expect.stringMatching(/^promises M3: m\d+ was answered \{"seq":\d+\} and then \{"seq":7\}$/),
    ]);
  });

  it('[simulate] finds a receipt whose message is not there', () => {
    const { messageId } = sent().wish as { readonly messageId?: string };
    const sql = `DELETE FROM audit_messages WHERE id = '${messageId}'`;
    expect(findings(promises, sql)).toEqual([
      expect.stringMatching(
        `^promises M3: ${messageId} has the receipt \\d+, and the store has nothing$`,
      ),
    ]);
  });

  it('[simulate] finds an actor that was promised and never born', () => {
    const sql = "DELETE FROM audit_messages WHERE actor = 'order/a1' AND kind = 'init'";
    expect(findings(promises, sql)).toEqual(['promises M1: order/a1 was born 0 times']);
  });
});

describe('replays', () => {
  it('[simulate] finds a changed snapshot', () => {
    const sql = `UPDATE actors SET snapshot = json_set(snapshot, '$.context.nudges', 777) WHERE id = 'order/a1'`;
    expect(findings(replays, sql)).toEqual([
      expect.stringMatching(
        /^replays K1: order\/a1: row \d+ differs in snapshot: \$\.context\.nudges is 777, its replay \d+$/,
      ),
    ]);
  });

  it('[simulate] finds a changed journal row', () => {
    const { seq, actor } = first(
      "SELECT * FROM journal WHERE kind = 'step' AND effects IS NOT NULL",
    );
    expect(findings(replays, `UPDATE journal SET effects = NULL WHERE seq = ${seq}`)).toEqual([
      expect.stringContaining(
        `replays K1: ${actor}: row ${seq} differs in effects: $ is nothing, its replay`,
      ),
    ]);
  });
});

describe('overdue', () => {
  it.each([
    ['event', 'V1'],
    ['timer', 'T1'],
  ])('[simulate] finds a %s that is ready and not stepped', (kind, rule) => {
    const { id } = first("SELECT id FROM actors WHERE status = 'active'");
    const sql = `INSERT INTO messages(seq, actor, machine, event, kind, ready_at)
      VALUES (888888, '${id}', 'order', '{}', '${kind}', ${run.evidence.nowMs - 3})`;
    expect(findings(overdue, sql)).toEqual([
      `overdue ${rule}: message 888888 (${kind}) of ${id} is ready for 3 ms, and nobody steps it`,
    ]);
  });
});

describe('waiting', () => {
  const change = (columns: string) => {
    const { id } = first("SELECT id FROM actors WHERE status = 'active'");
    return { id, sql: `UPDATE actors SET ${columns} WHERE id = '${id}'` };
  };

  it('[simulate] finds an actor that waits for nothing', () => {
    const none = '{"timers":{},"calls":{},"actors":{}}';
    const { id, sql } = change(`armings = '${none}', revision = 0`);
    expect(findings(waiting, sql)).toEqual([
      expect.stringMatching(`^waiting V6: ${id} is in .* and waits for nothing that could come$`),
    ]);
  });

  it('[simulate] finds an actor that is stuck without a reason, or by a bug', () => {
    const silent = change("status = 'stuck', error = '{}'");
    expect(findings(waiting, silent.sql)).toEqual([
      `waiting K6: ${silent.id} is stuck and does not say why`,
    ]);
    const bug = change(`status = 'stuck', error = '{"code":"assertion_failed"}'`);
    expect(findings(waiting, bug.sql)).toEqual([
      `waiting K6: ${bug.id} is stuck by a bug: {"code":"assertion_failed"}`,
    ]);
  });
});
