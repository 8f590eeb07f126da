// K10: a mailbox is bounded for those who send from outside; results, timers and sends between actors are always taken.

import { describe, expect, it } from 'vitest';
import { assign, createMachine, fromPromise, sendTo, setup } from 'xstate';
import { defineMachine } from '../../actors/index.ts';
import { MAILBOX_MESSAGES_MAX } from '../../actors/limits.ts';
import type { TestTroupe } from '../kit/index.ts';
import { durable, refusal, start } from './harness.ts';

const busy = setup({
  types: { context: {} as { heard: string[]; count: number } },
  actors: { job: fromPromise(async () => 'done') },
  actions: {
    hear: assign({ heard: ({ context }, what: string) => [...context.heard, what] }),
  },
}).createMachine({
  id: 'busy',
  context: { heard: [], count: 0 },
  invoke: { id: 'job', src: 'job', onDone: { actions: { type: 'hear', params: 'result' } } },
  after: { 1_000: { actions: { type: 'hear', params: 'timer' } } },
  on: {
    HI: { actions: { type: 'hear', params: 'message' } },
    COUNT: { actions: assign({ count: ({ context }) => context.count + 1 }) },
  },
});
const peer = createMachine({
  id: 'peer',
  on: { GO: { actions: sendTo(({ system }) => system.get('busy/1'), { type: 'HI' }) } },
});
const machines = [
  defineMachine({ machine: busy, version: 1, promises: { job: { class: 'read' } } }),
  durable(peer),
];

/** Fills a mailbox, as a person who sends faster than the actor steps. `held` keeps the host from stepping them. */
function fill({ write }: TestTroupe, count: number, held: 0 | 1): void {
  write(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
     INSERT INTO messages(actor, machine, event, kind, ready_at, held)
     SELECT 'busy/1', 'busy', '{"type":"COUNT"}', 'event', 0, ${held} FROM n`,
  );
}

async function full(count: number): Promise<TestTroupe> {
  const test = await start({ machines });
  for (const machine of machines) await test.troupe.spawn(machine, { id: '1' });
  await test.clock.settle();
  fill(test, count, 1);
  return test;
}

describe('a mailbox', () => {
  it('[K10] of 10,000 refuses the next one from outside', async () => {
    const test = await full(MAILBOX_MESSAGES_MAX);
    const error = await refusal(test.troupe.send('busy/1', { type: 'COUNT' }), 'mailbox_full');
    expect(error.message).toContain('10000 messages wait for busy/1');
    expect(error).toMatchObject({ outcome: 'notWritten' });
  });

  it('[K10] takes the ten-thousandth, also from a process beside the host', async () => {
    const test = await start({ machines });
    await test.troupe.spawn(durable(busy), { id: '1' });
    await test.leave();
    fill(test, MAILBOX_MESSAGES_MAX - 1, 0);
    const sender = await start({ store: test.file, clock: test.clock });
    await sender.troupe.send('busy/1', { type: 'COUNT' });
    await refusal(sender.troupe.send('busy/1', { type: 'COUNT' }), 'mailbox_full');
    const [row] = test.rows("SELECT count(*) AS count FROM messages WHERE kind <> 'timer'");
    expect(row).toEqual({ count: MAILBOX_MESSAGES_MAX });
  });

  it('[K10] that is full still takes results, timers and sends between actors', async () => {
    const test = await full(MAILBOX_MESSAGES_MAX);
    await refusal(test.troupe.send('busy/1', { type: 'HI' }), 'mailbox_full');
    await test.troupe.send('peer/1', { type: 'GO' });
    test.pool.newest('busy.job').answer('done');
    await test.clock.advance(1_000);
    expect(await test.troupe.get('busy/1')).toMatchObject({
      context: { heard: ['message', 'result', 'timer'] },
    });
  });

  it('[K10] that is full keeps nobody else waiting, and takes more when it has been stepped', async () => {
    const test = await full(MAILBOX_MESSAGES_MAX);
    await test.troupe.send('peer/1', { type: 'OTHER' });
    test.write('UPDATE messages SET held = 0');
    await test.clock.advance(100);
    await test.troupe.send('busy/1', { type: 'COUNT' });
    await test.clock.settle();
    expect(await test.troupe.get('busy/1')).toMatchObject({
      messages: [],
      context: { count: MAILBOX_MESSAGES_MAX + 1 },
    });
  });

  it('[K10] a repeated message id is answered also when the mailbox is full', async () => {
    const test = await start({ machines });
    await test.troupe.spawn(durable(busy), { id: '1' });
    const receipt = await test.troupe.send('busy/1', { type: 'COUNT' }, { messageId: 'm' });
    fill(test, MAILBOX_MESSAGES_MAX, 1);
    expect(await test.troupe.send('busy/1', { type: 'COUNT' }, { messageId: 'm' })).toEqual(
      receipt,
    );
  });
});
