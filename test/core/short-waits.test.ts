// T1: many short waits, with a host that keeps coming and going (E17), and answers within no time (A11).

import { describe, expect, it } from 'vitest';
import { assign, fromPromise, setup } from 'xstate';
import type { Boundary } from '../../actors/index.ts';
import { defineMachine } from '../../actors/index.ts';
import { scriptedPool } from '../kit/index.ts';
import { durable, start } from './harness.ts';

const napper = durable(
  setup({
    types: { input: {} as { ms: number }, context: {} as { ms: number; wokeAt: number } },
    delays: { given: ({ context }) => context.ms },
  }).createMachine({
    id: 'napper',
    context: ({ input }) => ({ ms: input.ms, wokeAt: 0 }),
    initial: 'asleep',
    states: {
      asleep: {
        after: { given: { target: 'awake', actions: assign({ wokeAt: () => Date.now() }) } },
      },
      awake: {},
    },
  }),
);

it('[T1] E17: 1,000 waits of 1 ms to 1 s, with a new host every 100 ms, all end at their time', async () => {
  const test = await start({ machines: [napper] });
  const startMs = test.clock.now();
  const delays = Array.from({ length: 1_000 }, (_, n) => n + 1);
  await Promise.all(
    delays.map((ms) => test.troupe.spawn(napper, { id: String(ms), input: { ms } as never })),
  );
  await test.clock.settle();
  for (let lives = 0; lives < 10; lives++) {
    await test.clock.advance(100);
    await test.reopen();
  }
  const rows = test.rows<{ ms: number; wokeAt: number; revision: number }>(
    `SELECT json_extract(snapshot, '$.context.ms') AS ms, json_extract(snapshot, '$.context.wokeAt') AS wokeAt,
       revision FROM actors ORDER BY ms`,
  );
  expect(rows).toEqual(delays.map((ms) => ({ ms, wokeAt: startMs + ms, revision: 2 })));
  expect(test.rows('SELECT * FROM messages')).toEqual([]);
});

describe('A11: an answer that comes before anything can be written', () => {
  const asker = defineMachine({
    machine: setup({
      types: { context: {} as { answer: unknown } },
      actors: { ask: fromPromise(async () => 'never asked here') },
    }).createMachine({
      id: 'asker',
      context: { answer: null },
      initial: 'asking',
      states: {
        asking: {
          invoke: {
            id: 'ask',
            src: 'ask',
            onDone: {
              target: 'answered',
              actions: assign({ answer: ({ event }) => event.output }),
            },
          },
        },
        answered: { type: 'final' },
      },
    }),
    version: 1,
    promises: { ask: { class: 'read' } },
  });
  const swift = () => scriptedPool({ onStart: (attempt) => attempt.answer(attempt.callId) });
  const numbers = Array.from({ length: 1_000 }, (_, n) => String(n));

  it('[K3, M4] reaches every one of 1,000 actors', async () => {
    const pool = swift();
    const test = await start({ machines: [asker], pool });
    await Promise.all(numbers.map((id) => test.troupe.spawn(asker, { id })));
    await test.clock.settle();
    expect(pool.started).toHaveLength(1_000);
    const rows = test.rows('SELECT DISTINCT status, revision FROM actors');
    expect(rows).toEqual([{ status: 'done', revision: 2 }]);
  });

  const points: readonly Boundary[] = [
    'group.beforeCommit',
    'group.committed',
    'perform.beforeCall',
    'perform.callStarted',
    'perform.done',
  ];

  it.each(points)('[K3, M4] is not lost when the host ends at %s', async (end) => {
    let pointsLeft = Infinity;
    const pool = swift();
    const test = await start({
      machines: [asker],
      pool,
      boundary: (point) => {
        if (point === end && pointsLeft-- === 0) throw new Error('the process died here');
      },
    });
    const spawnAll = () =>
      Promise.allSettled(numbers.slice(0, 20).map(async (id) => test.troupe.spawn(asker, { id })));
    // Each host gets one point further than the one before it. A read is tried 20 times.
    for (let lives = 0; lives < 15; lives++) {
      pointsLeft = lives;
      await test.reopen().then(spawnAll, () => 'it ended while it opened');
      await test.clock.settle();
    }
    pointsLeft = Infinity;
    await test.reopen();
    await spawnAll();
    await test.clock.settle();
    expect(test.rows("SELECT id FROM actors WHERE status <> 'done'")).toEqual([]);
    expect(test.rows('SELECT * FROM messages')).toEqual([]);
    expect(test.rows("SELECT id FROM calls WHERE status <> 'done'")).toEqual([]);
    expect(test.rows('SELECT count(*) AS count FROM actors')).toEqual([{ count: 20 }]);
  });
});
