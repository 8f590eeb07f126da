// Arrivals: messages that are stepped in the group that took them are never rows; nothing of them is lost or told twice.

import { describe, expect, it } from 'vitest';
import { assign, raise, setup } from 'xstate';
import { GROUP_STEPS_MAX } from '../../actors/limits.ts';
import { durable, message, start } from './harness.ts';

const counter = durable(
  setup({
    types: { context: {} as { count: number }, events: {} as { type: string } },
  }).createMachine({
    id: 'counter',
    context: { count: 0 },
    on: {
      ADD: { actions: assign({ count: ({ context }) => context.count + 1 }) },
      LATER: { actions: raise({ type: 'ADD' }, { delay: 50 }) },
      THROW: {
        actions: assign(() => {
          throw new Error('this machine throws');
        }),
      },
    },
  }),
);

/** The numbers of the messages that the journal tells of, in its order. */
const STEPPED = "SELECT message FROM journal WHERE kind = 'step' ORDER BY seq";

async function counting() {
  const test = await start({ machines: [counter] });
  await test.troupe.spawn(counter, { id: 'a' });
  await test.troupe.spawn(counter, { id: 'b' });
  await test.clock.settle();
  return test;
}

const countOf = (snapshot: { readonly context: unknown }) =>
  (snapshot.context as { count: number }).count;

describe('arrivals', () => {
  it('[K2, M4] what a group took and had no room to step is a row, and stepped later, once', async () => {
    const test = await counting();
    const sends = GROUP_STEPS_MAX + 100;
    const left: number[] = [];
    await Promise.all(
      Array.from({ length: sends }, () =>
        test.troupe.send('counter/a', message('ADD')).then(() => {
          left.push(test.rows('SELECT seq FROM messages').length);
        }),
      ),
    );
    expect(Math.max(...left)).toBeGreaterThanOrEqual(100);
    await test.clock.settle();
    expect(countOf(await test.troupe.get('counter/a'))).toBe(sends);
    expect(test.rows('SELECT seq FROM messages')).toEqual([]);
  });

  it('[M4, M3] a number is given once, also when its message was never a row, over timers and restarts', async () => {
    const test = await counting();
    const seqs = [];
    for (const type of ['ADD', 'LATER', 'ADD', 'ADD']) {
      seqs.push((await test.troupe.send('counter/a', message(type))).seq);
    }
    await test.clock.advance(100);
    await test.reopen();
    seqs.push((await test.troupe.send('counter/a', message('ADD'))).seq);
    await test.clock.settle();
    expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
    const stepped = test.rows(STEPPED).map((row) => row['message']);
    expect(stepped).toEqual(expect.arrayContaining(seqs));
    expect(new Set(stepped).size).toBe(stepped.length);
    expect(countOf(await test.troupe.get('counter/a'))).toBe(5);
  });

  it('[K2, K6] a step that throws takes nothing with it: its message is kept, and the others of its group are stepped', async () => {
    const test = await counting();
    await Promise.all(
      ['ADD', 'THROW', 'ADD'].map((type, index) =>
        test.troupe.send(index === 1 ? 'counter/b' : 'counter/a', message(type)),
      ),
    );
    await test.clock.settle();
    expect(countOf(await test.troupe.get('counter/a'))).toBe(2);
    expect(await test.troupe.get('counter/b')).toMatchObject({ status: 'stuck' });
    expect(test.rows('SELECT actor, event, held FROM messages')).toEqual([
      { actor: 'counter/b', event: '{"type":"THROW"}', held: 1 },
    ]);
  });
});
