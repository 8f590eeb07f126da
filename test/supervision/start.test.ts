// Start: what a host does with what it finds, before it says that it is ready.

import { expect, it } from 'vitest';
import { assign, setup } from 'xstate';
import { defineMachine } from '../../actors/index.ts';
import { takeHostLock } from '../../persistence/index.ts';
import {
  calls,
  effectMachine,
  machines,
  openForTest,
  readMachine,
  replayableMachine,
} from '../calls/support/calls.ts';
import { seededEntropy } from '../kit/index.ts';
import { lockFilesOf, rowsOf, startHost, storeForTest } from './support/process.ts';

/** Rings at its time, and notes when; AGAIN arms it anew. */
const alarm = defineMachine({
  version: 1,
  machine: setup({
    types: { context: {} as { rings: number; delayMs: number }, input: {} as number },
    delays: { wait: ({ context }) => context.delayMs },
    actions: { ring: assign({ rings: ({ context }) => context.rings + 1 }) },
  }).createMachine({
    id: 'alarm',
    context: ({ input }) => ({ rings: 0, delayMs: input }),
    initial: 'waiting',
    states: {
      waiting: { after: { wait: { target: 'rung', actions: 'ring' } } },
      rung: {},
    },
  }),
});

/** Arms itself again each time it rings. */
const metronome = defineMachine({
  version: 1,
  machine: setup({
    types: { context: {} as { rings: number } },
    actions: { ring: assign({ rings: ({ context }) => context.rings + 1 }) },
  }).createMachine({
    id: 'metronome',
    context: { rings: 0 },
    initial: 'waiting',
    states: {
      waiting: { after: { 1_000: { target: 'waiting', reenter: true, actions: 'ring' } } },
    },
  }),
});

it('[V1] mailboxes are drained before the host says that it is ready', async () => {
  const test = await openForTest({ machines: [alarm], calls: [] });
  for (let id = 0; id < 20; id++) await test.troupe.spawn(alarm, { id: String(id), input: 1 });
  await test.leave();
  test.write(`WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 1999)
    INSERT INTO messages(actor, machine, event, kind, ready_at)
    SELECT 'alarm/' || (i % 20), 'alarm', '{"type":"HELLO"}', 'event', i FROM n`);
  await test.reopen();
  expect(test.rows("SELECT 1 FROM messages WHERE kind <> 'timer'")).toEqual([]);
  const actors = await test.troupe.list({ machine: 'alarm' });
  expect(actors.map(({ revision }) => revision)).toEqual(Array.from({ length: 20 }, () => 101));
});

it('[V1, C5] the calls of a dead host are settled before the next one says that it is ready', async () => {
  const test = await openForTest({ machines, calls });
  await test.troupe.spawn(readMachine, { id: 'a' });
  await test.troupe.spawn(effectMachine, { id: 'a' });
  await test.troupe.spawn(replayableMachine, { id: 'a' });
  await test.clock.settle();
  await test.leave();
  // Two hosts that died while they ran them: one still has a row, of the other an operator removed it.
  for (const dead of ['dead-1', 'dead-2']) {
    const lock = takeHostLock(test.file, dead);
    lock.unlock();
    test.write(
      'INSERT INTO hosts(incarnation, lock_file, inode, schema, pid, started_at) VALUES (?, ?, ?, 1, 1, 1)',
      dead,
      lock.file,
      lock.inode,
    );
  }
  test.write(`UPDATE calls SET status = 'claimed', host = 'dead-1', attempt = 1;
    UPDATE calls SET host = 'dead-2' WHERE class = 'replayable';
    UPDATE actors SET state = '"working"', revision = 1 WHERE id = 'actor/a'`);
  await test.reopen();
  expect(test.rows('SELECT class, status, attempt, host FROM calls ORDER BY class')).toMatchObject([
    { class: 'effect', status: 'unknown', attempt: 1, host: 'dead-1' },
    { class: 'read', status: 'claimed', attempt: 2 },
    { class: 'replayable', status: 'claimed', attempt: 2 },
  ]);
  expect(test.rows('SELECT incarnation FROM hosts')).toHaveLength(1);
  expect(lockFilesOf(test.file)).toHaveLength(1);
});

it('[V1, C5] calls that a host without a row had claimed are settled, too', async () => {
  const test = await openForTest({ machines, calls });
  const { address } = await test.troupe.spawn(effectMachine, { id: 'a' });
  await test.clock.settle();
  const stopped = test.clock.advance(0);
  test.write('DELETE FROM hosts');
  await stopped;
  await test.leave();
  expect(test.rows('SELECT status FROM calls')).toEqual([{ status: 'claimed' }]);
  await test.reopen();
  expect(await test.troupe.get(address)).toMatchObject({
    state: 'failed',
    context: { error: { code: 'interrupted', outcome: 'unknown' } },
  });
});

it('[V1, T1] what fell due while no host ran fires once, in due order, before the host is ready', async () => {
  const test = await openForTest({ machines: [alarm], calls: [] });
  const delays = [5_000, 1_000, 9_000, 3_000, 60_000];
  for (const input of delays) await test.troupe.spawn(alarm, { id: String(input), input });
  await test.clock.settle();
  await test.leave();
  await test.clock.advance(10_000);
  await test.reopen();
  const rung = test.rows(
    "SELECT actor FROM journal WHERE event LIKE '%xstate.after%' ORDER BY seq",
  );
  expect(rung.map(({ actor }) => actor)).toEqual(
    [1_000, 3_000, 5_000, 9_000].map((delay) => `alarm/${delay}`),
  );
  await test.clock.advance(49_999);
  expect(await test.troupe.get('alarm/60000')).toMatchObject({ state: 'waiting' });
  await test.clock.advance(1);
  for (const delay of delays) {
    expect(await test.troupe.get(`alarm/${delay}`)).toMatchObject({ context: { rings: 1 } });
  }
});

