// J2: an actor's journal leads to the stored actor, to the byte, from its birth and from every checkpoint; or the first
// row where it does not is named.

import { describe, expect, it } from 'vitest';
import { assign, createMachine } from 'xstate';
import { type Divergence, defineMachine, type Replay } from '../../actors/index.ts';
import { CHECKPOINT_REVISIONS } from '../../actors/limits.ts';
import { createRegistry } from '../../actors/registry/index.ts';
import { replayActor } from '../../actors/replay/index.ts';
import { durable, refusal, start, storeOf } from '../core/harness.ts';
import type { TestTroupe } from '../kit/index.ts';
import { changed, counter, dumpOf, mended } from './machines.ts';

const ONE = 'counter/1';

async function counted(events: number): Promise<TestTroupe> {
  const test = await start({ machines: [durable(counter)] });
  await test.troupe.spawn(durable(counter), { id: '1' });
  await count(test, events);
  return test;
}

/** Sends so many events, some of them at once, as they come to a busy host. */
async function count({ troupe, clock }: TestTroupe, events: number): Promise<void> {
  const together = 25;
  for (let sent = 0; sent < events; sent += together) {
    const batch = Array.from({ length: Math.min(together, events - sent) });
    await Promise.all(batch.map(() => troupe.send(ONE, { type: 'COUNT' })));
    await clock.advance(sent % 7);
  }
  await clock.settle();
}

/** The sequence number of the row that made a revision. */
function rowOf({ rows }: TestTroupe, revision: number): number {
  const sql = 'SELECT seq FROM journal WHERE actor = ? AND revision = ?';
  return rows<{ seq: number }>(sql, ONE, revision)[0]?.seq ?? 0;
}

const EQUAL = { divergence: undefined, mended: [] };

describe('equal', () => {
  it('[J2] a journal replays from its birth, every checkpoint compared, and changes nothing', async () => {
    const test = await counted(250);
    const before = dumpOf(test);
    expect(await test.troupe.replay(ONE)).toEqual({
      ...EQUAL,
      address: ONE,
      from: 0,
      revision: 251,
      steps: 251,
      checkpoints: 2,
    });
    expect(dumpOf(test)).toEqual(before);
  });

  it('[J2] it replays from every checkpoint, armings restored, and past a restart', async () => {
    const test = await counted(CHECKPOINT_REVISIONS * 2);
    await test.reopen();
    await test.clock.advance(60_000);
    expect(await test.troupe.get(ONE)).toMatchObject({ state: 'frozen', revision: 202 });
    const replays = await Promise.all(
      [100, 150, 200, 999].map((from) => test.troupe.replay(ONE, { from })),
    );
    expect(replays).toMatchObject([
      { ...EQUAL, from: 100, steps: 102, checkpoints: 1 },
      { ...EQUAL, from: 100, steps: 102, checkpoints: 1 },
      { ...EQUAL, from: 200, steps: 2, checkpoints: 0 },
      { ...EQUAL, from: 200, steps: 2, checkpoints: 0 },
    ]);
  });

  it('[J2] an actor that has not been stepped, and one that has ended, replay', async () => {
    const test = await counted(3);
    await test.troupe.send(ONE, { type: 'END' });
    await test.clock.settle();
    test.write(`INSERT INTO actors(id, machine, machine_version, revision, status, created_at, updated_at)
      VALUES ('counter/unborn', 'counter', 1, 0, 'active', 0, 0)`);
    expect(await test.troupe.replay(ONE)).toMatchObject({ ...EQUAL, steps: 5 });
    expect(await test.troupe.replay('counter/unborn')).toMatchObject({ ...EQUAL, steps: 0 });
  });

  it('[J2] a long journal is read page by page, up to where it stood at the beginning', async () => {
    const test = await counted(450);
    const pages: number[] = [];
    let pauses = 0;
    const store = storeOf(test.troupe);
    const replay = await replayActor(
      {
        registry: createRegistry([durable(counter)], []),
        read: (look) => {
          const found = store.read(() => look(store));
          if (Array.isArray(found)) pages.push(found.length);
          return found;
        },
        pause: async () => {
          pauses++;
          await count(test, 1);
        },
      },
      ONE,
    );
    expect(replay).toMatchObject({ ...EQUAL, revision: 451, steps: 451, checkpoints: 4 });
    expect(pages).toEqual([200, 200, 53]);
    expect(pauses).toBe(2);
  });
});

