// T1: timers are messages with an absolute due time in the store; they fire once, at the original deadline.

import { describe, expect, it } from 'vitest';
import { assign, createMachine, sendTo, setup } from 'xstate';
import type { Boundary } from '../../actors/index.ts';
import type { TestTroupe } from '../kit/index.ts';
import { durable, start } from './harness.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;

const waiter = durable(
  setup({
    types: { input: {} as { ms: number }, context: {} as { ms: number; firedAt: number[] } },
    delays: { given: ({ context }) => context.ms },
  }).createMachine({
    id: 'waiter',
    context: ({ input }) => ({ ms: input.ms, firedAt: [] }),
    initial: 'waiting',
    on: { POKE: {} },
    states: {
      waiting: {
        after: {
          given: {
            target: 'over',
            actions: assign({ firedAt: ({ context }) => [...context.firedAt, Date.now()] }),
          },
        },
      },
      over: {},
    },
  }),
);

/** Each tick arms the next one. */
const chain = durable(
  setup({ types: { context: {} as { ticks: number[] } } }).createMachine({
    id: 'chain',
    context: { ticks: [] },
    initial: 'waiting',
    states: {
      waiting: {
        after: {
          60_000: {
            target: 'waiting',
            reenter: true,
            actions: assign({ ticks: ({ context }) => [...context.ticks, Date.now()] }),
          },
        },
      },
    },
  }),
);

const firedAt = async ({ troupe }: TestTroupe, address: string): Promise<number[]> =>
  ((await troupe.get(address)).context as { firedAt: number[] }).firedAt;

async function waiting(ms: number): Promise<TestTroupe> {
  const test = await start({ machines: [waiter, chain] });
  await test.troupe.spawn(waiter, { id: '1', input: { ms } as never });
  await test.clock.settle();
  return test;
}

describe('a timer', () => {
  it('[T1] is a row with its due time', async () => {
    const test = await waiting(10 * MINUTE);
    const dueMs = test.clock.now() + 10 * MINUTE;
    expect(test.rows('SELECT actor, kind, ready_at FROM messages')).toEqual([
      { actor: 'waiter/1', kind: 'timer', ready_at: dueMs },
    ]);
    expect((await test.troupe.get('waiter/1')).timers).toMatchObject([
      { readyAtMs: dueMs, event: { type: 'xstate.after.given.waiter.waiting' } },
    ]);
  });

  it('[T1] E02: keeps its deadline over restarts at 4, 6 and 8 of its 10 minutes', async () => {
    const test = await waiting(10 * MINUTE);
    const dueMs = test.clock.now() + 10 * MINUTE;
    for (const [minutes, isLoaded] of [
      [4, false],
      [2, true],
      [2, false],
    ] as const) {
      await test.leave();
      await test.clock.advance(minutes * MINUTE);
      await test.reopen();
      // What is handled in between must not move it either.
      if (isLoaded) await test.troupe.send('waiter/1', { type: 'POKE' });
    }
    await test.clock.advance(2 * MINUTE - 1);
    expect(await firedAt(test, 'waiter/1')).toEqual([]);
    await test.clock.advance(1);
    expect(await firedAt(test, 'waiter/1')).toEqual([dueMs]);
    await test.clock.advance(60 * MINUTE);
    expect(await firedAt(test, 'waiter/1')).toHaveLength(1);
  });

  it('[T1] that fell due while no host ran fires once, before the host is ready', async () => {
    const test = await waiting(10 * MINUTE);
    await test.leave();
    await test.clock.advance(2 * DAY);
    await test.reopen();
    expect(await firedAt(test, 'waiter/1')).toEqual([test.clock.now()]);
    await test.reopen();
    expect(await firedAt(test, 'waiter/1')).toHaveLength(1);
  });

  it.each([0, 0.5, 1])('[T1] of %d ms fires, and in a step of its own', async (ms) => {
    const test = await waiting(ms);
    await test.clock.advance(Math.ceil(ms));
    expect(await test.troupe.get('waiter/1')).toMatchObject({ state: 'over', revision: 2 });
  });

  it.each(['group.begun', 'group.beforeCommit', 'group.committed', 'perform.done'] as const)(
    '[T1] E01: fires once when its host ends at %s of its step',
    async (end: Boundary) => {
      let isEnding = false;
      const test = await start({
        machines: [waiter],
        boundary: (point) => {
          if (isEnding && point === end) throw new Error('the process died here');
        },
      });
      await test.troupe.spawn(waiter, { id: '1', input: { ms: MINUTE } as never });
      await test.clock.settle();
      isEnding = true;
      await test.clock.advance(MINUTE);
      isEnding = false;
      await test.leave();
      await test.clock.advance(2 * DAY);
      await test.reopen();
      await test.clock.advance(DAY / 24);
      expect(await firedAt(test, 'waiter/1')).toHaveLength(1);
      expect(await test.troupe.get('waiter/1')).toMatchObject({ revision: 2, timers: [] });
    },
  );
});

