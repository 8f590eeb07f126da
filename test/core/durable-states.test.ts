// K9: states of every kind go on after a restart as if there had been none.

import { describe, expect, it } from 'vitest';
import {
  assign,
  cancel,
  createMachine,
  emit,
  enqueueActions,
  raise,
  sendTo,
  setup,
  stateIn,
} from 'xstate';
import type { TestTroupe } from '../kit/index.ts';
import { durable, type Life, lives, message, start } from './harness.ts';

/** Sends one event after the other, each in another life when there are several. @returns the state after each. */
async function follow(
  test: TestTroupe,
  life: Life,
  address: string,
  types: readonly string[],
): Promise<unknown[]> {
  const states: unknown[] = [];
  for (const type of types) {
    await life(test);
    await test.troupe.send(address, { type });
    await test.clock.settle();
    states.push((await test.troupe.get(address)).state);
  }
  return states;
}

const player = setup({
  types: { context: {} as { log: string[] } },
  actions: { note: assign({ log: ({ context }, what: string) => [...context.log, what] }) },
}).createMachine({
  id: 'player',
  context: { log: [] },
  initial: 'off',
  states: {
    off: { on: { ON: 'on', DEEP: 'on.deep' }, tags: 'silent' },
    on: {
      type: 'parallel',
      tags: 'busy',
      exit: { type: 'note', params: 'left' },
      on: { OFF: 'off' },
      states: {
        volume: {
          initial: 'low',
          states: {
            low: { on: { UP: 'high' } },
            high: {
              tags: 'loud',
              initial: 'plain',
              on: { DOWN: 'low' },
              states: { plain: { on: { BASS: 'bass' } }, bass: {} },
            },
          },
        },
        tape: {
          initial: 'stopped',
          states: {
            stopped: { on: { PLAY: 'playing' } },
            playing: {
              on: {
                STOP: { guard: stateIn({ on: { volume: 'low' } }) as never, target: 'stopped' },
              },
            },
          },
        },
        deep: { type: 'history', history: 'deep' },
      },
    },
  },
});

describe('nested and parallel states', () => {
  it.each(lives)('[K9] keep their regions, guards, tags and history, %s', async (_name, life) => {
    const test = await start({ machines: [durable(player)] });
    await test.troupe.spawn(durable(player), { id: '1' });
    const states = await follow(test, life, 'player/1', [
      'ON',
      'UP',
      'BASS',
      'PLAY',
      'STOP',
      'OFF',
      'DEEP',
    ]);
    const on = (volume: unknown, tape: string) => ({ on: { volume, tape } });
    expect(states).toEqual([
      on('low', 'stopped'),
      on({ high: 'plain' }, 'stopped'),
      on({ high: 'bass' }, 'stopped'),
      on({ high: 'bass' }, 'playing'),
      // The volume is high: the guard says no.
      on({ high: 'bass' }, 'playing'),
      'off',
      on({ high: 'bass' }, 'playing'),
    ]);
    expect(await test.troupe.get('player/1')).toMatchObject({
      tags: expect.arrayContaining(['busy', 'loud']) as string[],
      context: { log: ['left'] },
      revision: 8,
    });
  });

  const trip = createMachine({
    id: 'trip',
    initial: 'home',
    states: {
      home: { on: { GO: 'away', BACK: 'away.memory' } },
      away: {
        initial: 'beach',
        on: { HOME: 'home' },
        states: {
          beach: { on: { NEXT: 'town' } },
          town: { initial: 'hotel', states: { hotel: { on: { NEXT: 'museum' } }, museum: {} } },
          memory: { type: 'history' },
        },
      },
    },
  });

  it.each(lives)('[K9] a shallow history remembers one level, %s', async (_name, life) => {
    const test = await start({ machines: [durable(trip)] });
    await test.troupe.spawn(durable(trip), { id: '1' });
    expect(await follow(test, life, 'trip/1', ['BACK', 'NEXT', 'NEXT', 'HOME', 'BACK'])).toEqual([
      { away: 'beach' },
      { away: { town: 'hotel' } },
      { away: { town: 'museum' } },
      'home',
      { away: { town: 'hotel' } },
    ]);
  });
});

const SECOND = 1_000;

