// M1, M3: a receipt is proof that the message is on disk, and the same for the same message for ever.

import { describe, expect, it } from 'vitest';
import { assign, setup } from 'xstate';
import type { TestTroupe } from '../kit/index.ts';
import { durable, message, refusal, start } from './harness.ts';

const counter = durable(
  setup({ types: { context: {} as { count: number } } }).createMachine({
    id: 'counter',
    context: { count: 0 },
    initial: 'on',
    states: {
      on: {
        on: {
          COUNT: { actions: assign({ count: ({ context }) => context.count + 1 }) },
          END: 'off',
          THROW: {
            actions: assign(() => {
              throw new Error('no');
            }),
          },
        },
      },
      off: { type: 'final' },
    },
  }),
);
const COUNT = { type: 'COUNT' };

async function counting(): Promise<TestTroupe> {
  const test = await start({ machines: [counter] });
  await test.troupe.spawn(counter, { id: '1' });
  await test.clock.settle();
  return test;
}

const countOf = async ({ troupe }: TestTroupe): Promise<unknown> =>
  ((await troupe.get('counter/1')).context as { count: number }).count;

describe('a receipt', () => {
  it('[M1] names message, actor and place', async () => {
    const { troupe } = await counting();
    const named = await troupe.send('counter/1', COUNT, { messageId: 'click-1' });
    expect(named).toEqual({ messageId: 'click-1', address: 'counter/1', seq: named.seq });
    const unnamed = await troupe.send('counter/1', COUNT);
    expect(unnamed).toEqual({
      messageId: `message-${unnamed.seq}`,
      address: 'counter/1',
      seq: unnamed.seq,
    });
    expect(unnamed.seq).toBeGreaterThan(named.seq);
  });

  it('[M1] comes when another connection already sees the message', async () => {
    const test = await counting();
    await test.leave();
    const sender = await start({ store: test.file, clock: test.clock });
    const seen = await sender.troupe
      .send('counter/1', message('COUNT', { by: 'me' }), { messageId: 'm' })
      .then(({ seq }) => test.rows('SELECT id, actor, event FROM messages WHERE seq = ?', seq));
    expect(seen).toEqual([{ id: 'm', actor: 'counter/1', event: '{"type":"COUNT","by":"me"}' }]);
  });

  it('[M1] stands when the sender is gone and a host comes later', async () => {
    const test = await counting();
    await test.leave();
    const sender = await start({ store: test.file, clock: test.clock });
    for (let n = 0; n < 3; n++) await sender.troupe.send('counter/1', COUNT);
    await sender.leave();
    await test.reopen();
    expect(await countOf(test)).toBe(3);
  });

  it.each(['group.committed', 'perform.done'] as const)(
    '[M1] stands when the host ends at %s',
    async (end) => {
      let isEnding = false;
      const test = await start({
        machines: [counter],
        boundary: (point) => {
          if (isEnding && point === end) throw new Error('the process died here');
        },
      });
      await test.troupe.spawn(counter, { id: '1' });
      await test.clock.settle();
      isEnding = true;
      // At the first point nobody was told yet, but it is on disk; at the second the receipt is out.
      await test.troupe.send('counter/1', COUNT).catch(() => {});
      isEnding = false;
      await test.reopen();
      expect(await countOf(test)).toBe(1);
    },
  );
});

describe('the same id', () => {
  const send = (test: TestTroupe, event: { type: string } = COUNT) =>
    test.troupe.send('counter/1', event, { messageId: 'm' });

  it('[M3] and content give the same receipt, and one step', async () => {
    const test = await counting();
    const receipts = await Promise.all([send(test), send(test), send(test)]);
    await test.clock.settle();
    receipts.push(await send(test));
    await test.reopen();
    receipts.push(await send(test));
    expect(new Set(receipts.map((receipt) => JSON.stringify(receipt))).size).toBe(1);
    expect(await countOf(test)).toBe(1);
  });

  it('[M3] gives the same receipt after the actor has ended, and when it is stuck', async () => {
    for (const end of ['END', 'THROW']) {
      const test = await counting();
      const receipt = await send(test);
      await test.troupe.send('counter/1', { type: end });
      expect(await send(test)).toEqual(receipt);
      await test.reopen();
      expect(await send(test)).toEqual(receipt);
      expect(await test.troupe.undeliverable()).toEqual([]);
    }
  });

  it('[M3] and the same content in another order of keys is the same message', async () => {
    const test = await counting();
    const first = await send(test, message('COUNT', { a: 1, b: { c: [1, 2], d: null } }));
    const reordered = { b: { d: null, c: [1, 2] }, a: 1, type: 'COUNT' };
    const second = await send(test, reordered);
    expect(second).toEqual(first);
    expect(await countOf(test)).toBe(1);
  });

  it.each([
    ['another type', message('UNKNOWN', { a: 1 })],
    ['another value', message('COUNT', { a: 2 })],
    ['another order in a list', message('COUNT', { a: 1, list: [2, 1] })],
    ['one property more', message('COUNT', { a: 1, list: [1, 2], more: null })],
    ['a number as a text', message('COUNT', { a: '1', list: [1, 2] })],
  ])('[M3] with %s is a conflict, and nothing is stepped', async (_what, other) => {
    const test = await counting();
    await send(test, message('COUNT', { a: 1, list: [1, 2] }));
    const error = await refusal(send(test, other), 'message_id_conflict');
    expect(error.message).toContain('Use a new id for a new event');
    await test.reopen();
    await refusal(send(test, other), 'message_id_conflict');
    expect(await test.troupe.get('counter/1')).toMatchObject({
      revision: 2,
      context: { count: 1 },
    });
  });

  it('[M3] to another actor is another message', async () => {
    const test = await counting();
    await test.troupe.spawn(counter, { id: '2' });
    await send(test);
    await test.troupe.send('counter/2', COUNT, { messageId: 'm' });
    expect(await countOf(test)).toBe(1);
    expect(await test.troupe.get('counter/2')).toMatchObject({ context: { count: 1 } });
  });

  it('[M3] sent by a host and by a process beside it is one message', async () => {
    const test = await counting();
    const sender = await start({ store: test.file, clock: test.clock });
    const first = await sender.troupe.send('counter/1', COUNT, { messageId: 'm' });
    await test.clock.advance(20);
    expect(await send(test)).toEqual(first);
    expect(await countOf(test)).toBe(1);
  });

  it('[M3] of a send that was refused is free: it was never taken', async () => {
    const test = await start({ machines: [counter] });
    await refusal(send(test), 'actor_unknown');
    await test.troupe.spawn(counter, { id: '1' });
    await send(test);
    expect(await countOf(test)).toBe(1);
  });

  it.each([['', 'x'.repeat(257)]])('[M3] has 1 to 256 characters', async (...ids) => {
    const { troupe } = await counting();
    for (const messageId of ids) {
      await refusal(troupe.send('counter/1', COUNT, { messageId }), 'invalid_message_id');
    }
    await troupe.send('counter/1', COUNT, { messageId: 'x'.repeat(256) });
  });
});
