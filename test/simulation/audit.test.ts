// Audit: each check of the simulation can fail. One clean run is tampered with, and the check names exactly what was done.
// Here: the store and its actors as they are left.

import { describe, expect, it } from 'vitest';
import { NO_FAULTS, simulate, workload } from '../kit/index.ts';
import { armings } from '../kit/simulation/audit/armings.ts';
import { checkAll } from '../kit/simulation/audit/checks.ts';
import { hosts, integrity } from '../kit/simulation/audit/integrity.ts';
import { overdue } from '../kit/simulation/audit/overdue.ts';
import { replays } from '../kit/simulation/audit/replays.ts';
import { waiting } from '../kit/simulation/audit/waiting.ts';
import { order } from '../kit/simulation/workload/order.ts';
import { tampering } from './support/tampering.ts';

const audit = tampering();

it('[simulate] finds nothing in a clean run', () => {
  expect(audit.run.report.findings).toEqual([]);
  expect(checkAll('alive', audit.run.evidence)).toEqual([]);
  expect(checkAll('closed', audit.run.evidence)).toEqual([]);
});

describe('integrity', () => {
  it('[simulate] finds a damaged database', () => {
    const index = "SELECT rootpage FROM sqlite_schema WHERE name = 'messages_by_actor'";
    const { rootpage } = audit.first(index);
    expect(rootpage).toBeGreaterThan(0);
    // An index over other columns than its entries have: what SQLite says of a file with a torn page.
    const sql = `PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET sql = 'CREATE INDEX messages_by_actor ON messages(event, actor)' WHERE name = 'messages_by_actor';
      PRAGMA writable_schema = RESET`;
    expect(audit.findings(integrity, sql)).toEqual([
      expect.stringContaining('integrity V8: the database is damaged: '),
    ]);
  });

  it('[simulate] finds a revision without a step', () => {
    const sql = "UPDATE actors SET revision = revision + 1 WHERE id = 'order/a1'";
    expect(audit.findings(integrity, sql)).toEqual([
      expect.stringMatching(/^integrity K4: order\/a1 is at revision \d+, and its journal has/),
    ]);
  });

  it('[simulate] finds a doubled journal row', () => {
    const sql = `INSERT INTO journal(actor, revision, at, kind)
      SELECT actor, revision, at, kind FROM journal WHERE kind = 'step' AND actor = 'order/a1' LIMIT 1`;
    expect(audit.findings(integrity, sql)).toEqual([
      expect.stringContaining('order/a1 is at revision'),
    ]);
  });
});

describe('hosts', () => {
  it('[simulate] finds a row that a host has left', () => {
    const sql = "INSERT INTO hosts VALUES ('gone', 'file', 1, 2, 1, 0, 0)";
    expect(audit.findings(hosts, sql)).toEqual(['hosts V4: the row of gone is left']);
  });

  it.each(['claimed', 'cancelling'])('[simulate] finds a call that is still %s', (status) => {
    const { id } = audit.first('SELECT id FROM calls');
    const sql = `UPDATE calls SET status = '${status}' WHERE id = '${id}'`;
    expect(audit.findings(hosts, sql)).toEqual([`hosts V9: ${id} is still ${status}`]);
  });
});

describe('armings', () => {
  it('[simulate] finds a timer that is waited for and not there', () => {
    const { seq, incarnation } = audit.first(
      "SELECT * FROM messages WHERE kind = 'timer' AND sender = actor",
    );
    const found = audit.findings(armings, `DELETE FROM messages WHERE seq = ${seq}`);
    expect(found).toEqual([
      expect.stringMatching(/^armings T2: timer .* is armed, and there 0 times$/),
    ]);
    expect(found[0]).toContain(incarnation);
  });

  it.each([
    ['call', 'calls', 'C1'],
    ['child', 'actors', 'K9'],
  ])('[simulate] finds a %s that is waited for and not there', (what, kind, rule) => {
    const { id, armings: text } = audit.first(
      "SELECT id, armings FROM actors WHERE status = 'active'",
    );
    const own = JSON.parse(text ?? '{}') as Record<string, Record<string, string>>;
    const stray = what === 'call' ? 'stray@1' : 'bell/stray';
    const changed = JSON.stringify({ ...own, [kind]: { ...own[kind], stray } });
    const name = what === 'call' ? `${id}#stray@1` : stray;
    const sql = `UPDATE actors SET armings = '${changed}' WHERE id = '${id}'`;
    expect(audit.findings(armings, sql)).toEqual([
      `armings ${rule}: ${what} ${name} is armed, and there 0 times`,
    ]);
  });

  it('[simulate] finds a timer, a call and a child for which nobody waits', () => {
    const sql = `INSERT INTO messages(actor, machine, sender, event, kind, ready_at, incarnation)
        VALUES ('order/a1', 'order', 'order/a1', '{}', 'timer', 0, 'stray@1');
      INSERT INTO calls(id, actor, incarnation, source, class, attempt, status, ordered_at, turn, limit_ms, claim_limit_ms)
        VALUES ('order/a1#stray@1', 'order/a1', 'stray@1', 'quote', 'read', 0, 'ordered', 0, 0, 1, 1);
      INSERT INTO actors(id, machine, machine_version, parent, revision, status, created_at, updated_at)
        VALUES ('bell/stray', 'bell', 1, 'order/a1', 0, 'active', 0, 0);`;
    expect(audit.findings(armings, sql)).toEqual([
      'armings T2: timer order/a1 stray@1 is there, and nobody waits for it',
      'armings C1: call order/a1#stray@1 is there, and nobody waits for it',
      'armings K9: child bell/stray is there, and nobody waits for it',
    ]);
  });
});

