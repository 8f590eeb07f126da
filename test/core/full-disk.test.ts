// V7: a storage that fails is told to those who send, steps nothing by halves, and work goes on by itself afterwards.

import { describe, expect, it } from 'vitest';
import { assign, fromPromise, setup } from 'xstate';
import { defineMachine } from '../../actors/index.ts';
import { openTestTroupe, type TestTroupe } from '../kit/index.ts';
import { message, refusal, start, storeOf } from './harness.ts';

const keeper = defineMachine({
  machine: setup({
    types: { context: {} as { kept: number; fired: number; answers: unknown[] } },
    actors: { ask: fromPromise(async () => 'never asked here') },
  }).createMachine({
    id: 'keeper',
    context: { kept: 0, fired: 0, answers: [] },
    initial: 'on',
    invoke: {
      id: 'ask',
      src: 'ask',
      onDone: {
        actions: assign({ answers: ({ context, event }) => [...context.answers, event.output] }),
      },
    },
    states: {
      on: {
        on: { KEEP: { actions: assign({ kept: ({ context }) => context.kept + 1 }) } },
        after: { 1_000: { actions: assign({ fired: ({ context }) => context.fired + 1 }) } },
      },
    },
  }),
  version: 1,
  promises: { ask: { class: 'read' } },
});

/** More than fits into the pages that are there. */
const keep = message('KEEP', { text: 'x'.repeat(100_000) });

/** The disk is as full as the database is large. */
function fill({ troupe }: TestTroupe): void {
  const { connection } = storeOf(troupe);
  const count = connection.pragma('page_count', { simple: true }) as number;
  connection.pragma(`max_page_count = ${count}`);
}

function makeRoom({ troupe }: TestTroupe): void {
  storeOf(troupe).connection.pragma('max_page_count = 1000000');
}

async function keeping(): Promise<TestTroupe> {
  const test = await start({ machines: [keeper] });
  await test.troupe.spawn(keeper, { id: '1' });
  await test.troupe.spawn(keeper, { id: '2' });
  await test.clock.settle();
  return test;
}

