// Audit of messages: each check of what was sent can fail (see audit.test.ts).

import { describe, expect, it } from 'vitest';
import { answers } from '../kit/simulation/audit/answers.ts';
import { consequences } from '../kit/simulation/audit/consequences.ts';
import { deadlines } from '../kit/simulation/audit/deadlines.ts';
import { messages } from '../kit/simulation/audit/messages.ts';
import { order } from '../kit/simulation/audit/order.ts';
import { stepOf, tampering } from './support/tampering.ts';

const audit = tampering();

describe('messages', () => {
  it('[simulate] finds a lost message', () => {
    const { seq } = audit.first("SELECT seq FROM messages WHERE kind = 'timer'");
    expect(audit.findings(messages, `DELETE FROM messages WHERE seq = ${seq}`)).toEqual([
      expect.stringMatching(new RegExp(`^messages M4: message ${seq} .* is lost$`)),
    ]);
  });

  it('[simulate] finds a message that was stepped and still waits', () => {
    const { message, actor } = audit.first(stepOf('event'));
    const sql = `INSERT INTO messages(seq, actor, machine, event, kind, ready_at)
      VALUES (${message}, '${actor}', 'order', '{}', 'event', 0)`;
    expect(audit.findings(messages, sql)).toEqual([
      expect.stringMatching(`message ${message} .* has more than one fate: step, waits`),
    ]);
  });

  it('[simulate] finds a timer that was lost before its actor ended', () => {
    const { seq, ending } = audit.first(`SELECT m.seq, max(j.seq) AS ending FROM audit_messages m
      JOIN actors a ON a.id = m.sender AND a.status IN ('done', 'error', 'stopped')
      JOIN journal j ON j.actor = a.id AND j.kind IN ('step', 'stopped') JOIN audit_removed r ON r.seq = m.seq
      WHERE m.kind = 'timer' AND m.seq NOT IN (SELECT message FROM journal WHERE message IS NOT NULL)
      GROUP BY m.seq HAVING r.after_row >= ending - 1`);
    const sql = `UPDATE audit_removed SET after_row = ${ending} - 5 WHERE seq = ${seq}`;
    expect(audit.findings(messages, sql)).toContainEqual(
      expect.stringMatching(`^messages M4: message ${seq} .* is lost$`),
    );
  });

  it('[simulate] finds a message that waits for an actor which has ended, or never was', () => {
    const { id } = audit.first("SELECT id FROM actors WHERE status = 'done'");
    for (const [actor, status] of [
      [id, 'done'],
      ['order/nobody', 'nowhere'],
    ]) {
      const sql = `INSERT INTO messages(seq, actor, machine, event, kind, ready_at, held)
        VALUES (888888, '${actor}', 'order', '{}', 'event', 0, 1)`;
      expect(audit.findings(messages, sql)).toEqual([
        `messages K5: message 888888 waits for ${actor}, which is ${status}`,
      ]);
    }
  });

  it('[simulate] finds a refusal of an actor that was alive, and one with the wrong reason', () => {
    const { seq, actor, reason } = audit.first('SELECT * FROM undeliverable');
    for (const status of ['active', reason === 'actor_final' ? 'stopped' : 'done']) {
      const sql = `UPDATE audit_undeliverable SET status = '${status}' WHERE seq = ${seq}`;
      expect(audit.findings(messages, sql)).toEqual([
        `messages K5: ${actor} refused message ${seq} with ${reason}, and it was ${status}`,
      ]);
    }
  });

  it('[simulate] finds a step of a message that was never written', () => {
    const { seq } = audit.first(stepOf('event'));
    const found = audit.findings(
      messages,
      `UPDATE journal SET message = 999999 WHERE seq = ${seq}`,
    );
    expect(found).toContain('messages M4: message 999999 was never written');
    expect(found).toHaveLength(2);
  });
});

