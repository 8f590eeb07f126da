// T2: leaving a state cancels its timers; one of an earlier visit never fires into a later one.

import { describe, expect, it } from 'vitest';
import { assign, cancel, raise, sendTo, setup } from 'xstate';
import type { TestTroupe } from '../kit/index.ts';
import { durable, start } from './harness.ts';

const SECOND = 1_000;

const visitor = durable(
  setup({
    types: { context: {} as { bells: number } },
    actions: {
      tell: sendTo(
        ({ system }) => system.get('visitor/2'),
        { type: 'BELL' },
        { delay: 5 * SECOND, id: 'bell' },
      ),
    },
  }).createMachine({
    id: 'visitor',
    context: { bells: 0 },
    initial: 'out',
    on: {
      RING: { actions: raise({ type: 'BELL' }, { delay: 5 * SECOND, id: 'bell' }) },
      UNNAMED: { actions: raise({ type: 'BELL' }, { delay: 5 * SECOND }) },
      QUIET: { actions: cancel('bell') },
      BELL: { actions: assign({ bells: ({ context }) => context.bells + 1 }) },
      TWICE: {
        actions: [
          raise({ type: 'BELL' }, { delay: 5 * SECOND, id: 'bell' }),
          raise({ type: 'BELL' }, { delay: 7 * SECOND, id: 'bell' }),
        ],
      },
      NEVER: {
        actions: [raise({ type: 'BELL' }, { delay: 5 * SECOND, id: 'bell' }), cancel('bell')],
      },
      TELL: { actions: 'tell' },
      CHANGE_MIND: { actions: ['tell', 'tell', cancel('bell'), 'tell'] },
    },
    states: {
      out: { on: { ENTER: 'in' } },
      in: {
        on: { LEAVE: 'out', AGAIN: { target: 'in', reenter: true } },
        after: { [10 * SECOND]: 'thrown' },
      },
      thrown: {},
    },
  }),
);

async function visiting(): Promise<TestTroupe> {
  const test = await start({ machines: [visitor] });
  await test.troupe.spawn(visitor, { id: '1' });
  await test.clock.settle();
  return test;
}

const send = ({ troupe }: TestTroupe, type: string) => troupe.send('visitor/1', { type });
const look = ({ troupe }: TestTroupe) => troupe.get('visitor/1');

describe('leaving a state', () => {
  it('[T2] removes its timer in that transaction', async () => {
    const test = await visiting();
    await send(test, 'ENTER');
    expect((await look(test)).timers).toHaveLength(1);
    await send(test, 'LEAVE');
    expect((await look(test)).timers).toEqual([]);
    await test.clock.advance(60 * SECOND);
    expect(await look(test)).toMatchObject({ state: 'out', revision: 3 });
  });

  it('[T2] a timer of an earlier visit never fires into a later one', async () => {
    const test = await visiting();
    await send(test, 'ENTER');
    await test.clock.advance(9 * SECOND);
    await send(test, 'LEAVE');
    await send(test, 'ENTER');
    await test.clock.advance(9_999);
    expect(await look(test)).toMatchObject({ state: 'in' });
    await test.clock.advance(1);
    expect(await look(test)).toMatchObject({ state: 'thrown' });
  });

  it('[T2] also when it is due in the very group in which its state is left', async () => {
    const test = await visiting();
    await send(test, 'ENTER');
    await test.leave();
    const sender = await start({ store: test.file, clock: test.clock });
    // It arrives before the timer falls due, and both wait when the host comes.
    await test.clock.advance(9 * SECOND);
    await sender.troupe.send('visitor/1', { type: 'AGAIN' });
    await test.clock.advance(9 * SECOND);
    await test.reopen();
    expect(await look(test)).toMatchObject({ state: 'in', revision: 3 });
    expect((await look(test)).timers).toMatchObject([
      { readyAtMs: test.clock.now() + 10 * SECOND },
    ]);
  });

  it('[T2] what comes of an arming that is gone is a journal row without a revision', async () => {
    const test = await visiting();
    await send(test, 'ENTER');
    const [timer] = test.rows<{ event: string; incarnation: string }>('SELECT * FROM messages');
    await send(test, 'AGAIN');
    // As if another program had kept it back and put it in again.
    test.write(
      `INSERT INTO messages(actor, machine, sender, event, kind, ready_at, incarnation)
       VALUES ('visitor/1', 'visitor', 'visitor/1', ?, 'timer', ?, ?)`,
      timer?.event,
      test.clock.now(),
      timer?.incarnation,
    );
    await test.clock.advance(1 * SECOND);
    const journal = await test.troupe.journal('visitor/1');
    expect(journal.at(-1)).toMatchObject({
      kind: 'late',
      revision: undefined,
      event: { type: 'xstate.after.10000.visitor.in' },
      effects: [],
    });
    expect(await look(test)).toMatchObject({ state: 'in', revision: 3, status: 'active' });
    expect((await look(test)).timers).toHaveLength(1);
  });
});