describe('replays', () => {
  it('[simulate] finds an actor of a machine that is not registered', () => {
    const { id } = audit.first("SELECT id FROM actors WHERE status = 'active'");
    const sql = `UPDATE actors SET machine = 'nowhere' WHERE id = '${id}'`;
    expect(audit.findings(replays, sql)).toEqual([
      `replays K1: ${id} is of machine nowhere, which is not registered`,
    ]);
  });

  it('[simulate] finds a changed snapshot', () => {
    const sql = `UPDATE actors SET snapshot = json_set(snapshot, '$.context.nudges', 777) WHERE id = 'order/a1'`;
    expect(audit.findings(replays, sql)).toEqual([
      expect.stringMatching(
        /^replays K1: order\/a1: row \d+ differs in snapshot: \$\.context\.nudges is 777, its replay \d+$/,
      ),
    ]);
  });

  it('[simulate] finds a changed journal row', () => {
    const { seq, actor } = audit.first(
      "SELECT * FROM journal WHERE kind = 'step' AND effects IS NOT NULL",
    );
    expect(audit.findings(replays, `UPDATE journal SET effects = NULL WHERE seq = ${seq}`)).toEqual(
      [
        expect.stringContaining(
          `replays K1: ${actor}: row ${seq} differs in effects: $ is nothing, its replay`,
        ),
      ],
    );
  });
});

describe('overdue', () => {
  /** A call of an actor that is there, as if it were still open. */
  function openCall(columns: string) {
    const { id, attempt } = audit.first("SELECT id, attempt FROM calls WHERE status = 'done'");
    return { id, attempt, sql: `UPDATE calls SET ${columns} WHERE id = '${id}'` };
  }

  it('[simulate] finds a call that nobody has claimed in its limit', () => {
    const { nowMs } = audit.run.evidence;
    const { id, sql } = openCall(
      `status = 'ordered', ordered_at = ${nowMs - 1_003}, claim_limit_ms = 1000`,
    );
    expect(audit.findings(overdue, sql)).toEqual([
      `overdue C1: ${id} is ordered for 3 ms past its limit`,
    ]);
  });

  it.each([
    ['claimed', 'C3'],
    ['cancelling', 'C7'],
  ])('[simulate] finds a call that is %s past its limit, or was never started', (status, rule) => {
    const startedMs = audit.run.evidence.nowMs - 3_003;
    const { id, sql } = openCall(
      `status = '${status}', started_at = ${startedMs}, limit_ms = 1000`,
    );
    expect(audit.findings(overdue, sql)).toEqual([
      `overdue ${rule}: ${id} is ${status} for 3 ms past its limit`,
    ]);
    expect(audit.findings(overdue, sql, { ledger: [] })).toEqual([
      `overdue C1: ${id} is ${status}, and nobody started it`,
    ]);
  });

  it.each([
    ['event', 'V1'],
    ['timer', 'T1'],
  ])('[simulate] finds a %s that is ready and not stepped', (kind, rule) => {
    const { id } = audit.first("SELECT id FROM actors WHERE status = 'active'");
    const sql = `INSERT INTO messages(seq, actor, machine, event, kind, ready_at)
      VALUES (888888, '${id}', 'order', '{}', '${kind}', ${audit.run.evidence.nowMs - 3})`;
    expect(audit.findings(overdue, sql)).toEqual([
      `overdue ${rule}: message 888888 (${kind}) of ${id} is ready for 3 ms, and nobody steps it`,
    ]);
  });
});

describe('waiting', () => {
  const change = (columns: string) => {
    const { id } = audit.first("SELECT id FROM actors WHERE status = 'active'");
    return { id, sql: `UPDATE actors SET ${columns} WHERE id = '${id}'` };
  };

  it('[simulate] finds an actor in a state that nothing leads out of', () => {
    const none = '{"timers":{},"calls":{},"actors":{}}';
    const closed = change(`machine = 'errand', state = '"resting"', armings = '${none}'`);
    expect(audit.findings(waiting, closed.sql)).toEqual([
      `waiting V6: ${closed.id} is in "resting" and waits for nothing that could come`,
    ]);
    const open = change(`machine = 'errand', state = '"planned"', armings = '${none}'`);
    expect(audit.findings(waiting, open.sql)).toEqual([]);
  });

  it('[simulate] finds an actor that was never born', () => {
    const none = '{"timers":{},"calls":{},"actors":{}}';
    const { id, sql } = change(`armings = '${none}', revision = 0`);
    expect(audit.findings(waiting, sql)).toEqual([
      expect.stringMatching(`^waiting V6: ${id} is in .* and waits for nothing that could come$`),
    ]);
  });

  it('[simulate] finds an actor that is stuck without a reason, or by a bug', () => {
    const silent = change("status = 'stuck', error = '{}'");
    expect(audit.findings(waiting, silent.sql)).toEqual([
      `waiting K6: ${silent.id} is stuck and does not say why`,
    ]);
    const bug = change(`status = 'stuck', error = '{"code":"assertion_failed"}'`);
    expect(audit.findings(waiting, bug.sql)).toEqual([
      `waiting K6: ${bug.id} is stuck by a bug: {"code":"assertion_failed"}`,
    ]);
  });
});

it('[simulate] finds that no host serves in the end', async () => {
  const machines = [...workload().machines];
  const spawn = () => {
    // From the first actor on no host can be opened any more: two machines have one id.
    machines.push(order);
    return { machine: order, input: { item: 'book' } };
  };
  const script = [{ fault: 'crash', occasion: 20 }] as const;
  const options = { seed: 1, steps: 10, machines, world: { spawn }, faults: NO_FAULTS, script };
  const { findings } = await simulate(options);
  expect(findings).toContainEqual({
    check: 'ready',
    rule: 'V1',
    message: 'no host serves in the end',
  });
});
