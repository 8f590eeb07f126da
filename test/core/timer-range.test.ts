// T3: a delay may be as long as a thousand years; what is no delay is refused; a changed clock breaks nothing.

import { pino } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { assign, createMachine, raise, setup } from 'xstate';
import { openTroupe } from '../../hosts/embedded/index.ts';
import { TicketFiles } from '../../persistence/ticket-files.ts';
import { type TestTroupe, until } from '../kit/index.ts';
import { durable, message, place, start, storeOf } from './harness.ts';

const SECOND = 1_000;
const DAY = 24 * 60 * 60 * SECOND;
/** The longest delay of the language's own timers: 24.8 days. */
const OVERFLOW = 2 ** 31 - 1;

const waiter = durable(
  setup({
    types: { context: {} as { fired: number } },
    delays: { given: ({ event }) => (event as { ms?: number }).ms ?? 0 },
  }).createMachine({
    id: 'waiter',
    context: { fired: 0 },
    initial: 'calm',
    states: {
      calm: { on: { WAIT: 'waiting' } },
      waiting: {
        after: {
          given: { target: 'calm', actions: assign({ fired: ({ context }) => context.fired + 1 }) },
        },
      },
    },
  }),
);

async function waiting(ms: number): Promise<TestTroupe & { readonly groups: () => number }> {
  let groups = 0;
  const test = await start({
    machines: [waiter],
    boundary: (point) => {
      if (point === 'group.begun') groups++;
    },
  });
  await test.troupe.spawn(waiter, { id: '1' });
  await test.troupe.send('waiter/1', message('WAIT', { ms }));
  return Object.assign(test, { groups: () => groups });
}

const fired = async ({ troupe }: TestTroupe): Promise<number> =>
  ((await troupe.get('waiter/1')).context as { fired: number }).fired;

/** Lets a long time pass: the machine sleeps through most of it. */
async function sleepThrough({ clock }: TestTroupe, ms: number): Promise<void> {
  const awakeMs = Math.min(ms, 40 * SECOND);
  clock.jump(ms - awakeMs);
  await clock.advance(awakeMs);
}

describe('a long delay', () => {
  it.each([
    ['24.8 days less a second', OVERFLOW - SECOND],
    ['24.8 days', OVERFLOW],
    ['24.8 days and a millisecond', OVERFLOW + 1],
    ['24.8 days and a second', OVERFLOW + SECOND],
    ['30 days', 30 * DAY],
    ['twice 24.8 days', 2 * (OVERFLOW + 1)],
    ['a year', 365 * DAY],
    ['a thousand years', 31_556_952_000_000],
  ])('[T3] E14: of %s fires once, at its time', async (_what, ms) => {
    for (const isReopened of [false, true]) {
      const test = await waiting(ms);
      await test.clock.advance(SECOND);
      expect(await fired(test)).toBe(0);
      if (isReopened) await test.reopen();
      await sleepThrough(test, ms - SECOND - 1);
      expect(await fired(test)).toBe(0);
      if (isReopened) await test.reopen();
      await test.clock.advance(1);
      expect(await fired(test)).toBe(1);
      await sleepThrough(test, ms);
      expect(await fired(test)).toBe(1);
    }
  });

  it('[T3] E14: keeps the host from nothing but a look every 30 seconds', async () => {
    const test = await waiting(30 * DAY);
    const before = test.groups();
    await test.clock.advance(600 * SECOND);
    expect(test.groups() - before).toBeLessThanOrEqual(21);
    expect(Math.max(...test.clock.armed)).toBeLessThanOrEqual(30 * SECOND);
  });

  it('[T3] E14: overflows no timer of the real clock', async () => {
    const warnings: string[] = [];
    const warn = (warning: Error): number => warnings.push(warning.name);
    process.on('warning', warn);
    onTestFinished(() => void process.off('warning', warn));
    const troupe = await openTroupe({
      store: place().file,
      machines: [waiter],
      log: pino({ level: 'silent' }),
    });
    for (const ms of [30 * DAY, 365 * DAY, 5]) {
      await troupe.spawn(waiter, { id: String(ms) });
      await troupe.send(`waiter/${ms}`, message('WAIT', { ms }));
    }
    await until(async () => (await troupe.get('waiter/5')).revision === 3);
    const states = await troupe.list({ machine: 'waiter' });
    await troupe.close();
    expect(states.map(({ state }) => state)).toEqual(['waiting', 'waiting', 'calm']);
    expect(warnings.filter((name) => name === 'TimeoutOverflowWarning')).toEqual([]);
  });
});

