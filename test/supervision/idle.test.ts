// Idle: actors without work cost a start nothing.

import Database from 'better-sqlite3';
import { expect, it, vi } from 'vitest';
import { setup } from 'xstate';
import { z } from 'zod';
import { defineMachine } from '../../actors/index.ts';
import { ActorsTable } from '../../persistence/tables/actors.ts';
import { openForTest } from '../calls/support/calls.ts';
import type { TestTroupe } from '../kit/index.ts';

const sleeper = defineMachine({
  version: 1,
  machine: setup({}).createMachine({
    id: 'sleeper',
    initial: 'waiting',
    states: {
      waiting: { after: { 86_400_000: 'over' }, on: { WAKE: 'awake' } },
      awake: {},
      over: {},
    },
  }),
});

/** Copies one actor, its far timer and a settled call so many times: the store of a busy past. */
function copies(count: number): string {
  const numbers = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})`;
  return `BEGIN;
    INSERT INTO actors SELECT 'sleeper/copy-' || i, machine, machine_version, parent, child_id, task, host, revision, status,
      state, tags, snapshot, armings, input, error, created_at, updated_at FROM actors, (${numbers} SELECT i FROM n) WHERE id = 'sleeper/1';
    INSERT INTO messages(actor, machine, sender, event, kind, ready_at, incarnation)
      SELECT 'sleeper/copy-' || i, machine, 'sleeper/copy-' || i, event, kind, ready_at, incarnation
      FROM messages, (${numbers} SELECT i FROM n) WHERE actor = 'sleeper/1';
    INSERT INTO calls(id, actor, incarnation, source, class, attempt, host, status, ordered_at, turn, limit_ms, claim_limit_ms)
      SELECT 'call-' || i, 'sleeper/copy-' || i, 'w@1', 'look', 'read', 1, 'gone', 'done', 1, 1, 1000, 1000
      FROM (${numbers} SELECT i FROM n);
    COMMIT;`;
}

interface Executed {
  readonly source: string;
  readonly rows: number;
}

/** Opens a host and gives every statement that it executed, with the number of rows that each gave. */
async function executedAtStart(test: TestTroupe): Promise<readonly Executed[]> {
  const executed: Executed[] = [];
  const prototype = statementPrototype();
  for (const method of ['get', 'all', 'run'] as const) {
    const original = prototype[method];
    vi.spyOn(prototype, method).mockImplementation(function (
      this: Database.Statement,
      ...args: unknown[]
    ) {
      const result: unknown = original.apply(this, args);
      const rows = Array.isArray(result) ? result.length : result === undefined ? 0 : 1;
      executed.push({ source: this.source, rows });
      return result;
    });
  }
  await test.reopen();
  vi.restoreAllMocks();
  return executed;
}

function statementPrototype(): Database.Statement {
  const connection = new Database(':memory:');
  const prototype = Object.getPrototypeOf(connection.prepare('SELECT 1')) as Database.Statement;
  connection.close();
  return prototype;
}

it('[V2] a start reads as much from a store with 3,000 idle actors as from one with 3', async () => {
  const test = await openForTest({ machines: [sleeper], calls: [] });
  for (const id of ['1', '2', '3']) await test.troupe.spawn(sleeper, { id });
  await test.clock.settle();
  await test.leave();
  const few = await executedAtStart(test);
  await test.leave();
  test.write(copies(3_000));
  const many = await executedAtStart(test);
  expect(many).toEqual(few);
  expect(few.length).toBeGreaterThan(5);
  expect(await test.troupe.list({ limit: 1_000 })).toHaveLength(1_000);
});

it('[V2] nothing that a start executes walks through a table that grows', async () => {
  const test = await openForTest({ machines: [sleeper], calls: [] });
  await test.troupe.spawn(sleeper, { id: '1' });
  await test.clock.settle();
  await test.leave();
  test.write(copies(3_000));
  const executed = new Set((await executedAtStart(test)).map(({ source }) => source));
  const plans = [...executed]
    .filter((source) => /^\s*(SELECT|UPDATE|DELETE|WITH)/.test(source))
    .flatMap((source) =>
      test
        .rows<{ detail: string }>(`EXPLAIN QUERY PLAN ${source.replaceAll(/@\w+|\?/g, '1')}`)
        .map(({ detail }) => ({ source, detail })),
    );
  expect(plans.length).toBeGreaterThan(5);
  // A partial index over what is open grows with the work, not with the past.
  const walks = plans.filter(
    ({ detail }) =>
      /^SCAN (actors|messages|journal|calls)/.test(detail) &&
      !/calls_(waiting|of_host)/.test(detail),
  );
  expect(walks).toEqual([]);
  const wholeMachines = plans.filter(({ detail }) =>
    /actors_by_version \(machine=\?\)/.test(detail),
  );
  expect(wholeMachines).toEqual([]);
});

it('[V2] only actors with work are loaded, and only once', async () => {
  let parsed = 0;
  const counted = defineMachine({
    machine: sleeper.machine,
    version: 1,
    schemas: {
      context: z.custom<Record<string, never>>(() => {
        parsed++;
        return true;
      }),
    },
  });
  const test = await openForTest({ machines: [counted], calls: [] });
  for (const id of ['1', '2', '3']) await test.troupe.spawn(counted, { id });
  await test.clock.settle();
  await test.leave();
  test.write(copies(500));
  test.write(`INSERT INTO messages(actor, machine, event, kind, ready_at)
    VALUES ('sleeper/2', 'sleeper', '{"type":"WAKE"}', 'event', 1), ('sleeper/2', 'sleeper', '{"type":"NOTE"}', 'event', 2)`);
  parsed = 0;
  const loaded = vi.spyOn(ActorsTable.prototype, 'get');
  await test.reopen();
  expect(loaded.mock.calls).toEqual([['sleeper/2']]);
  vi.restoreAllMocks();
  expect(parsed).toBe(1);
  expect(await test.troupe.get('sleeper/2')).toMatchObject({ state: 'awake' });
});