describe('tampered', () => {
  const snapshotWith = (path: string, value: string) =>
    `UPDATE actors SET snapshot = json_set(snapshot, '${path}', ${value})`;
  const journalWith = (column: string, path: string, value: string, revision: number) =>
    `UPDATE journal SET ${column} = json_set(${column}, '${path}', ${value}) WHERE revision = ${revision}`;

  async function divergence(test: TestTroupe, sql: string): Promise<Divergence | undefined> {
    test.write(sql);
    const { divergence: found } = await test.troupe.replay(ONE);
    return found;
  }

  it('[J2] a changed snapshot is named, with the path of what differs', async () => {
    const test = await counted(5);
    const found = await divergence(test, snapshotWith('$.context.count', '777'));
    expect(found).toEqual({
      seq: rowOf(test, 6),
      revision: 6,
      what: 'snapshot',
      differences: [{ path: '$.context.count', journal: '777', replay: '5' }],
      isCut: false,
    });
  });

  it('[J2] changed armings, revision, state and status of the stored actor are named', async () => {
    const test = await counted(4);
    const timer = `json_set(armings, '$.timers."stray@1"', 'stray')`;
    const [{ armings } = { armings: '' }] = test.rows<{ armings: string }>('SELECT * FROM actors');
    const found = await divergence(test, `UPDATE actors SET armings = ${timer}`);
    expect(found).toMatchObject({
      what: 'armings',
      differences: [{ path: '$.timers["stray@1"]', journal: '"stray"', replay: undefined }],
    });
    test.write('UPDATE actors SET armings = ?', armings);
    const others = [
      ['state', `'"odd"'`],
      ['status', `'done'`],
      ['revision', '6'],
    ] as const;
    for (const [column, value] of others) {
      const found = await divergence(test, `UPDATE actors SET ${column} = ${value}`);
      expect(found).toMatchObject({ what: column, seq: rowOf(test, 5), revision: 5 });
      expect(found?.differences).toHaveLength(1);
      const restored = { state: '"even"', status: 'active', revision: 5 };
      test.write(`UPDATE actors SET ${column} = ?`, restored[column]);
    }
    expect(await test.troupe.replay(ONE)).toMatchObject(EQUAL);
  });

  it('[J2] a changed event is named where it leads elsewhere', async () => {
    const test = await counted(5);
    const found = await divergence(test, journalWith('event', '$.type', `'FREEZE'`, 3));
    expect(found).toMatchObject({
      seq: rowOf(test, 3),
      revision: 3,
      what: 'state',
      differences: [{ path: '$', journal: '"even"', replay: '"frozen"' }],
    });
  });

  it('[J2] an event that is no JSON, and an answer without a name, are named', async () => {
    const test = await counted(5);
    const torn = await divergence(test, `UPDATE journal SET event = '{"type":' WHERE revision = 4`);
    expect(torn).toMatchObject({ seq: rowOf(test, 4), revision: 4, what: 'event' });
    expect(torn?.differences[0]).toMatchObject({ path: '$', journal: '{"type":' });
    const nameless = `UPDATE journal SET origin = 'call', incarnation = NULL WHERE revision = 2`;
    expect(await divergence(test, nameless)).toMatchObject({ revision: 2, what: 'event' });
  });

  it('[J2] changed effects and a changed revision are named', async () => {
    const test = await counted(5);
    const late = journalWith('effects', '$[0].delayMs', '1', 3);
    expect(await divergence(test, late)).toMatchObject({
      revision: 3,
      what: 'effects',
      differences: [{ path: '$[0].delayMs', journal: '1', replay: '60000' }],
    });
    const doubled = 'UPDATE journal SET revision = 1 WHERE revision = 2';
    expect(await divergence(test, doubled)).toMatchObject({ revision: 1, what: 'revision' });
  });

  it('[J2] a step told as late, and late evidence told as a step, are named', async () => {
    const test = await counted(5);
    await test.clock.advance(60_000);
    const late = `UPDATE journal SET kind = 'late' WHERE revision = 4`;
    expect(await divergence(test, late)).toMatchObject({ seq: rowOf(test, 4), what: 'late' });
    test.write(`UPDATE journal SET kind = 'step' WHERE revision = 4`);
    const stray = `UPDATE journal SET origin = 'timer', sender = actor, incarnation = 'stray@1' WHERE revision = 4`;
    expect(await divergence(test, stray)).toMatchObject({ seq: rowOf(test, 4), what: 'late' });
  });

  it('[J2] a changed checkpoint is named, also where only its bytes differ', async () => {
    const test = await counted(150);
    const miscounted = journalWith('checkpoint', '$.snapshot.context.count', '-1', 100);
    expect(await divergence(test, miscounted)).toMatchObject({
      seq: rowOf(test, 100),
      revision: 100,
      what: 'checkpoint',
      differences: [{ path: '$.snapshot.context.count', journal: '-1', replay: '99' }],
    });
    const spaced = `UPDATE journal SET checkpoint = replace(json_set(checkpoint, '$.snapshot.context.count', 99), '"armings"', ' "armings"')
      WHERE revision = 100`;
    const found = await divergence(test, spaced);
    expect(found).toMatchObject({ revision: 100, what: 'checkpoint' });
    expect(found?.differences).toEqual([
      {
        path: '$',
        journal: expect.stringContaining(', "armings"'),
        replay: expect.stringContaining(',"armings"'),
      },
    ]);
  });

  it('[J2] a checkpoint that cannot be read is named when a replay begins with it', async () => {
    const test = await counted(150);
    const torn = [
      `'{"snapshot":'`,
      `'{"snapshot":{}}'`,
      `replace(checkpoint, '"armings"', ' "armings"')`,
      `replace(checkpoint, '"value":"odd"', '"value":"gone"')`,
    ];
    for (const text of torn) {
      test.write(`UPDATE journal SET checkpoint = ${text} WHERE revision = 100`);
      expect(await test.troupe.replay(ONE, { from: 100 })).toMatchObject({
        from: 100,
        steps: 0,
        divergence: { seq: rowOf(test, 100), revision: 100, what: 'checkpoint' },
      });
    }
  });

  it('[J2] of many differences the first twenty are named, and long values are shortened', async () => {
    const test = await counted(2);
    const context = JSON.stringify(
      Object.fromEntries(
        Array.from({ length: 30 }, (_each, index) => [`k${index}`, 'x'.repeat(999)]),
      ),
    );
    const found = await divergence(test, snapshotWith('$.context', `json('${context}')`));
    expect(found?.differences).toHaveLength(20);
    expect(found?.isCut).toBe(true);
    expect(found?.differences.map(({ journal }) => journal?.length ?? 0)).toContain(201);
  });
});