const lamp = setup({ types: { context: {} as { seen: string[] } } }).createMachine({
  id: 'lamp',
  context: { seen: [] },
  initial: 'dark',
  on: {
    ARM: { actions: raise({ type: 'RING' }, { delay: 3 * SECOND, id: 'ring' }) },
    DISARM: { actions: cancel('ring') },
    SELF: { actions: sendTo(({ self }) => self, { type: 'RING' }, { delay: 4 * SECOND }) },
    RING: { actions: assign({ seen: ({ context, event }) => [...context.seen, event.type] }) },
  },
  states: {
    dark: { on: { LIGHT: 'light' } },
    light: { after: { [10 * SECOND]: 'dim' }, on: { AGAIN: { target: 'light', reenter: true } } },
    dim: { after: { [5 * SECOND]: 'dark' } },
  },
});

describe('delays', () => {
  it.each(lives)('[K9, T1] after, delayed raise, sendTo and cancel, %s', async (_name, life) => {
    const test = await start({ machines: [durable(lamp)] });
    await test.troupe.spawn(durable(lamp), { id: '1' });
    const look = async (): Promise<unknown> => {
      const { state, context } = await test.troupe.get('lamp/1');
      return [state, (context as { seen: string[] }).seen.length];
    };
    const pass = async (ms: number): Promise<unknown> => {
      await life(test);
      await test.clock.advance(ms);
      await life(test);
      return look();
    };
    for (const type of ['LIGHT', 'ARM', 'SELF']) {
      await test.troupe.send('lamp/1', { type });
      await life(test);
    }
    expect(await pass(2_999)).toEqual(['light', 0]);
    expect(await pass(1)).toEqual(['light', 1]);
    expect(await pass(1 * SECOND)).toEqual(['light', 2]);
    expect(await pass(5_999)).toEqual(['light', 2]);
    expect(await pass(1)).toEqual(['dim', 2]);
    await test.troupe.send('lamp/1', { type: 'ARM' });
    expect(await pass(2_999)).toEqual(['dim', 2]);
    await test.troupe.send('lamp/1', { type: 'DISARM' });
    expect(await pass(2_001)).toEqual(['dark', 2]);
    expect(await pass(60 * SECOND)).toEqual(['dark', 2]);
  });

  it.each(lives)('[K9, T2] re-entering a state begins its delay anew, %s', async (_name, life) => {
    const test = await start({ machines: [durable(lamp)] });
    await test.troupe.spawn(durable(lamp), { id: '1' });
    await test.troupe.send('lamp/1', { type: 'LIGHT' });
    for (let round = 0; round < 3; round++) {
      await life(test);
      await test.clock.advance(9 * SECOND);
      await test.troupe.send('lamp/1', { type: 'AGAIN' });
    }
    await life(test);
    await test.clock.advance(9_999);
    expect(await test.troupe.get('lamp/1')).toMatchObject({ state: 'light' });
    await test.clock.advance(1);
    expect(await test.troupe.get('lamp/1')).toMatchObject({ state: 'dim', revision: 6 });
  });
});

const till = setup({
  types: {
    context: {} as { total: number; ids: string[] },
    events: {} as { type: 'ADD'; price: number } | { type: 'PAY' },
    emitted: {} as { type: 'sold'; total: number },
    output: {} as { paid: number },
  },
}).createMachine({
  id: 'till',
  context: { total: 0, ids: [] },
  initial: 'open',
  output: ({ context }) => ({ paid: context.total }),
  states: {
    open: {
      on: {
        ADD: {
          actions: enqueueActions(({ context, event, enqueue, check }) => {
            enqueue.assign({ total: context.total + event.price });
            if (check(() => event.price > 10)) enqueue.assign({ ids: [...context.ids, 'dear'] });
            enqueue.emit({ type: 'sold', total: context.total + event.price });
          }),
        },
        PAY: {
          target: 'closed',
          actions: emit(({ context }) => ({ type: 'sold', total: context.total })),
        },
      },
      always: { guard: ({ context }) => context.total > 100, target: 'closed' },
    },
    closed: { type: 'final' },
  },
});

it.each(lives)('[K9] enqueueActions, always, emit and an output, %s', async (_name, life) => {
  const test = await start({ machines: [durable(till)] });
  await test.troupe.spawn(durable(till), { id: '1' });
  for (const price of [5, 50, 60]) {
    await life(test);
    await test.troupe.send('till/1', message('ADD', { price }));
  }
  await life(test);
  expect(await test.troupe.get('till/1')).toMatchObject({
    status: 'done',
    state: 'closed',
    output: { paid: 115 },
    context: { total: 115, ids: ['dear', 'dear'] },
  });
  const journal = await test.troupe.journal('till/1');
  expect(journal.flatMap(({ effects }) => effects)).toEqual(
    [5, 55, 115].map((total) => ({ kind: 'emit', event: { type: 'sold', total } })),
  );
});
