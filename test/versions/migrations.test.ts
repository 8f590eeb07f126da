// G2: an actor comes to the registered version with its next step, and nothing that it waits for is lost on the way.

import { describe, expect, it } from 'vitest';
import { createMachine, fromTransition, setup } from 'xstate';
import { z } from 'zod';
import { type AnyMachineDefinition, defineMachine, type Migration } from '../../actors/index.ts';
import { durable, start } from '../core/harness.ts';
import type { TestTroupe } from '../kit/index.ts';
import {
  clerk,
  DAY_MS,
  letter1,
  letter2,
  letter3,
  letterOf,
  toSecond,
  toThird,
} from './support/letters.ts';

const readers = durable(clerk);
const at = (letter: AnyMachineDefinition) => ({ machines: [letter, readers] });

/** A letter in version 1, after some events; its host has left. */
async function letter(...events: string[]): Promise<TestTroupe> {
  const test = await start(at(letter1));
  await test.troupe.spawn(letter1, { id: '1' });
  for (const type of events) await test.troupe.send('letter/1', { type });
  await test.clock.settle();
  await test.leave();
  return test;
}

const rowOf = (test: TestTroupe) =>
  test.rows<Record<string, unknown>>("SELECT * FROM actors WHERE id = 'letter/1'")[0];

const journalOf = (test: TestTroupe) =>
  test.rows<Record<string, unknown>>(
    "SELECT revision, kind, machine_version, checkpoint, effects FROM journal WHERE actor = 'letter/1' ORDER BY seq",
  );