describe('code', () => {
  // Taken before any step replaces them: as a module does that keeps a function of its own.
  const { random } = Math;
  const { hrtime } = process;

  it.each([
    ['the real randomness', () => random()],
    ['the real clock', () => Number(hrtime.bigint() % 1_000_000_007n)],
  ])('[J2] machine code that reads %s past the step is found', async (_what, read) => {
    const impure = createMachine({
      id: 'impure',
      context: { read: 0 },
      on: { READ: { actions: assign({ read }) } },
    });
    const test = await start({ machines: [durable(impure)] });
    const { address } = await test.troupe.spawn(durable(impure));
    await test.troupe.send(address, { type: 'READ' });
    await test.clock.settle();
    expect(await test.troupe.replay(address)).toMatchObject({
      steps: 2,
      divergence: { revision: 2, what: 'snapshot', differences: [{ path: '$.context.read' }] },
    });
  });

  it('[J2] changed code is found at the first row that it would have written otherwise', async () => {
    const test = await counted(5);
    await test.reopen({ machines: [durable(changed)], host: false });
    expect(await test.troupe.replay(ONE)).toMatchObject({
      steps: 1,
      revision: 1,
      divergence: { revision: 2, what: 'effects' },
    });
  });

  it('[J2] code that throws where a step was taken is found, with its message', async () => {
    const test = await counted(2);
    test.write(`UPDATE journal SET event = '{"type":"BREAK"}' WHERE revision = 2`);
    const { divergence } = await test.troupe.replay(ONE);
    expect(divergence).toMatchObject({ revision: 2, what: 'throw' });
    expect(divergence?.differences).toEqual([
      { path: '$', journal: 'a step', replay: 'machine_threw: broken' },
    ]);
  });
});