describe('what is no delay', () => {
  it.each([Infinity, -Infinity, NaN, -1, 31_556_952_000_001])(
    '[T3] E14: %d ms parks its actor and arms nothing',
    async (ms) => {
      const machine = durable(
        createMachine({
          id: 'm',
          on: { GO: { actions: raise({ type: 'X' }, { delay: () => ms }) } },
        }),
      );
      const { troupe, rows } = await start({ machines: [machine] });
      await troupe.spawn(machine, { id: '1' });
      await troupe.send('m/1', { type: 'GO' });
      const { status, stuck } = await troupe.get('m/1');
      expect({ status, code: stuck?.code }).toEqual({ status: 'stuck', code: 'delay_invalid' });
      expect(stuck?.message).toContain(`${ms} ms`);
      expect(rows("SELECT * FROM messages WHERE kind = 'timer'")).toEqual([]);
    },
  );
});

describe('a clock that is changed', () => {
  it('[T3] forward fires what has become due within 30 seconds, once', async () => {
    const test = await waiting(3_600 * SECOND);
    await test.clock.advance(SECOND);
    test.clock.jump(2 * 3_600 * SECOND);
    await test.clock.advance(30 * SECOND);
    expect(await fired(test)).toBe(1);
    test.clock.jump(-2 * 3_600 * SECOND);
    await sleepThrough(test, 2 * DAY);
    expect(await fired(test)).toBe(1);
  });

  it('[T3] back and put right again delays by at most 30 seconds', async () => {
    const test = await waiting(60 * SECOND);
    await test.clock.advance(10 * SECOND);
    test.clock.jump(-DAY);
    await test.clock.advance(100 * SECOND);
    // By the wall clock as it stands it is not due.
    expect(await fired(test)).toBe(0);
    test.clock.jump(DAY);
    await test.clock.advance(30 * SECOND);
    expect(await fired(test)).toBe(1);
  });

  it('[T3] back while its timer is firing never fires it twice', async () => {
    const test = await waiting(60 * SECOND);
    for (let times = 0; times < 5; times++) {
      await test.clock.advance(30 * SECOND);
      test.clock.jump(-20 * SECOND);
      await test.reopen();
    }
    await test.clock.advance(300 * SECOND);
    expect(await fired(test)).toBe(1);
  });

  it('[T3] to and fro makes no busy loop', async () => {
    const test = await waiting(DAY);
    const before = test.groups();
    for (let minutes = 0; minutes < 10; minutes++) {
      test.clock.jump(minutes % 2 === 0 ? -5 * DAY : 5 * DAY - SECOND);
      await test.clock.advance(60 * SECOND);
    }
    expect(test.groups() - before).toBeLessThanOrEqual(25);
  });

  it('[T3] does not keep a host waiting for a process that has died while it waited for the store', async () => {
    const test = await waiting(DAY);
    new TicketFiles(test.file).place('000000000000001');
    // The host gives way for a moment; in it, the clock is set back.
    const first = test.troupe.send('waiter/1', { type: 'POKE' });
    await test.clock.settle();
    test.clock.jump(-DAY);
    const second = test.troupe.send('waiter/1', { type: 'POKE' });
    await test.clock.advance(21);
    await Promise.all([first, second]);
    expect((await test.troupe.get('waiter/1')).revision).toBe(4);
  });

  it('[T3] nor a sender that waits for a store that another process writes', async () => {
    const test = await waiting(DAY);
    await test.leave();
    const sender = await start({ store: test.file, clock: test.clock });
    const busy = await start({ store: test.file, clock: test.clock });
    storeOf(busy.troupe).begin();
    const sent = sender.troupe.send('waiter/1', { type: 'POKE' });
    await test.clock.advance(5);
    test.clock.jump(DAY);
    await test.clock.advance(5);
    storeOf(busy.troupe).rollback();
    await test.clock.advance(5);
    expect(await sent).toMatchObject({ address: 'waiter/1' });
  });
});

it('[T3] a host that waits for nothing only looks whether others have written or died', async () => {
  const machine = durable(createMachine({ id: 'm' }));
  const test = await start({ machines: [machine] });
  await test.troupe.spawn(machine, { id: '1' });
  await test.clock.advance(90 * SECOND);
  expect(test.clock.armed).toHaveLength(2);
});
