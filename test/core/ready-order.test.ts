// T4: messages are stepped by the time at which they became ready; neither arrivals nor stamps ever go back.

import { describe, expect, it } from 'vitest';
import { assign, fromPromise, setup } from 'xstate';
import type { TestTroupe } from '../kit/index.ts';
import { durable, message, start } from './harness.ts';

const SECOND = 1_000;

const asker = durable(
  setup({
    types: { context: {} as { log: string[] } },
    actors: { ask: fromPromise(async () => 'never asked here') },
    actions: { note: assign({ log: ({ context }, what: string) => [...context.log, what] }) },
  }).createMachine({
    id: 'asker',
    context: { log: [] },
    initial: 'asking',
    on: { ANSWER: { actions: { type: 'note', params: 'answer too late' } } },
    states: {
      asking: {
        invoke: {
          id: 'ask',
          src: 'ask',
          onDone: { target: 'answered', actions: { type: 'note', params: 'result' } },
          onError: { actions: { type: 'note', params: 'error' } },
        },
        on: { ANSWER: { target: 'answered', actions: { type: 'note', params: 'answer' } } },
        after: { [10 * SECOND]: { target: 'late', actions: { type: 'note', params: 'deadline' } } },
      },
      answered: {},
      late: {},
    },
  }),
);

const log = async ({ troupe }: TestTroupe): Promise<string[]> =>
  ((await troupe.get('asker/1')).context as { log: string[] }).log;

async function asking(): Promise<TestTroupe> {
  const test = await start({ machines: [asker] });
  await test.troupe.spawn(asker, { id: '1' });
  await test.clock.settle();
  return test;
}

describe('an answer and a deadline', () => {
  it.each([
    [5, 'answer'],
    [15, 'deadline'],
  ])(
    '[T4] answered %d s after the start, in an outage: the first is %s',
    async (seconds, first) => {
      const test = await asking();
      await test.leave();
      const sender = await start({ store: test.file, clock: test.clock });
      await test.clock.advance(seconds * SECOND);
      await sender.troupe.send('asker/1', { type: 'ANSWER' });
      await test.clock.advance(60 * SECOND);
      await test.reopen();
      expect((await log(test)).filter((what) => what !== 'error')[0]).toBe(first);
    },
  );

  it.each([
    [5, 'answered'],
    [15, 'late'],
  ])(
    '[T4] answered %d s after the start, before a machine that slept: it is %s',
    async (seconds, state) => {
      const test = await asking();
      const sender = await start({ store: test.file, clock: test.clock });
      // The host does not get to look before both have come.
      test.clock.jump(seconds * SECOND);
      await sender.troupe.send('asker/1', { type: 'ANSWER' });
      test.clock.jump(60 * SECOND);
      await test.clock.advance(30 * SECOND);
      expect(await test.troupe.get('asker/1')).toMatchObject({ state });
    },
  );

  it('[T4] the result of a call that came in time beats the deadline that fell due after it', async () => {
    const test = await asking();
    await test.clock.advance(10 * SECOND - 1);
    test.pool.newest('asker.ask').answer('yes');
    await test.clock.settle();
    await test.clock.advance(10 * SECOND);
    expect(await log(test)).toEqual(['result']);
  });

  it('[T4] of one moment the earlier one is stepped first', async () => {
    const test = await asking();
    test.clock.jump(10 * SECOND);
    // Due is due: the timer has the smaller number.
    await test.troupe.send('asker/1', { type: 'ANSWER' });
    await test.clock.settle();
    expect(await log(test)).toEqual(['deadline', 'answer too late']);
  });
});

describe('a clock that goes back', () => {
  const times = ({ rows }: TestTroupe, sql: string): number[] =>
    rows<{ ms: number }>(sql).map(({ ms }) => ms);
  const isRising = (list: readonly number[]): boolean =>
    list.every((ms, index) => ms >= (list[index - 1] ?? 0));

  it('[T4] makes no arrival earlier than the one before, also of another process', async () => {
    const test = await asking();
    await test.leave();
    const senders = [
      await start({ store: test.file, clock: test.clock }),
      await start({ store: test.file, clock: test.clock }),
    ];
    const startMs = test.clock.now();
    for (const [index, ms] of [0, -3_600, 10, 7_200, -7_200, 1].entries()) {
      test.clock.jump(ms * SECOND);
      await senders[index % 2]?.troupe.send('asker/1', message('NOTE', { index }));
    }
    const arrivals = times(
      test,
      "SELECT ready_at AS ms FROM messages WHERE kind = 'event' ORDER BY seq",
    );
    expect(isRising(arrivals)).toBe(true);
    expect(arrivals[0]).toBe(startMs);
    expect(arrivals.at(-1)).toBe(startMs + (7_200 - 3_600 + 10) * SECOND);
    await test.reopen();
    const events = test.rows<{ event: string }>(
      "SELECT event FROM journal WHERE event LIKE '%NOTE%' ORDER BY seq",
    );
    expect(events.map(({ event }) => (JSON.parse(event) as { index: number }).index)).toEqual([
      0, 1, 2, 3, 4, 5,
    ]);
  });

  it('[T4] makes no stamp of an actor smaller, over restarts, too', async () => {
    const test = await asking();
    await test.troupe.spawn(asker, { id: '2' });
    for (const [index, seconds] of [5, -3_600, 1, 1, -100, 4_000, -1].entries()) {
      test.clock.jump(seconds * SECOND);
      await test.troupe.send(`asker/${1 + (index % 2)}`, { type: 'NOTE' });
      if (index % 3 === 0) await test.reopen();
    }
    for (const id of ['1', '2']) {
      const stamps = times(
        test,
        `SELECT at AS ms FROM journal WHERE actor = 'asker/${id}' ORDER BY seq`,
      );
      expect(stamps.length).toBeGreaterThan(3);
      expect(isRising(stamps)).toBe(true);
    }
  });

  it('[T4] an answer still comes after what was sent before the clock went back', async () => {
    const test = await asking();
    await test.leave();
    const sender = await start({ store: test.file, clock: test.clock });
    await sender.troupe.send('asker/1', message('NOTE', { n: 1 }));
    test.clock.jump(-3_600 * SECOND);
    await sender.troupe.send('asker/1', { type: 'ANSWER' });
    await test.reopen();
    const order = test.rows<{ type: string }>(
      "SELECT json_extract(event, '$.type') AS type FROM journal WHERE revision > 1 ORDER BY seq",
    );
    expect(order.map(({ type }) => type).filter((type) => !type.startsWith('xstate'))).toEqual([
      'NOTE',
      'ANSWER',
    ]);
  });
});