describe('an actor of an older version', () => {
  it('[G2] is migrated in the transaction of its next step, which writes a checkpoint; not before', async () => {
    const test = await letter();
    const before = rowOf(test);
    await test.reopen(at(letter2));
    expect(rowOf(test)).toEqual(before);
    await test.troupe.send('letter/1', { type: 'ADD' });
    expect(await test.troupe.get('letter/1')).toMatchObject({
      version: 2,
      revision: 2,
      state: 'writing',
      context: { lines: ['dear', 'more'] },
    });
    const [birth, step] = journalOf(test);
    expect(birth).toMatchObject({ revision: 1, machine_version: 1, checkpoint: null });
    expect(step).toMatchObject({ revision: 2, machine_version: 2 });
    expect(JSON.parse(String(step?.['checkpoint']))).toMatchObject({
      snapshot: { value: 'writing', context: { lines: ['dear', 'more'] } },
    });
    await test.reopen();
    await test.troupe.send('letter/1', { type: 'ADD' });
    expect(await test.troupe.get('letter/1')).toMatchObject({ context: { lines: { length: 3 } } });
    expect(journalOf(test)[2]).toMatchObject({ machine_version: 2, checkpoint: null });
  });

  it('[G2] keeps its deadline: a timer of the old version fires at its time, under the id that it has now', async () => {
    const test = await letter();
    test.clock.jump(DAY_MS - 2_000);
    await test.reopen(at(letter2));
    await test.troupe.send('letter/1', { type: 'ADD' });
    await test.clock.advance(1_900);
    expect(await test.troupe.get('letter/1')).toMatchObject({ status: 'active' });
    await test.clock.advance(31_000);
    expect(await test.troupe.get('letter/1')).toMatchObject({ status: 'done', state: 'forgotten' });
  });

  it('[G2] may be moved by the timer itself, with the migration in that very step', async () => {
    const test = await letter();
    test.clock.jump(DAY_MS + 1);
    await test.reopen(at(letter2));
    expect(await test.troupe.get('letter/1')).toMatchObject({
      status: 'done',
      state: 'forgotten',
      version: 2,
    });
  });

  it('[G2] takes the answer of a call that the old version ordered, under the id that it has now', async () => {
    const test = await letter('STAMP');
    expect(test.pool.newest('letter.stamp').callId).toBe('letter/1#stamp@2');
    await test.reopen(at(letter2));
    const attempt = test.pool.newest('letter.stamp');
    expect(attempt).toMatchObject({ callId: 'letter/1#stamp@2', attempt: 2 });
    attempt.answer('ok');
    await test.clock.settle();
    expect(await test.troupe.get('letter/1')).toMatchObject({ status: 'done', state: 'sent' });
    const effects = test.rows("SELECT status FROM calls WHERE id = 'letter/1#stamp@2'");
    expect(effects).toEqual([{ status: 'done' }]);
  });

  it('[G2] hears of a child that the old version spawned, under the id that it has now', async () => {
    const test = await letter('GIVE');
    const [child] = test.rows<{ id: string }>("SELECT id FROM actors WHERE machine = 'clerk'");
    await test.reopen(at(letter2));
    await test.troupe.send(String(child?.id), { type: 'READ' });
    expect(await test.troupe.get('letter/1')).toMatchObject({ status: 'done', state: 'sent' });
  });

  it('[G2] comes through every version in between, and what a later one needs is armed', async () => {
    const test = await letter();
    await test.reopen(at(letter3));
    await test.troupe.send('letter/1', { type: 'ADD' });
    expect(await test.troupe.get('letter/1')).toMatchObject({
      version: 3,
      state: 'writing',
      context: { lines: ['dear'], count: 2 },
    });
    expect(test.pool.newest('letter.stamp')).toMatchObject({ callId: 'letter/1#check@2~3' });
    await test.clock.advance(1_000);
    expect(await test.troupe.get('letter/1')).toMatchObject({ state: 'reminded' });
    expect(test.pool.newest('letter.stamp').isAborted).toBe(true);
  });

  it('[G2] the call that a migration has armed answers as any other', async () => {
    const test = await letter();
    await test.reopen(at(letter3));
    await test.troupe.send('letter/1', { type: 'ADD' });
    test.pool.newest('letter.stamp').answer('fine');
    await test.clock.settle();
    expect(await test.troupe.get('letter/1')).toMatchObject({ state: 'sent', status: 'done' });
  });

  it('[G2] what a migration has armed and its own step leaves again never starts', async () => {
    const test = await letter();
    await test.reopen(at(letter3));
    const before = test.pool.started.length;
    await test.troupe.send('letter/1', { type: 'STAMP' });
    await test.clock.settle();
    expect(test.pool.started.slice(before).map(({ callId }) => callId)).toEqual([
      'letter/1#seal@2',
    ]);
    expect(test.rows("SELECT * FROM messages WHERE kind = 'timer'")).toEqual([]);
  });

  it('[G2] what a migration leaves out is taken back: timer, call and child', async () => {
    const forget: Migration = (stored) => ({
      ...toSecond(stored),
      value: { split: { left: 'a', right: 'x', third: 'm' } },
      children: {},
      armings: { timers: {}, calls: {}, actors: {} },
    });
    const forgetful = letterOf(2, { 1: forget });
    const drafts = await letter();
    await drafts.reopen(at(forgetful));
    await drafts.troupe.send('letter/1', { type: 'MOVE' });
    expect(drafts.rows("SELECT * FROM messages WHERE kind = 'timer'")).toEqual([]);

    const calls = await letter('STAMP');
    await calls.reopen(at(forgetful));
    await calls.troupe.send('letter/1', { type: 'MOVE' });
    expect(calls.pool.newest('letter.stamp').isAborted).toBe(true);

    const children = await letter('GIVE');
    await children.reopen(at(forgetful));
    await children.troupe.send('letter/1', { type: 'MOVE' });
    expect(await children.troupe.list({ machine: 'clerk' })).toMatchObject([{ status: 'stopped' }]);
    expect(journalOf(children)[2]?.['effects']).toContain('"kind":"stop"');
  });

  it('[G2] of parallel regions goes on in each of them, also in a new one', async () => {
    const test = await letter('SPLIT', 'NEXT', 'TURN');
    await test.reopen(at(letter2));
    await test.troupe.send('letter/1', { type: 'MOVE' });
    expect(await test.troupe.get('letter/1')).toMatchObject({
      state: { split: { left: 'b', right: 'y', third: 'n' } },
    });
  });

  it('[G2] that is not born yet is born in the registered version', async () => {
    const test = await letter();
    test.write(
      `INSERT INTO actors(id, machine, machine_version, revision, status, created_at, updated_at)
       VALUES ('letter/2', 'letter', 1, 0, 'active', 1, 1);
       INSERT INTO messages(actor, machine, event, kind, ready_at)
       VALUES ('letter/2', 'letter', '{"type":"xstate.init"}', 'init', 0);`,
    );
    await test.reopen(at(letter2));
    expect(await test.troupe.get('letter/2')).toMatchObject({
      version: 2,
      state: 'writing',
      context: { lines: ['dear'] },
    });
  });

  it('[G2] that is stuck stays stuck until it is retried, and is migrated then', async () => {
    const test = await letter('BREAK');
    expect(rowOf(test)).toMatchObject({ status: 'stuck' });
    await test.reopen(at(letter2));
    expect(rowOf(test)).toMatchObject({ status: 'stuck', machine_version: 1 });
    await test.leave();
    // As an operator's retry does it.
    test.write("UPDATE actors SET status = 'active', error = NULL; UPDATE messages SET held = 0");
    await test.reopen();
    expect(await test.troupe.get('letter/1')).toMatchObject({
      status: 'active',
      version: 2,
      context: { lines: ['mended'] },
    });
  });

  it('[G2, J4] that is a stubbed fork stays stubbed, whatever its migration says of armings', async () => {
    const test = await letter();
    test.write(`UPDATE actors SET armings = json_set(armings, '$.stubbed', json('true'))`);
    await test.reopen(at(letter3));
    const before = test.pool.started.length;
    await test.troupe.send('letter/1', { type: 'ADD' });
    await test.clock.settle();
    expect(JSON.parse(String(rowOf(test)?.['armings']))).toMatchObject({ stubbed: true });
    expect(test.pool.started).toHaveLength(before);
  });

  it('[G2] a late answer moves nothing, and migrates nothing', async () => {
    const test = await letter();
    test.write(
      `INSERT INTO messages(actor, machine, sender, event, kind, ready_at, incarnation)
       VALUES ('letter/1', 'letter', 'letter/1', '{"type":"xstate.after.5.letter.draft"}', 'timer', 1, 'gone@1')`,
    );
    await test.reopen(at(letter2));
    expect(rowOf(test)).toMatchObject({ machine_version: 1, revision: 1 });
    expect(journalOf(test).at(-1)).toMatchObject({ kind: 'late' });
  });

  it('[G2] sees neither clock nor randomness of its own: the same actor always comes out the same', async () => {
    const noted: unknown[] = [];
    const noting: Migration = (stored) => {
      noted.push([Date.now(), Math.random()]);
      return toSecond(stored);
    };
    const test = await letter();
    const noteful = letterOf(2, { 1: noting });
    // A write of another process makes the host forget the actor, so that it is loaded and migrated again.
    await test.reopen(at(noteful));
    for (const incarnation of ['gone@1', 'gone@2']) {
      test.write(
        `INSERT INTO messages(actor, machine, sender, event, kind, ready_at, incarnation)
         VALUES ('letter/1', 'letter', 'letter/1', '{"type":"x"}', 'timer', 1, ?)`,
        incarnation,
      );
      await test.clock.advance(60_000);
    }
    expect(noted).toHaveLength(2);
    expect(noted[1]).toEqual(noted[0]);
  });
});

