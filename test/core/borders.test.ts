// H4, M3: what comes in is checked before anything is written; a spawn of the same id and input is one actor.

import { describe, expect, it } from 'vitest';
import { setup } from 'xstate';
import { z } from 'zod';
import { defineMachine } from '../../actors/index.ts';
import type { TestTroupe } from '../kit/index.ts';
import { message, refusal, start } from './harness.ts';

const order = defineMachine({
  machine: setup({
    types: {
      input: {} as { items: string[]; note?: string | undefined },
      context: {} as { items: string[] },
      events: {} as { type: 'ADD'; item: string; count?: number | undefined } | { type: 'END' },
    },
  }).createMachine({
    id: 'order',
    context: ({ input }) => ({ items: input.items }),
    initial: 'open',
    states: { open: { on: { END: 'closed', ADD: {} } }, closed: { type: 'final' } },
  }),
  version: 1,
  schemas: {
    input: z.strictObject({ items: z.array(z.string()).min(1), note: z.string().optional() }),
    events: z.discriminatedUnion('type', [
      z.strictObject({ type: z.literal('ADD'), item: z.string(), count: z.number().default(1) }),
      z.strictObject({ type: z.literal('END') }),
    ]),
  },
});
const input = { items: ['tea'] };

async function ordering(): Promise<TestTroupe> {
  const test = await start({ machines: [order] });
  await test.troupe.spawn(order, { id: '1', input });
  await test.clock.settle();
  return test;
}

describe('an event', () => {
  it.each([
    ['a type that is not declared', { type: 'ADDED', item: 'x' }, 'type'],
    ['a property too many', { type: 'ADD', item: 'x', price: 1 }, 'price'],
    ['a property too few', { type: 'ADD' }, 'item'],
    ['a property of another type', { type: 'ADD', item: 7 }, 'item'],
  ])('[H4] with %s is refused, naming the path', async (_what, event, path) => {
    const { troupe, rows } = await ordering();
    const error = await refusal(troupe.send('order/1', event), 'invalid_event');
    expect(error.message).toContain(path);
    expect(rows('SELECT count(*) AS rows FROM journal')).toEqual([{ rows: 1 }]);
  });

  it.each([
    ['no object', 'ADD'],
    ['nothing', undefined],
    ['an object without type', { item: 'x' }],
    ['one whose type is empty', { type: '' }],
    ['one whose type is a number', { type: 7 }],
    ["XState's own", { type: 'xstate.done.actor.x' }],
    ['one that is stamped already', { type: 'ADD', item: 'x', atMs: 0 }],
    ['one that is not JSON', { type: 'ADD', item: 'x', count: NaN }],
    ['one that holds a Map', { type: 'ADD', item: new Map() }],
  ])('[H4] %s is no event', async (_what, event) => {
    const { troupe, rows } = await ordering();
    await refusal(troupe.send('order/1', event as never), 'invalid_event');
    expect(rows('SELECT count(*) AS rows FROM journal')).toEqual([{ rows: 1 }]);
  });

  it('[H4] is stored as its schema has parsed it', async () => {
    const { troupe } = await ordering();
    await troupe.send('order/1', message('ADD', { item: 'x' }));
    expect((await troupe.journal('order/1')).at(-1)?.event).toEqual({
      type: 'ADD',
      item: 'x',
      count: 1,
    });
  });
});

describe('a spawn', () => {
  it.each([
    ['too little', { items: [] }, 'items'],
    ['another type', { items: [7] }, 'items'],
    ['something unknown', { items: ['tea'], more: 1 }, 'more'],
    ['nothing', undefined, 'expected object'],
  ])('[H4] with %s as input is refused, naming the path', async (_what, wrong, path) => {
    const { troupe } = await start({ machines: [order] });
    const error = await refusal(
      troupe.spawn(order, { id: '1', input: wrong as never }),
      'invalid_input',
    );
    expect(error.message).toContain(path);
    expect(await troupe.list()).toEqual([]);
  });

  it.each(['', ' ', 'a b', 'a#b', 'x'.repeat(257)])(
    '[H4] with the id %j is refused',
    async (id) => {
      const { troupe } = await start({ machines: [order] });
      await refusal(troupe.spawn(order, { id, input }), 'invalid_address');
    },
  );

  it('[M3] of the same id and input is the same actor, whatever the order of keys', async () => {
    const test = await start({ machines: [order] });
    const spawn = (given: object) =>
      test.troupe.spawn(order, { id: '1', input: given as typeof input });
    expect(await spawn({ items: ['tea'], note: 'hot' })).toEqual({
      address: 'order/1',
      isNew: true,
    });
    expect(await spawn({ note: 'hot', items: ['tea'] })).toEqual({
      address: 'order/1',
      isNew: false,
    });
    await test.reopen();
    expect(await spawn({ note: 'hot', items: ['tea'] })).toMatchObject({ isNew: false });
    await test.troupe.send('order/1', { type: 'END' });
    expect(await spawn({ note: 'hot', items: ['tea'] })).toMatchObject({ isNew: false });
    expect(await test.troupe.get('order/1')).toMatchObject({ status: 'done', revision: 2 });
  });

  it('[M3] of the same id and another input is refused, and changes nothing', async () => {
    const { troupe, rows } = await ordering();
    const before = rows('SELECT * FROM actors');
    const error = await refusal(
      troupe.spawn(order, { id: '1', input: { items: ['coffee'] } }),
      'actor_exists',
    );
    expect(error.message).toContain('order/1 exists with another input');
    expect(rows('SELECT * FROM actors')).toEqual(before);
  });

  it('[M3] twenty times at one moment makes one actor, born once', async () => {
    const { troupe, clock } = await start({ machines: [order] });
    const spawned = await Promise.all(
      Array.from({ length: 20 }, () => troupe.spawn(order, { id: '1', input })),
    );
    await clock.settle();
    expect(spawned.filter(({ isNew }) => isNew)).toHaveLength(1);
    expect(await troupe.get('order/1')).toMatchObject({ revision: 1 });
  });

  it('[M3] without an id makes a new actor each time', async () => {
    const { troupe } = await start({ machines: [order] });
    const one = await troupe.spawn(order, { input });
    const two = await troupe.spawn(order, { input });
    expect(one.address).not.toBe(two.address);
  });
});
