// J1: every step leaves one row that tells what happened, for programs and for people.

import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { assign, fromPromise, raise, sendTo, setup, spawnChild } from 'xstate';
import type { TestTroupe } from '../kit/index.ts';
import { durable, message, start } from './harness.ts';

const kid = setup({}).createMachine({ id: 'kid', on: { HI: {} } });
const story = setup({
  types: { context: {} as { chapters: string[] } },
  actors: { kid, job: fromPromise(async () => 'done') },
  actions: { ring: (_args, _params: unknown) => {} },
}).createMachine({
  id: 'story',
  context: { chapters: [] },
  type: 'parallel',
  states: {
    plot: {
      initial: 'open',
      states: {
        open: {
          on: {
            TELL: {
              target: 'told',
              actions: [
                assign({ chapters: ['one'] }),
                raise({ type: 'LATER' }, { delay: 1_000, id: 'later' }),
                spawnChild('kid', { id: 'kid', input: { name: 'Ada' } as never }),
                sendTo('kid', { type: 'HI' }),
                spawnChild('job', { id: 'job' }),
                { type: 'ring', params: { loud: true } },
              ],
            },
          },
        },
        told: {},
      },
    },
    mood: {},
  },
});
const machines = [durable(story)];

async function telling(): Promise<TestTroupe> {
  const test = await start({ machines });
  await test.troupe.spawn(durable(story), { id: '1' });
  await test.clock.settle();
  return test;
}

describe('a row', () => {
  it('[J1] tells sequence, actor, revision, time, event, cause, effects and state', async () => {
    const test = await telling();
    test.clock.jump(5_000);
    await test.troupe.send('story/1', message('TELL', { by: 'Ada' }));
    await test.clock.settle();
    const [, told] = await test.troupe.journal('story/1');
    expect(told).toEqual({
      seq: 2,
      address: 'story/1',
      revision: 2,
      atMs: test.clock.now(),
      kind: 'step',
      message: 2,
      event: { type: 'TELL', by: 'Ada' },
      origin: 'event',
      cause: undefined,
      state: { plot: 'told', mood: {} },
      effects: [
        { kind: 'schedule', incarnation: 'later@2', event: { type: 'LATER' }, delayMs: 1_000 },
        {
          kind: 'spawn',
          address: 'story.kid/1.kid@2',
          childId: 'kid',
          machine: 'story.kid',
          input: { name: 'Ada' },
        },
        { kind: 'send', to: 'story.kid/1.kid@2', event: { type: 'HI' } },
        { kind: 'call', incarnation: 'job@2', source: 'job' },
        { kind: 'notify', action: 'ring', params: { loud: true } },
      ],
    });
  });

  it('[J1] names the row that caused it, over actors, timers and calls', async () => {
    const test = await telling();
    await test.troupe.send('story/1', { type: 'TELL' });
    test.pool.newest('story.job').answer('x');
    await test.clock.advance(1_000);
    const rows = test.rows(
      "SELECT actor, cause, json_extract(event, '$.type') AS type FROM journal WHERE seq > 2 ORDER BY seq",
    );
    expect(rows).toEqual([
      { actor: 'story.kid/1.kid@2', cause: 2, type: 'xstate.init' },
      { actor: 'story.kid/1.kid@2', cause: 2, type: 'HI' },
      { actor: 'story/1', cause: 2, type: 'xstate.done.actor.job' },
      { actor: 'story/1', cause: 2, type: 'LATER' },
    ]);
  });

  it('[J1] there is one for each step, also for events that move nothing', async () => {
    const test = await telling();
    for (let n = 0; n < 20; n++) await test.troupe.send('story/1', message('NOTHING', { n }));
    const { revision } = await test.troupe.get('story/1');
    expect(test.rows("SELECT count(*) AS steps FROM journal WHERE kind = 'step'")).toEqual([
      { steps: revision },
    ]);
  });
});

describe('the journal', () => {
  it('[J1] is only appended to: what is written stays as it is', async () => {
    const test = await telling();
    const seen: string[] = [];
    for (const type of ['X', 'Y', 'Z']) {
      await test.troupe.send('story/1', { type });
      const rows = test
        .rows('SELECT * FROM journal ORDER BY seq')
        .map((row) => JSON.stringify(row));
      expect(rows.slice(0, seen.length)).toEqual(seen);
      seen.splice(0, seen.length, ...rows);
      await test.reopen();
    }
    expect(
      test.rows('SELECT * FROM journal ORDER BY seq').map((row) => JSON.stringify(row)),
    ).toEqual(seen);
  });

  it('[J1] never uses a sequence number twice', async () => {
    const test = await telling();
    await test.troupe.send('story/1', { type: 'X' });
    test.write('DELETE FROM journal');
    await test.troupe.send('story/1', { type: 'Y' });
    expect(test.rows('SELECT seq FROM journal')).toEqual([{ seq: 3 }]);
  });

  it('[J1] is read page by page', async () => {
    const test = await telling();
    for (let n = 0; n < 9; n++) await test.troupe.send('story/1', { type: 'X' });
    const page = await test.troupe.journal('story/1', { from: 4, limit: 4 });
    expect(page.map(({ revision }) => revision)).toEqual([4, 5, 6, 7]);
  });

  it('[J1] reads well with plain SQL, beside the host that writes it', async () => {
    const test = await telling();
    await test.troupe.send('story/1', { type: 'TELL' });
    const program = `
      import Database from 'better-sqlite3';
      const db = new Database(process.argv[1], { readonly: true });
      const sql = "SELECT seq, actor, revision, kind, event ->> 'type' AS event, state FROM journal WHERE actor = 'story/1'";
      console.log(JSON.stringify(db.prepare(sql).all()));`;
    const output = execFileSync(
      process.execPath,
      ['--input-type=module', '--eval', program, test.file],
      { encoding: 'utf8' },
    );
    expect(JSON.parse(output)).toEqual([
      {
        seq: 1,
        actor: 'story/1',
        revision: 1,
        kind: 'step',
        event: 'xstate.init',
        state: '{"plot":"open","mood":{}}',
      },
      {
        seq: 2,
        actor: 'story/1',
        revision: 2,
        kind: 'step',
        event: 'TELL',
        state: '{"plot":"told","mood":{}}',
      },
    ]);
  });
});