describe('children that only their parent names', () => {
  const worker = (name: string) =>
    createMachine({
      id: 'worker',
      initial: 'idle',
      states: { idle: { on: { WORK: name } }, [name]: {} },
    });
  const count = fromTransition((n: { n: number }) => ({ n: n.n + 1 }), { n: 0 });
  const boss = (version: number, child: ReturnType<typeof worker>, childMigrations = {}) =>
    defineMachine({
      version,
      machine: setup({ actors: { worker: child, count } }).createMachine({
        id: 'boss',
        initial: 'on',
        states: {
          on: {
            invoke: [
              { id: 'worker', src: 'worker' },
              { id: 'count', src: 'count' },
            ],
          },
        },
      }),
      migrations: version === 1 ? {} : { 1: (stored) => stored },
      childMigrations,
    });
  const workers = async (machine: string, test: TestTroupe) =>
    (await test.troupe.list({ machine }))[0]?.address ?? '';

  it('[G2] come to a new version by themselves when their chart has not changed', async () => {
    const test = await start({ machines: [boss(1, worker('busy'))] });
    await test.troupe.spawn(boss(1, worker('busy')), { id: '1' });
    await test.reopen({ machines: [boss(2, worker('busy'))] });
    for (const machine of ['boss.worker', 'boss.count']) {
      const address = await workers(machine, test);
      await test.troupe.send(address, { type: 'WORK' });
      expect(await test.troupe.get(address)).toMatchObject({ status: 'active', version: 2 });
    }
  });

  it('[G2] need a migration of their own when it has', async () => {
    const test = await start({ machines: [boss(1, worker('busy'))] });
    await test.troupe.spawn(boss(1, worker('busy')), { id: '1' });
    await test.reopen({ machines: [boss(2, worker('active'))] });
    const address = await workers('boss.worker', test);
    await test.troupe.send(address, { type: 'WORK' });
    expect(await test.troupe.get(address)).toMatchObject({ stuck: { code: 'migration_missing' } });

    const mended = await start({ machines: [boss(1, worker('busy'))] });
    await mended.troupe.spawn(boss(1, worker('busy')), { id: '1' });
    const childMigrations = { worker: { 1: (stored: never) => stored } };
    await mended.reopen({ machines: [boss(2, worker('active'), childMigrations)] });
    const other = await workers('boss.worker', mended);
    await mended.troupe.send(other, { type: 'WORK' });
    expect(await mended.troupe.get(other)).toMatchObject({ state: 'active', version: 2 });
  });
});

