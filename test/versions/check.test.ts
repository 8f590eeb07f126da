// G4: `check` names what would break under the code at hand, and changes nothing.

import { statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createMachine, setup } from 'xstate';
import { z } from 'zod';
import {
  type AnyMachineDefinition,
  type CheckFinding,
  type CheckProgress,
  checkActors,
  defineMachine,
  type Migration,
} from '../../actors/index.ts';
import { place, refusal, start } from '../core/harness.ts';
import { type TestTroupe, virtualClock } from '../kit/index.ts';
import { letter1, letter2, letterOf } from './support/letters.ts';

/** Version 2 counts; version 1 had nothing to count. */
const counter = (version: 1 | 2, migrations: Readonly<Record<number, Migration>> = {}) =>
  defineMachine({
    version,
    migrations,
    schemas: version === 1 ? {} : { context: z.object({ count: z.number() }) as never },
    machine: createMachine({
      id: 'counter',
      initial: 'idle',
      context: (version === 1 ? {} : { count: 0 }) as { count: number },
      states: { idle: { on: { ADD: {} } }, busy: {} },
    }),
  });
const counting: Migration = (stored) => ({ ...stored, context: { count: 1 } });

async function check(store: string, ...machines: AnyMachineDefinition[]) {
  const findings: CheckFinding[] = [];
  const progress: CheckProgress[] = [];
  const clock = virtualClock();
  const checking = checkActors(
    {
      store,
      machines,
      onFinding: (finding) => findings.push(finding),
      onProgress: (told) => progress.push(told),
    },
    { clock },
  );
  const [report] = await Promise.all([checking, clock.settle()]);
  return { ...report, found: findings, progress };
}

