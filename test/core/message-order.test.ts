// M2, M4: messages of one sender are stepped in the order in which they were sent, and each of them once.

import { describe, expect, it } from 'vitest';
import { assign, enqueueActions, sendTo, setup } from 'xstate';
import type { Boundary } from '../../actors/index.ts';
import type { TestTroupe } from '../kit/index.ts';
import { durable, message, start } from './harness.ts';

interface Said {
  readonly from?: string;
  readonly n?: number;
}
const said = (event: unknown): Said => event as Said;

const ear = durable(
  setup({ types: { context: {} as { heard: string[] } } }).createMachine({
    id: 'ear',
    context: { heard: [] },
    on: {
      SAY: {
        actions: assign({
          heard: ({ context, event }) => [...context.heard, `${said(event).from}${said(event).n}`],
        }),
      },
    },
  }),
);
const mouth = durable(
  setup({}).createMachine({
    id: 'mouth',
    on: {
      SAY: {
        actions: sendTo(
          ({ system }) => system.get('ear/1'),
          ({ event }) => message('SAY', said(event)),
        ),
      },
      DELAYED: {
        actions: enqueueActions(({ enqueue }) => {
          for (const [n, delay] of [300, 100, 200, 100, 0].entries()) {
            enqueue.sendTo(({ system }) => system.get('ear/1'), message('SAY', { from: 'd', n }), {
              delay,
            });
          }
        }),
      },
    },
  }),
);
const machines = [ear, mouth];

async function listening(boundary?: (point: Boundary) => void): Promise<TestTroupe> {
  const test = await start({ machines, ...(boundary ? { boundary } : {}) });
  await test.troupe.spawn(ear, { id: '1' });
  for (const id of ['a', 'b']) await test.troupe.spawn(mouth, { id });
  await test.clock.settle();
  return test;
}

const heard = async ({ troupe }: TestTroupe): Promise<string[]> =>
  ((await troupe.get('ear/1')).context as { heard: string[] }).heard;

const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n);
const from = (list: readonly string[], name: string): number[] =>
  list.filter((each) => each.startsWith(name)).map((each) => Number(each.slice(name.length)));

describe('order', () => {
  it('[M2] a thousand sends of one moment arrive as they were sent', async () => {
    const test = await listening();
    await Promise.all(
      numbers(1_000).map((n) => test.troupe.send('ear/1', message('SAY', { from: 'x', n }))),
    );
    await test.clock.settle();
    expect(from(await heard(test), 'x')).toEqual(numbers(1_000));
  });

  it('[M2] holds for each of several senders, whatever lies between', async () => {
    const test = await listening();
    await Promise.all(
      numbers(100).flatMap((n) => [
        test.troupe.send('mouth/a', message('SAY', { from: 'a', n })),
        test.troupe.send('ear/1', message('SAY', { from: 'x', n })),
        test.troupe.send('mouth/b', message('SAY', { from: 'b', n })),
      ]),
    );
    await test.clock.settle();
    const list = await heard(test);
    expect(list).toHaveLength(300);
    for (const name of ['a', 'b', 'x']) expect(from(list, name)).toEqual(numbers(100));
  });

  it('[M2] holds over restarts', async () => {
    const test = await listening();
    await test.leave();
    const sender = await start({ store: test.file, clock: test.clock });
    for (const n of numbers(300)) {
      if (n % 100 === 50) test.clock.jump(-1_000);
      await sender.troupe.send('ear/1', message('SAY', { from: 'x', n }));
    }
    await test.reopen();
    await test.reopen();
    expect(from(await heard(test), 'x')).toEqual(numbers(300));
  });

  it('[M2] delayed ones arrive by their due time, and of one due time as they were sent', async () => {
    for (const isReopened of [false, true]) {
      const test = await listening();
      await test.troupe.send('mouth/a', { type: 'DELAYED' });
      // What lies between while a host is down arrives in the same order.
      if (isReopened) {
        await test.leave();
        test.clock.jump(1_000);
        await test.reopen();
      }
      await test.clock.advance(300);
      expect(await heard(test)).toEqual(['d4', 'd1', 'd3', 'd2', 'd0']);
    }
  });
});

describe('once', () => {
  const points: readonly Boundary[] = [
    'group.begun',
    'group.beforeCommit',
    'group.committed',
    'perform.done',
  ];

  it.each(points)('[M4] whatever host ends at %s', async (end) => {
    let isEnding = false;
    const test = await listening((point) => {
      if (!isEnding || point !== end) return;
      isEnding = false;
      throw new Error('the process died here');
    });
    await test.leave();
    const sender = await start({ store: test.file, clock: test.clock });
    for (const n of numbers(30)) {
      await sender.troupe.send(n % 2 ? 'ear/1' : 'mouth/a', message('SAY', { from: 'x', n }));
    }
    for (let lives = 0; lives < 3; lives++) {
      isEnding = true;
      await test.reopen().catch(() => {});
      await test.clock.advance(100);
      await test.leave();
    }
    isEnding = false;
    await test.reopen();
    const list = from(await heard(test), 'x');
    expect(list.toSorted((a, b) => a - b)).toEqual(numbers(30));
    expect(test.rows('SELECT * FROM messages')).toEqual([]);
  });

  it('[M4] two closes and openings between a send and its step change nothing', async () => {
    const test = await listening();
    await test.leave();
    const sender = await start({ store: test.file, clock: test.clock });
    await sender.troupe.send('ear/1', message('SAY', { from: 'x', n: 1 }));
    await sender.leave();
    // A host that does not know the machine leaves the message alone.
    for (let lives = 0; lives < 2; lives++) {
      const other = await start({ store: test.file, clock: test.clock, machines: [mouth] });
      await other.leave();
    }
    await test.reopen();
    await test.reopen();
    expect(await heard(test)).toEqual(['x1']);
    const journal = await test.troupe.journal('ear/1');
    expect(journal.map(({ kind }) => kind)).toEqual(['step', 'step']);
  });
});