describe('stuck', () => {
  const healed = durable(mended);

  async function broken(): Promise<TestTroupe> {
    const test = await counted(3);
    await test.troupe.send(ONE, { type: 'BREAK' });
    await test.clock.settle();
    expect(await test.troupe.get(ONE)).toMatchObject({ status: 'stuck' });
    return test;
  }

  const stuckRow = (test: TestTroupe) =>
    test.rows<{ seq: number }>("SELECT seq FROM journal WHERE kind = 'stuck'")[0]?.seq;

  it('[J2] what parked an actor parks its replay, and is told once the code is mended', async () => {
    const test = await broken();
    expect(await test.troupe.replay(ONE)).toMatchObject({ ...EQUAL, steps: 4 });
    await test.reopen({ machines: [healed] });
    expect(await test.troupe.replay(ONE)).toMatchObject({
      steps: 4,
      mended: [stuckRow(test)],
      divergence: undefined,
    });
  });

  it('[J2] an intervention moves nothing, and the retried message is stepped by a later row', async () => {
    const test = await broken();
    const retry = '{"type":"troupe.retry","by":"ann","reason":"mended","revision":4}';
    await test.leave();
    test.write(`UPDATE actors SET status = 'active', error = NULL; UPDATE messages SET held = 0;
      INSERT INTO journal(actor, at, kind, event, machine_version)
        VALUES ('${ONE}', 0, 'intervention', '${retry}', 1)`);
    await test.reopen({ machines: [healed] });
    await count(test, 1);
    expect(await test.troupe.replay(ONE)).toMatchObject({
      revision: 6,
      steps: 6,
      mended: [stuckRow(test)],
      divergence: undefined,
    });
  });
});

describe('versions', () => {
  const second = defineMachine({ machine: counter, version: 2 });

  it('[J2] a journal without a checkpoint of the registered version says so', async () => {
    const test = await counted(150);
    await test.reopen({ machines: [second], host: false });
    const error = await refusal(test.troupe.replay(ONE), 'machine_version');
    expect(error.message).toContain('version 2');
    expect(error).toMatchObject({ details: { address: ONE, version: 2, stored: 1 } });
  });

  it('[J2] it begins at the oldest checkpoint of the registered version, and ends where another begins', async () => {
    const test = await counted(350);
    const since = rowOf(test, 200);
    test.write(`UPDATE journal SET machine_version = 2 WHERE seq >= ${since};
      UPDATE actors SET machine_version = 2`);
    const first = await refusal(test.troupe.replay(ONE), 'machine_version');
    expect(first).toMatchObject({ details: { seq: since, stored: 2, version: 1 } });
    await test.reopen({ machines: [second] });
    expect(await test.troupe.replay(ONE)).toMatchObject({
      ...EQUAL,
      from: 200,
      steps: 151,
      checkpoints: 1,
    } satisfies Partial<Replay>);
    await refusal(test.troupe.replay(ONE, { from: 150 }), 'revision_unknown');
  });

  it('[J2] without the machine, or without the actor, a typed error says what is missing', async () => {
    const test = await counted(1);
    await refusal(test.troupe.replay('counter/nobody'), 'actor_unknown');
    await test.reopen({ machines: [] });
    const error = await refusal(test.troupe.replay(ONE), 'machine_unknown');
    expect(error.message).toContain('--config');
  });

  it('[J2] a process that knows machines and is no host steps nothing', async () => {
    const test = await counted(1);
    await test.reopen({ host: false });
    await test.troupe.send(ONE, { type: 'COUNT' });
    await test.clock.advance(100);
    expect(await test.troupe.get(ONE)).toMatchObject({
      revision: 2,
      messages: [{ kind: 'event' }],
    });
    expect(await test.troupe.replay(ONE)).toMatchObject({ ...EQUAL, steps: 2 });
    expect(test.rows('SELECT * FROM hosts')).toEqual([]);
  });
});