/** So many actors of version 1 beside `counter/1`; its host has left. */
async function counters(count: number): Promise<TestTroupe> {
  const test = await start({ machines: [counter(1)] });
  await test.troupe.spawn(counter(1), { id: '1' });
  await test.leave();
  test.write(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
     INSERT INTO actors(id, machine, machine_version, revision, status, state, tags, snapshot, armings, created_at, updated_at)
     SELECT 'counter/copy-' || i, machine, machine_version, revision, status, state, tags, snapshot, armings, created_at, updated_at
     FROM actors, n WHERE id = 'counter/1'`,
  );
  return test;
}

describe('check', () => {
  it('[G4] finds nothing where nothing would break, and writes nothing', async () => {
    const test = await counters(3);
    const before = test.rows('SELECT * FROM actors');
    const meta = test.rows('SELECT * FROM meta');
    const { size } = statSync(test.file);
    const report = await check(test.file, counter(2, { 1: counting }));
    expect(report).toMatchObject({ actors: 4, findings: 0, byCode: {}, found: [] });
    expect(test.rows('SELECT * FROM actors')).toEqual(before);
    expect(test.rows('SELECT * FROM meta')).toEqual(meta);
    expect(test.rows('SELECT * FROM hosts')).toEqual([]);
    expect(statSync(test.file).size).toBe(size);
  });

  const lost: Migration = (stored) => ({ ...stored, value: 'lost' });
  it.each<[string, Readonly<Record<number, Migration>>, string]>([
    ['without migration', {}, 'migration_missing'],
    ['with one that leads nowhere', { 1: lost }, 'migration_failed'],
    ['with one that misses the schema', { 1: (stored) => stored }, 'migration_failed'],
  ])('[G4] names each actor %s, with code and mend', async (_what, migrations, code) => {
    const test = await counters(1);
    const { found } = await check(test.file, counter(2, migrations));
    expect(found).toMatchObject([
      { address: 'counter/1', machine: 'counter', version: 1, code },
      { address: 'counter/copy-1', code },
    ]);
    expect(found[0]?.mend).toContain('migrations');
  });

  it('[G4] names what a host would not open, leave alone, or find damaged', async () => {
    const test = await counters(7);
    const damage = (id: number, change: string) =>
      test.write(`UPDATE actors SET ${change} WHERE id = 'counter/copy-${id}'`);
    damage(1, "snapshot = '{'");
    damage(2, "armings = 'x'");
    damage(3, "status = 'odd'");
    damage(4, 'machine_version = 5');
    damage(5, "machine = 'other'");
    damage(6, `snapshot = replace(snapshot, 'idle', 'gone')`);
    test.write(
      `INSERT INTO messages(actor, machine, event, kind, ready_at)
       VALUES ('counter/copy-7', 'counter', '{"type"', 'event', 1)`,
    );
    const { machine } = counter(1);
    const changed = defineMachine({
      machine: createMachine({ ...machine.config, initial: 'busy' } as never),
      version: 1,
    });
    const { found, actors, findings, byCode } = await check(test.file, changed);
    expect(found.map(({ address, code }) => `${address ?? '-'} ${code}`)).toEqual([
      '- machine_changed',
      'counter/copy-1 snapshot_damaged',
      'counter/copy-2 snapshot_damaged',
      'counter/copy-3 row_damaged',
      'counter/copy-4 version_unknown',
      'counter/copy-5 machine_unknown',
      'counter/copy-6 state_unknown',
      'counter/copy-7 event_damaged',
    ]);
    expect({ actors, findings }).toEqual({ actors: 8, findings: 8 });
    expect(byCode).toMatchObject({ snapshot_damaged: 2, machine_changed: 1 });
    for (const { message, mend } of found) {
      expect(message).not.toBe('');
      expect(mend).toMatch(/^[A-Z].*\.$/s);
    }
  });

  it('[G4] takes a step of each, so that what throws by itself is found; an event that a state really takes is not made up', async () => {
    const machine = (version: number) =>
      setup({
        guards: {
          isLate: () => {
            if (version === 2) throw new Error('no clock');
            return false;
          },
          isKnown: ({ event }) => (event as unknown as { by: string }).by.length > 0,
        },
      }).createMachine({
        id: 'watch',
        initial: 'sleepy',
        states: {
          sleepy: { always: { guard: 'isLate', target: 'open' }, on: { OPEN: 'open' } },
          open: { on: { '*': { guard: 'isKnown', target: 'sleepy' } } },
        },
      });
    const watch = (version: 1 | 2) =>
      defineMachine({
        machine: machine(version),
        version,
        migrations: version === 1 ? {} : { 1: (stored) => stored },
      });
    const test = await start({ machines: [watch(1)] });
    for (const id of ['a', 'b']) await test.troupe.spawn(watch(1), { id });
    await test.troupe.send('watch/b', { type: 'OPEN' });
    const { found } = await check(test.file, watch(2));
    expect(found).toMatchObject([{ address: 'watch/a', code: 'machine_threw' }]);
    expect(found[0]?.message).toContain('no clock');
  });

  it('[G4] works beside a host, on stuck and unborn actors, and passes over those that have ended', async () => {
    const test = await start({ machines: [letter1] });
    for (const id of ['1', '2', '3']) await test.troupe.spawn(letter1, { id });
    await test.troupe.send('letter/1', { type: 'BREAK' });
    await test.clock.settle();
    test.write("UPDATE actors SET status = 'done' WHERE id = 'letter/2'");
    test.write("UPDATE actors SET revision = 0, snapshot = NULL WHERE id = 'letter/3'");
    expect(await check(test.file, letter2)).toMatchObject({ actors: 2, findings: 0 });
    const bad = await check(test.file, letterOf(2, {}));
    expect(bad.found).toMatchObject([{ address: 'letter/1', code: 'migration_missing' }]);
  });

  it('[G4] of 5,000 actors with 1 in 100 bad names the bad ones, and a host steps all others', async () => {
    const test = await counters(5_000);
    test.write(
      `UPDATE actors SET snapshot = '{' WHERE id LIKE 'counter/copy-%00';
       UPDATE actors SET machine_version = 7 WHERE id LIKE 'counter/copy-%050';
       INSERT INTO messages(actor, machine, event, kind, ready_at)
         SELECT id, machine, '{"type":"ADD"}', 'event', 1 FROM actors`,
    );
    const machine = counter(2, { 1: counting });
    const { findings, byCode, actors, progress } = await check(test.file, machine);
    expect({ findings, actors }).toEqual({ findings: 54, actors: 5_001 });
    expect(byCode).toEqual({ snapshot_damaged: 50, version_unknown: 4 });
    expect(progress.length).toBeGreaterThan(20);
    await test.reopen({ machines: [machine] });
    const counts = test.rows(
      'SELECT status, machine_version AS v, count(*) AS n FROM actors GROUP BY 1, 2 ORDER BY 1, 2',
    );
    expect(counts).toEqual([
      { status: 'active', v: 2, n: 4_947 },
      { status: 'active', v: 7, n: 4 },
      { status: 'stuck', v: 1, n: 50 },
    ]);
  });

  it('[G4] is refused without machines and without a store', async () => {
    const { file } = place();
    await refusal(check(file), 'invalid_option');
    await refusal(check(file, counter(1)), 'store_missing');
  });
});