describe('an actor that cannot come to the registered version', () => {
  const good = (stored: Parameters<Migration>[0]) => toSecond(stored);
  const cases: [string, string, Readonly<Record<number, unknown>>, string][] = [
    ['has no migration', 'migration_missing', {}, 'without migrations[1]'],
    [
      'has one that throws',
      'migration_failed',
      {
        1: () => {
          throw new Error('no text');
        },
      },
      'no text',
    ],
    ['has one that returns nothing', 'migration_failed', { 1: () => undefined }, 'no context'],
    ['has one that waits', 'migration_failed', { 1: async () => ({}) }, 'Promise'],
    [
      'would be in an unknown state',
      'migration_failed',
      { 1: (stored: never) => ({ ...good(stored), value: 'lost' }) },
      'lost',
    ],
    [
      'would have context that is no JSON',
      'migration_failed',
      { 1: (stored: never) => ({ ...good(stored), context: { at: new Date() } }) },
      'context.at is a Date',
    ],
    [
      'would answer what it never armed',
      'migration_failed',
      {
        1: (stored: never) => ({
          ...good(stored),
          armings: { timers: { 'new@7': 'x' }, calls: {}, actors: {} },
        }),
      },
      "'new@7'",
    ],
    [
      'would wait for nothing where its state has an after',
      'migration_incomplete',
      {
        1: (stored: never) => ({
          ...good(stored),
          armings: { timers: {}, calls: {}, actors: {} },
        }),
      },
      "timer 'xstate.after.86400000.letter.writing'",
    ],
    [
      'would wait for nothing where its state invokes',
      'migration_incomplete',
      {
        1: (stored: never) => ({
          ...good(stored),
          value: 'stamping',
          armings: { timers: {}, calls: {}, actors: {} },
        }),
      },
      "invoke 'seal'",
    ],
  ];

  it.each(cases)(
    '[G3] because it %s is parked with %s, and is as it was',
    async (_why, code, migrations, says) => {
      const test = await letter();
      const before = rowOf(test);
      await test.reopen(at(letterOf(2, migrations as never)));
      await test.troupe.spawn(letter2, { id: 'other' });
      await test.troupe.send('letter/1', { type: 'ADD' });
      const stuck = await test.troupe.get('letter/1');
      expect(stuck).toMatchObject({ status: 'stuck', version: 1, revision: 1, stuck: { code } });
      expect(stuck.stuck?.message).toContain(says);
      expect(stuck.stuck?.message).toContain('version 1');
      expect(stuck.messages).toHaveLength(1);
      for (const column of ['snapshot', 'armings', 'machine_version', 'revision']) {
        expect(rowOf(test)?.[column]).toEqual(before?.[column]);
      }
      await test.troupe.send('letter/other', { type: 'ADD' });
      expect(await test.troupe.get('letter/other')).toMatchObject({ revision: 2 });
    },
  );

  it('[G3] because its context does not fit the schema is parked', async () => {
    const { machine } = letter2;
    const context = z.object({ lines: z.array(z.string()) });
    const define = (migrations: Readonly<Record<number, Migration>>) =>
      defineMachine({ machine, version: 2, migrations, schemas: { context: context as never } });
    const test = await letter();
    await test.reopen(at(define({ 1: (stored) => ({ ...toSecond(stored), context: {} }) })));
    await test.troupe.send('letter/1', { type: 'ADD' });
    expect(await test.troupe.get('letter/1')).toMatchObject({
      stuck: { code: 'migration_failed' },
    });
  });

  it('[G3] goes on after a retry, when the migration has been mended', async () => {
    const test = await letter();
    await test.reopen(at(letterOf(2, {})));
    await test.troupe.send('letter/1', { type: 'ADD' });
    await test.leave();
    test.write("UPDATE actors SET status = 'active', error = NULL; UPDATE messages SET held = 0");
    await test.reopen(at(letter2));
    expect(await test.troupe.get('letter/1')).toMatchObject({
      version: 2,
      context: { lines: ['dear', 'more'] },
    });
  });

  it('[G3] an after that has fired in the old version, or is spent, need not be armed', async () => {
    const machine = (state: string) =>
      createMachine({
        id: 'egg',
        initial: state,
        states: { [state]: { after: { 10: { guard: () => false, target: state } } } },
      });
    const egg = (version: number, state: string, migrations = {}) =>
      defineMachine({ machine: machine(state), version, migrations });
    const test = await start({ machines: [egg(1, 'raw')] });
    await test.troupe.spawn(egg(1, 'raw'), { id: 'same' });
    await test.troupe.spawn(egg(1, 'raw'), { id: 'moved' });
    await test.clock.advance(10);
    const move: Migration = (stored) => ({
      ...stored,
      value: 'cooked',
      spent: ['xstate.after.10.egg.cooked'],
    });
    await test.reopen({ machines: [egg(2, 'raw', { 1: (stored: never) => stored })] });
    await test.troupe.send('egg/same', { type: 'LOOK' });
    expect(await test.troupe.get('egg/same')).toMatchObject({ status: 'active', version: 2 });
    await test.reopen({ machines: [egg(3, 'cooked', { 1: move, 2: move })] });
    await test.troupe.send('egg/moved', { type: 'LOOK' });
    expect(await test.troupe.get('egg/moved')).toMatchObject({ status: 'active', state: 'cooked' });
  });

  it('[G2] a migration that fails in the second of two writes nothing of the first', async () => {
    const test = await letter();
    const before = rowOf(test);
    const failing = letterOf(3, { 1: toSecond, 2: () => toThird({} as never) });
    await test.reopen(at(failing));
    await test.troupe.send('letter/1', { type: 'ADD' });
    expect(await test.troupe.get('letter/1')).toMatchObject({
      stuck: { code: 'migration_failed' },
      version: 1,
    });
    expect(rowOf(test)?.['snapshot']).toEqual(before?.['snapshot']);
  });
});