const relay = createMachine({
  id: 'relay',
  on: {
    LATER: {
      actions: sendTo(({ system }) => system.get('waiter/1'), { type: 'POKE' }, { delay: MINUTE }),
    },
  },
});

it('[T1] a delayed send to another actor survives restarts and arrives once', async () => {
  const test = await start({ machines: [waiter, durable(relay)] });
  await test.troupe.spawn(waiter, { id: '1', input: { ms: DAY } as never });
  await test.troupe.spawn(durable(relay), { id: '1' });
  await test.troupe.send('relay/1', { type: 'LATER' });
  await test.reopen();
  await test.clock.advance(MINUTE - 1);
  expect((await test.troupe.get('waiter/1')).revision).toBe(1);
  await test.reopen();
  await test.clock.advance(1);
  expect((await test.troupe.get('waiter/1')).revision).toBe(2);
  await test.reopen();
  await test.clock.advance(10 * MINUTE);
  expect((await test.troupe.get('waiter/1')).revision).toBe(2);
});

describe('after two days without a host', () => {
  it('[T1] E01: what is overdue fires in the order of its due times, what is not waits for its own', async () => {
    const test = await start({ machines: [waiter, chain] });
    const minutes = [5, 1, 3, 2, 4, 2 * 24 * 60 + 30];
    for (const [id, ms] of minutes.entries()) {
      await test.troupe.spawn(waiter, { id: String(id), input: { ms: ms * MINUTE } as never });
    }
    await test.troupe.spawn(chain, { id: '1' });
    await test.leave();
    const downAt = test.clock.now();
    await test.clock.advance(2 * DAY);
    await test.reopen();
    const fired = test.rows<{ actor: string }>(
      "SELECT actor FROM journal WHERE event LIKE '%xstate.after%' AND actor LIKE 'waiter/%' ORDER BY seq",
    );
    expect(fired.map(({ actor }) => actor)).toEqual([1, 3, 2, 4, 0].map((id) => `waiter/${id}`));
    await test.clock.advance(30 * MINUTE - 1);
    expect(await firedAt(test, 'waiter/5')).toEqual([]);
    await test.clock.advance(1);
    expect(await firedAt(test, 'waiter/5')).toEqual([downAt + 2 * DAY + 30 * MINUTE]);
  });

  it('[T1] E01: a chain that arms itself goes on, and no waiting actor is without its timer', async () => {
    const test = await start({ machines: [chain] });
    await test.troupe.spawn(chain, { id: '1' });
    await test.clock.settle();
    const startMs = test.clock.now();
    await test.clock.advance(3 * MINUTE);
    await test.leave();
    await test.clock.advance(2 * DAY);
    await test.reopen();
    const upMs = test.clock.now();
    await test.clock.advance(2 * MINUTE);
    await test.reopen();
    await test.clock.advance(MINUTE);
    const { context } = await test.troupe.get('chain/1');
    const ticks = [1, 2, 3].map((n) => startMs + n * MINUTE);
    const later = [0, 1, 2, 3].map((n) => upMs + n * MINUTE);
    expect(context).toEqual({ ticks: [...ticks, ...later] });
    expect(
      test.rows(
        `SELECT id FROM actors WHERE state = '"waiting"' AND id NOT IN (SELECT actor FROM messages WHERE kind = 'timer')`,
      ),
    ).toEqual([]);
  });
});