it('[V1, T1] a timer that arms itself again outlives any number of hosts, without a gap or a second arm', async () => {
  const test = await openForTest({ machines: [metronome], calls: [] });
  const { address } = await test.troupe.spawn(metronome, { id: 'm' });
  await test.clock.settle();
  let longestMs = 0;
  for (let round = 1; round <= 30; round++) {
    await test.leave();
    // Down for anything between no time and two days.
    const downMs = round % 3 === 0 ? 0 : round % 3 === 1 ? 1_700 : 2 * 86_400_000;
    longestMs = Math.max(longestMs, downMs);
    await test.clock.advance(downMs);
    const before = (await test.reopen().then(() => test.troupe.get(address))).context;
    expect(test.rows("SELECT 1 FROM messages WHERE kind = 'timer'")).toHaveLength(1);
    await test.clock.advance(1_000);
    const after = (await test.troupe.get(address)).context;
    expect((after as { rings: number }).rings).toBe((before as { rings: number }).rings + 1);
  }
  expect(longestMs).toBe(2 * 86_400_000);
});

it('[V1, T1, M4] a timer fires once, though a host died after it was due and before its step was on disk', async () => {
  const { file } = storeForTest();
  const first = await startHost(file);
  await first.ask('spawn', 'bell', 'b', null);
  await first.ask('close');
  for (const boundary of ['group.begun', 'group.beforeCommit'] as const) {
    await expect(startHost(file, { killAt: { boundary, count: 1 } })).rejects.toMatchObject({
      code: 'died',
    });
  }
  const last = await startHost(file);
  expect(await last.ask('watch', 'bell/b', 'rung')).toEqual(['waiting', 'rung']);
  expect(rowsOf(file, 'SELECT 1 FROM messages')).toEqual([]);
});

const damages = [
  [
    'a snapshot that is no JSON',
    "UPDATE actors SET snapshot = '{' WHERE id = 'alarm/bad'",
    'snapshot_damaged',
  ],
  [
    'a snapshot without a status',
    "UPDATE actors SET snapshot = '{}' WHERE id = 'alarm/bad'",
    'snapshot_damaged',
  ],
  [
    'a state that the machine has not',
    `UPDATE actors SET snapshot = json_set(snapshot, '$.value', 'gone') WHERE id = 'alarm/bad'`,
    'state_unknown',
  ],
  [
    'armings that are no JSON',
    "UPDATE actors SET armings = '[' WHERE id = 'alarm/bad'",
    'snapshot_damaged',
  ],
  [
    'an event that is no JSON',
    "UPDATE messages SET event = '{' WHERE actor = 'alarm/bad'",
    'event_damaged',
  ],
] as const;

it.each(damages)(
  '[V1] one actor with %s stops no start; it is parked',
  async (_what, damage, code) => {
    const test = await openForTest({ machines: [alarm], calls: [] });
    for (const id of ['bad', 'good']) await test.troupe.spawn(alarm, { id, input: 1_000 });
    await test.clock.settle();
    await test.leave();
    test.write(damage);
    await test.clock.advance(2_000);
    await test.reopen();
    expect(await test.troupe.get('alarm/bad')).toMatchObject({ status: 'stuck', stuck: { code } });
    expect(await test.troupe.get('alarm/good')).toMatchObject({ state: 'rung' });
    await test.reopen();
    expect(await test.troupe.get('alarm/bad')).toMatchObject({ status: 'stuck' });
  },
);

it('[V1, C5] a call whose stored input is damaged stops no start; its actor learns that it never began', async () => {
  const test = await openForTest({ machines, calls });
  for (const id of ['bad', 'good']) await test.troupe.spawn(readMachine, { id, input: id });
  await test.clock.settle();
  await test.leave();
  test.write("UPDATE calls SET input = '{' WHERE actor = 'reader/bad'");
  await test.reopen();
  await test.clock.settle();
  expect(await test.troupe.get('reader/bad')).toMatchObject({
    state: 'failed',
    context: { error: { code: 'input_damaged', outcome: 'failed' } },
  });
  expect(test.pool.newest('look')).toMatchObject({ input: 'good', attempt: 2 });
});

it('[V1] a host that must stop while it opens is not ready: open rejects, and the next one may enter', async () => {
  const test = await openForTest({ machines: [alarm], calls: [], entropy: seededEntropy('h') });
  await test.troupe.spawn(alarm, { id: 'a', input: 1_000 });
  await test.clock.settle();
  await test.leave();
  await test.clock.advance(2_000);
  const failed = test.reopen({
    boundary: (boundary) => {
      if (boundary === 'group.beforeCommit') throw new Error('a bug');
    },
  });
  await expect(failed.then(() => 'open')).rejects.toThrow('a bug');
  expect(lockFilesOf(test.file)).toEqual([]);
  expect(test.rows('SELECT 1 FROM hosts')).toEqual([]);
  await test.reopen({ boundary: () => {} });
  expect(await test.troupe.get('alarm/a')).toMatchObject({ state: 'rung', context: { rings: 1 } });
});