describe('order', () => {
  it('[simulate] finds an answer in time that came after a deadline which was armed before it', () => {
    // One timer, and the next event of its actor: that event arrives, in time, a moment before the timer is due.
    const { message, event, row } =
      audit.first(`SELECT a.message, b.message AS event, a.seq AS row FROM journal a
      JOIN journal b ON b.actor = a.actor AND b.revision = a.revision + 1
      WHERE a.kind = 'step' AND b.kind = 'step' AND a.origin = 'timer' AND b.origin = 'event' AND a.message < b.message`);
    const sql = `UPDATE audit_messages SET after_row = ${row} - 1,
      ready_at = (SELECT ready_at - 1 FROM audit_messages WHERE seq = ${message}) WHERE seq = ${event}`;
    expect(audit.findings(order, sql)).toContainEqual(
      expect.stringMatching(`^order T4: message ${event} of .* was stepped after ${message}$`),
    );
  });

  it('[simulate] finds two messages that were stepped in the wrong order', () => {
    const { early, late, one, two } =
      audit.first(`SELECT a.seq AS early, b.seq AS late, a.message AS one, b.message AS two
      FROM journal a JOIN journal b ON b.actor = a.actor AND b.revision = a.revision + 1
      WHERE a.origin = 'event' AND b.origin = 'event' AND a.message < b.message AND a.kind = 'step' AND b.kind = 'step'`);
    const sql = `UPDATE journal SET message = CASE seq WHEN ${early} THEN ${two} ELSE ${one} END
      WHERE seq IN (${early}, ${late})`;
    expect(audit.findings(order, sql)).toContainEqual(
      expect.stringMatching(`^order T4: message ${one} of .* was stepped after ${two}$`),
    );
  });
});

describe('deadlines', () => {
  it('[simulate] finds a timer that is due later than its step said', () => {
    const { seq, cause } = audit.first("SELECT * FROM audit_messages WHERE kind = 'timer'");
    const sql = `UPDATE audit_messages SET ready_at = ready_at + 1 WHERE seq = ${seq}`;
    expect(audit.findings(deadlines, sql)).toContainEqual(
      expect.stringMatching(
        `^deadlines T1: timer ${seq} is due \\d+ ms after row ${cause}, which said \\d+ ms$`,
      ),
    );
  });

  it('[simulate] finds a timer that fired early', () => {
    const { seq, message } = audit.first(stepOf('timer'));
    const sql = `UPDATE audit_journal SET wall_at =
      (SELECT ready_at - 5 FROM audit_messages WHERE seq = ${message}) WHERE seq = ${seq}`;
    expect(audit.findings(deadlines, sql)).toContainEqual(
      expect.stringMatching(`^deadlines T1: timer ${message} of .* was stepped 5 ms before`),
    );
  });

  it('[simulate] finds a timer that fired a minute late', () => {
    const { seq, message, at, entered } = audit.first(`SELECT j.seq, j.message, w.passed_at AS at,
        (SELECT max(passed_at) FROM audit_hosts h WHERE h.passed_at <= w.passed_at) AS entered
      FROM journal j JOIN audit_journal w ON w.seq = j.seq
      WHERE j.kind = 'step' AND j.origin = 'timer' ORDER BY j.seq DESC`);
    // Both clocks of that row and all after it, and all that was written meanwhile.
    const sql = `UPDATE audit_journal SET wall_at = wall_at + 60000, passed_at = passed_at + 60000 WHERE seq >= ${seq}`;
    expect(Number(at)).toBeGreaterThanOrEqual(Number(entered));
    expect(audit.findings(deadlines, sql)).toContainEqual(
      expect.stringMatching(`^deadlines T3: timer ${message} of .* was stepped 60\\d+ ms after`),
    );
  });
});