describe('cancel', () => {
  it('[T2] takes back what was armed under that id, and nothing else', async () => {
    const test = await visiting();
    for (const type of ['RING', 'UNNAMED', 'QUIET']) await send(test, type);
    await test.clock.advance(10 * SECOND);
    expect(await look(test)).toMatchObject({ context: { bells: 1 } });
  });

  it('[T2] takes back all of an id that was armed more than once', async () => {
    const test = await visiting();
    await send(test, 'TWICE');
    expect((await look(test)).timers).toHaveLength(2);
    await send(test, 'RING');
    await test.reopen();
    await send(test, 'QUIET');
    expect((await look(test)).timers).toEqual([]);
    await test.clock.advance(60 * SECOND);
    expect(await look(test)).toMatchObject({ context: { bells: 0 } });
  });

  it('[T2] of what the same step armed leaves no trace', async () => {
    const test = await visiting();
    await send(test, 'NEVER');
    expect((await look(test)).timers).toEqual([]);
    expect((await test.troupe.journal('visitor/1')).at(-1)?.effects).toEqual([]);
  });

  it.each([
    ['all that earlier steps have sent', ['TELL', 'TELL', 'QUIET'], 0],
    ['what the same step sent before it, but not what it sent after', ['CHANGE_MIND'], 1],
    ['both', ['TELL', 'CHANGE_MIND', 'CHANGE_MIND'], 1],
    ['nothing of a later step', ['TELL', 'QUIET', 'TELL', 'TELL'], 2],
  ])('[T2] takes back delayed sends to another actor: %s', async (_what, types, bells) => {
    const test = await visiting();
    await test.troupe.spawn(visitor, { id: '2' });
    for (const type of types) await send(test, type);
    await test.clock.advance(60 * SECOND);
    expect(await test.troupe.get('visitor/2')).toMatchObject({ context: { bells } });
  });

  it('[T2] an actor that has told others many times is no larger for it', async () => {
    const test = await visiting();
    await test.troupe.spawn(visitor, { id: '2' });
    const sizeOf = (): unknown =>
      test.rows("SELECT length(armings) AS size FROM actors WHERE id = 'visitor/1'")[0]?.['size'];
    await send(test, 'TELL');
    await test.clock.advance(6 * SECOND);
    const before = sizeOf();
    for (let times = 0; times < 50; times++) {
      await send(test, 'TELL');
      await test.clock.advance(6 * SECOND);
    }
    expect(await test.troupe.get('visitor/2')).toMatchObject({ context: { bells: 51 } });
    expect(sizeOf()).toBe(before);
  });
});

it('[T2] each of two timers of one event fires, when neither is taken back', async () => {
  const test = await visiting();
  await send(test, 'TWICE');
  await test.clock.advance(5 * SECOND);
  expect(await look(test)).toMatchObject({ context: { bells: 1 } });
  await test.clock.advance(2 * SECOND);
  expect(await look(test)).toMatchObject({ context: { bells: 2 }, timers: [] });
});
