// K5: an actor that ends takes its timers with it, and moves its mailbox to where it can be found.

import { describe, expect, it } from 'vitest';
import { assign, fromPromise, raise, sendTo, setup, spawnChild, stopChild } from 'xstate';
import type { TestTroupe } from '../kit/index.ts';
import { durable, start } from './harness.ts';

const SECOND = 1_000;

const listener = setup({ types: { context: {} as { heard: string[] } } }).createMachine({
  id: 'listener',
  context: { heard: [] },
  on: {
    '*': { actions: assign({ heard: ({ context, event }) => [...context.heard, event.type] }) },
  },
});

const toListener = sendTo(({ system }) => system.get('listener/1'), { type: 'SOON' }, { delay: 5 });
const worker = setup({
  actors: { job: fromPromise(async () => 'done') },
}).createMachine({
  id: 'worker',
  initial: 'busy',
  states: {
    busy: {
      entry: [
        raise({ type: 'WAKE' }, { delay: 10 * SECOND, id: 'wake' }),
        sendTo(({ system }) => system.get('listener/1'), { type: 'LATER' }, { delay: 10 * SECOND }),
        spawnChild('job', { id: 'job' }),
      ],
      after: { [20 * SECOND]: 'ended' },
      on: {
        END: 'ended',
        HURRY: { actions: toListener },
        GROW: { actions: spawnChild('job', { id: 'more' }) },
      },
    },
    ended: { type: 'final' },
  },
});

const team = setup({ actors: { worker } }).createMachine({
  id: 'team',
  entry: [spawnChild('worker', { id: 'a' }), spawnChild('worker', { id: 'b' })],
  on: { STOP: { actions: stopChild('a') } },
});

const machines = [durable(listener), durable(worker), durable(team)];

async function working(): Promise<TestTroupe> {
  const test = await start({ machines });
  await test.troupe.spawn(durable(listener), { id: '1' });
  await test.troupe.spawn(durable(worker), { id: '1' });
  await test.clock.settle();
  return test;
}

const count = ({ rows }: TestTroupe, sql: string): unknown =>
  rows<{ count: unknown }>(`SELECT count(*) AS count FROM ${sql}`)[0]?.count;

describe('an actor that comes to its end', () => {
  it('[K5] moves what still waits to undeliverable, each with its receipt number', async () => {
    const { troupe, clock, rows } = await working();
    const [, a, b] = await Promise.all(
      ['END', 'A', 'B'].map((type) => troupe.send('worker/1', { type })),
    );
    await clock.settle();
    const kept = await troupe.undeliverable();
    expect(kept).toMatchObject([
      { reason: 'actor_final', message: { seq: a?.seq, actor: 'worker/1', event: { type: 'A' } } },
      { reason: 'actor_final', message: { seq: b?.seq, actor: 'worker/1', event: { type: 'B' } } },
    ]);
    expect(rows('SELECT * FROM messages')).toEqual([]);
  });

  it('[K5] takes its timers with it, in the transaction of its last step', async () => {
    const test = await working();
    expect(count(test, "messages WHERE kind = 'timer'")).toBe(3);
    await test.troupe.send('worker/1', { type: 'END' });
    expect(count(test, "messages WHERE kind = 'timer'")).toBe(0);
    await test.clock.advance(60 * SECOND);
    expect(await test.troupe.get('listener/1')).toMatchObject({ context: { heard: [] } });
    expect(await test.troupe.get('worker/1')).toMatchObject({ revision: 2, timers: [] });
    // A timer that will never fire is no lost message.
    expect(await test.troupe.undeliverable()).toEqual([]);
  });

  it('[K5] leaves to others what was due before its end', async () => {
    const test = await working();
    await test.troupe.send('worker/1', { type: 'HURRY' });
    test.clock.jump(10);
    // Both in one group: SOON is due, and its sender ends.
    await test.troupe.send('worker/1', { type: 'END' });
    await test.clock.settle();
    expect(await test.troupe.get('listener/1')).toMatchObject({ context: { heard: ['SOON'] } });
  });

  it('[K5] gives up the calls that it had ordered', async () => {
    const test = await working();
    await test.troupe.send('worker/1', { type: 'END' });
    expect(test.pool.newest('worker.job').isAborted).toBe(true);
    const { calls, status } = await test.troupe.get('worker/1');
    expect(status).toBe('done');
    expect(calls).toMatchObject([{ status: 'cancelling' }]);
    test.pool.newest('worker.job').answer('too late');
    await test.clock.settle();
    expect(await test.troupe.get('worker/1')).toMatchObject({
      revision: 2,
      calls: [{ status: 'done' }],
    });
  });
});

describe('an actor that is stopped', () => {
  const A = 'worker/1.a@1';
  const B = 'worker/1.b@1';

  async function teamed(): Promise<TestTroupe> {
    const test = await start({ machines });
    await test.troupe.spawn(durable(listener), { id: '1' });
    await test.troupe.spawn(durable(team), { id: '1' });
    await test.clock.settle();
    return test;
  }

  it('[K5] takes no further step, and neither do its timers', async () => {
    const test = await teamed();
    await test.troupe.send('team/1', { type: 'STOP' });
    expect(count(test, `messages WHERE actor = '${A}'`)).toBe(0);
    await test.clock.advance(60 * SECOND);
    expect(await test.troupe.get(A)).toMatchObject({ status: 'stopped', revision: 1 });
    expect(await test.troupe.get(B)).toMatchObject({ status: 'done' });
  });

  it('[K5] moves its mailbox to undeliverable', async () => {
    const test = await teamed();
    await Promise.all([
      test.troupe.send('team/1', { type: 'STOP' }),
      test.troupe.send(A, { type: 'GROW' }),
    ]);
    await test.clock.settle();
    expect(await test.troupe.undeliverable()).toMatchObject([
      { reason: 'actor_stopped', message: { actor: A, event: { type: 'GROW' } } },
    ]);
  });

  it('[K5, V8] is stopped also when its mailbox holds a damaged event', async () => {
    const test = await teamed();
    test.write("UPDATE messages SET event = '{damaged' WHERE actor = ? AND kind = 'timer'", A);
    test.write(
      `INSERT INTO messages(actor, machine, event, kind, ready_at, held) VALUES (?, 'worker', '{damaged', 'event', 0, 1)`,
      A,
    );
    await test.troupe.send('team/1', { type: 'STOP' });
    await test.clock.settle();
    expect(await test.troupe.get(A)).toMatchObject({ status: 'stopped' });
    expect(await test.troupe.get('team/1')).toMatchObject({ status: 'active', revision: 2 });
    expect(await test.troupe.undeliverable()).toMatchObject([
      { reason: 'actor_stopped', message: { event: '{damaged' } },
    ]);
  });
});

it('[K5] an ended actor stays ended after a restart, with all that it left', async () => {
  const test = await start({ machines });
  await test.troupe.spawn(durable(worker), { id: '1' });
  await Promise.all(['END', 'A'].map((type) => test.troupe.send('worker/1', { type })));
  await test.reopen();
  await test.clock.advance(60 * SECOND);
  expect(await test.troupe.get('worker/1')).toMatchObject({ status: 'done', revision: 2 });
  expect(await test.troupe.undeliverable()).toHaveLength(1);
});