describe('consequences', () => {
  it('[simulate] finds a send with another payload, and a call and a birth with another input', () => {
    const { seq } = audit.first(
      "SELECT * FROM audit_messages WHERE kind = 'event' AND cause IS NOT NULL",
    );
    const payload = `UPDATE audit_messages SET event = json_set(event, '$.by', 99) WHERE seq = ${seq}`;
    expect(audit.findings(consequences, payload)).toEqual([expect.stringContaining('"by":99')]);
    const { id } = audit.first('SELECT id FROM calls');
    const input = `UPDATE calls SET input = '{"item":"other"}' WHERE id = '${id}'`;
    expect(audit.findings(consequences, input)).toEqual([
      expect.stringContaining(`call ${id} {"item":"other"}`),
    ]);
    const { birth, child } = audit.first(
      "SELECT seq AS birth, actor AS child FROM audit_messages WHERE kind = 'init' AND cause IS NOT NULL",
    );
    const born = `UPDATE audit_messages SET event = '{"type":"xstate.init"}' WHERE seq = ${birth}`;
    expect(audit.findings(consequences, born)).toEqual([
      expect.stringContaining(`init to ${child} {"type":"xstate.init"}`),
    ]);
  });

  it('[simulate] finds two sends to one actor in the wrong order', () => {
    const { one, two } = audit.first(`SELECT a.seq AS one, b.seq AS two FROM audit_messages a
      JOIN audit_messages b ON b.cause = a.cause AND b.actor = a.actor AND b.seq > a.seq
      WHERE a.kind = 'event' AND b.kind = 'event' AND a.event <> b.event`);
    const sql = `UPDATE audit_messages SET event = CASE seq
        WHEN ${one} THEN (SELECT event FROM audit_messages WHERE seq = ${two})
        ELSE (SELECT event FROM audit_messages WHERE seq = ${one}) END
      WHERE seq IN (${one}, ${two})`;
    expect(audit.findings(consequences, sql)).toHaveLength(1);
  });

  it('[simulate] finds an actor that was stopped and went on', () => {
    const { address, row } = audit.first(`SELECT e.value ->> 'address' AS address, j.seq AS row
      FROM journal j, json_each(j.effects) e WHERE j.kind = 'step' AND e.value ->> 'kind' = 'stop'`);
    const alive = `UPDATE actors SET status = 'active' WHERE id = '${address}'`;
    const moved = `INSERT INTO journal(actor, at, kind) VALUES ('${address}', 0, 'step')`;
    for (const sql of [alive, moved]) {
      expect(audit.findings(consequences, sql)).toEqual([
        `consequences K9: row ${row} stopped ${address}, which went on`,
      ]);
    }
  });

  it('[simulate] finds what was ordered and not written', () => {
    const { seq, cause, incarnation } = audit.first(
      "SELECT * FROM audit_messages WHERE kind = 'timer' AND cause IS NOT NULL",
    );
    const found = audit.findings(consequences, `DELETE FROM audit_messages WHERE seq = ${seq}`);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(`consequences K2: journal row ${cause} ordered`);
    expect(found[0]).toContain(`timer ${incarnation}`);
  });

  it('[simulate] finds what was written and not ordered', () => {
    const { seq, actor } = audit.first(
      "SELECT * FROM journal WHERE kind = 'step' AND effects IS NULL",
    );
    const sql = `INSERT INTO messages(actor, machine, event, kind, ready_at, cause)
      VALUES ('${actor}', 'order', '{}', 'event', 0, ${seq})`;
    expect(audit.findings(consequences, sql)).toEqual([
      `consequences K2: journal row ${seq} ordered nothing, and event to ${actor} {} was written`,
    ]);
  });
});

describe('answers', () => {
  it('[simulate] finds an answer that moved an actor which did not wait for it', () => {
    const { seq, actor, incarnation } = audit.first(stepOf('call'));
    const sql = `UPDATE journal SET incarnation = 'other@1' WHERE seq = ${seq}`;
    expect(audit.findings(answers, sql)).toEqual([
      `answers C4: call other@1 of ${actor} (row ${seq}) moved its actor, which did not wait for it`,
    ]);
    expect(incarnation).not.toBe('other@1');
  });

  it('[simulate] finds a timer that fired twice', () => {
    const { seq, actor, incarnation } = audit.first(`${stepOf('timer')} AND sender = actor`);
    const sql = `INSERT INTO journal(actor, at, kind, origin, incarnation, sender)
      VALUES ('${actor}', 0, 'step', 'timer', '${incarnation}', '${actor}')`;
    expect(audit.findings(answers, sql)).toEqual([
      expect.stringMatching(/^answers T2: timer .* moved its actor, which did not wait for it$/),
    ]);
    expect(seq).toBeGreaterThan(0);
  });

  it('[simulate] finds a cancelled timer that still reached another actor', () => {
    const { row, sender, incarnation } = audit.first(
      `${stepOf('timer')} AND sender <> actor`.replace('*', 'seq AS row, sender, incarnation'),
    );
    const effect = JSON.stringify([{ kind: 'unschedule', incarnation }]);
    const { by } = audit.first(
      `SELECT max(seq) AS by FROM journal WHERE kind = 'step' AND actor = ? AND seq < ?`,
      sender,
      row,
    );
    // Its sender's last step before the arrival cancels it, and not the one that has sent it.
    const sql = `UPDATE audit_messages SET after_row = ${by} - 1
        WHERE seq = (SELECT message FROM journal WHERE seq = ${row});
      UPDATE journal SET effects = '${effect}' WHERE seq = ${by}`;
    expect(audit.findings(answers, sql)).toContainEqual(
      expect.stringMatching(`^answers T2: timer ${incarnation} of ${sender} to .* cancelled it$`),
    );
  });

  it('[simulate] finds an answer that was dismissed while it was awaited', () => {
    const { seq } = audit.first(stepOf('call'));
    expect(
      audit.findings(answers, `UPDATE journal SET kind = 'late' WHERE seq = ${seq}`),
    ).toContainEqual(
      expect.stringMatching(/^answers C4: call .* was dismissed as late, and it was awaited$/),
    );
  });
});