describe('a full disk', () => {
  it('[V7] refuses a send with the way out, and nothing of it is there', async () => {
    const test = await keeping();
    const before = test.rows('SELECT * FROM actors');
    fill(test);
    const error = await refusal(test.troupe.send('keeper/1', keep), 'storage_unavailable');
    expect(error.message).toMatch(/The disk of .* is full\. Make room/);
    expect(error).toMatchObject({ outcome: 'notWritten', details: { sqlite: 'SQLITE_FULL' } });
    expect(test.rows('SELECT * FROM actors')).toEqual(before);
    expect(test.rows("SELECT * FROM messages WHERE kind = 'event'")).toEqual([]);
    makeRoom(test);
  });

  it('[V7] the host goes on by itself when there is room again', async () => {
    const test = await keeping();
    fill(test);
    await refusal(test.troupe.send('keeper/1', keep), 'storage_unavailable');
    await test.clock.advance(10_000);
    makeRoom(test);
    await test.clock.advance(2_000);
    await test.troupe.send('keeper/1', keep);
    await test.troupe.send('keeper/2', keep);
    for (const id of ['1', '2']) {
      expect(await test.troupe.get(`keeper/${id}`)).toMatchObject({
        status: 'active',
        context: { kept: 1 },
      });
    }
  });

  it('[V7] what was due and what was answered meanwhile is stepped once afterwards', async () => {
    const test = await keeping();
    // So full that not even a journal row fits: small rows use up the last free bytes.
    fill(test);
    let isFull = false;
    for (let n = 0; n < 500 && !isFull; n++) {
      isFull = await test.troupe.send('keeper/2', { type: 'OTHER' }).then(
        () => false,
        () => true,
      );
    }
    expect(isFull).toBe(true);
    await test.clock.advance(5_000);
    for (const attempt of test.pool.running) attempt.answer('yes');
    await test.clock.advance(5_000);
    expect((await test.troupe.get('keeper/1')).context).toMatchObject({ fired: 0, answers: [] });
    makeRoom(test);
    await test.clock.advance(2_000);
    for (const id of ['1', '2']) {
      expect((await test.troupe.get(`keeper/${id}`)).context).toEqual({
        kept: 0,
        fired: 1,
        answers: ['yes'],
      });
    }
  });

  it('[V7] tries again after a while, not all the time', async () => {
    let groups = 0;
    const test = await start({
      machines: [keeper],
      boundary: (point) => {
        if (point === 'group.begun') groups++;
      },
    });
    await test.troupe.spawn(keeper, { id: '1' });
    await test.clock.settle();
    fill(test);
    await refusal(test.troupe.send('keeper/1', keep), 'storage_unavailable');
    storeOf(test.troupe).messages.insert({
      actor: 'keeper/1',
      sender: undefined,
      event: '{"type":"OTHER"}',
      kind: 'event',
      readyAtMs: 0,
      cause: undefined,
      held: false,
    });
    const before = groups;
    await test.clock.advance(60_000);
    expect(groups - before).toBeLessThanOrEqual(60);
    makeRoom(test);
  });

  it('[V7] still lets everybody read', async () => {
    const test = await keeping();
    fill(test);
    await refusal(test.troupe.send('keeper/1', keep), 'storage_unavailable');
    expect(await test.troupe.list()).toHaveLength(2);
    expect(await test.troupe.journal('keeper/1')).toHaveLength(1);
    const beside = await start({ store: test.file, clock: test.clock });
    expect(await beside.troupe.get('keeper/1')).toMatchObject({ status: 'active' });
    makeRoom(test);
  });

  it('[V7] meets a process beside the host with the same typed error', async () => {
    const test = await keeping();
    const sender = await start({ store: test.file, clock: test.clock });
    fill(sender);
    const error = await refusal(sender.troupe.send('keeper/1', keep), 'storage_unavailable');
    expect(error).toMatchObject({ outcome: 'notWritten' });
    makeRoom(sender);
    await sender.troupe.send('keeper/1', keep);
    await test.clock.advance(100);
    expect(await test.troupe.get('keeper/1')).toMatchObject({ context: { kept: 1 } });
  });

  it('[V7, V9] does not keep a host from closing, and the next one finds everything', async () => {
    const test = await keeping();
    fill(test);
    await refusal(test.troupe.send('keeper/1', keep), 'storage_unavailable');
    await test.leave();
    await test.reopen();
    for (const attempt of test.pool.running) attempt.answer('yes');
    await test.clock.advance(1_000);
    expect(await test.troupe.get('keeper/1')).toMatchObject({
      status: 'active',
      context: { kept: 0, fired: 1, answers: ['yes'] },
    });
  });
});

describe('a store that another process is writing', () => {
  it('[V7] keeps a send waiting, not failing, and a host that opens as well', async () => {
    const test = await keeping();
    const other = await openTestTroupe({ store: test.file, clock: test.clock });
    expect(storeOf(other.troupe).begin()).toBe(true);
    let isSent = false;
    const sent = test.troupe.send('keeper/1', keep).then((receipt) => {
      isSent = true;
      return receipt;
    });
    await test.clock.advance(5_000);
    expect(isSent).toBe(false);
    storeOf(other.troupe).rollback();
    await test.clock.advance(50);
    expect(await sent).toMatchObject({ address: 'keeper/1' });
    await other.close();
  });

  it('[V7] a sender gives up after ten seconds and says what is on disk', async () => {
    const test = await keeping();
    await test.leave();
    const busy = await start({ store: test.file, clock: test.clock });
    const sender = await start({ store: test.file, clock: test.clock });
    expect(storeOf(busy.troupe).begin()).toBe(true);
    const refused = refusal(sender.troupe.send('keeper/1', keep), 'storage_busy');
    await test.clock.advance(11_000);
    expect(await refused).toMatchObject({ outcome: 'notWritten' });
    storeOf(busy.troupe).rollback();
  });
});
