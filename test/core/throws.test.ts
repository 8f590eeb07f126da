// K6: what machine code throws parks its own actor, and nobody else.

import { describe, expect, it } from 'vitest';
import { assign, createMachine, fromPromise, raise, sendTo, setup, spawnChild } from 'xstate';
import { durable, refusal, start } from './harness.ts';

const boom = (): never => {
  throw new Error('boom');
};

const fragile = setup({
  types: { context: {} as { count: number } },
  actors: { job: fromPromise(async () => 'done') },
  actions: { note: (_args, _params: unknown) => {} },
  delays: { broken: boom },
}).createMachine({
  id: 'fragile',
  context: { count: 7 },
  initial: 'calm',
  output: ({ event }) => event.output,
  states: {
    calm: {
      on: {
        COUNT: { actions: assign({ count: ({ context }) => context.count + 1 }) },
        GUARD: { guard: boom, target: 'other' },
        ASSIGN: { target: 'other', actions: [assign({ count: 99 }), assign(boom)] },
        MUTATE: {
          target: 'other',
          actions: assign(({ context }) => {
            context.count = 99;
            return boom();
          }),
        },
        PARAMS: { target: 'other', actions: [{ type: 'note', params: boom }] },
        SEND: { target: 'other', actions: [sendTo(boom as () => string, { type: 'HI' })] },
        EVENT: { target: 'other', actions: [raise(boom)] },
        DELAY: { target: 'other', actions: raise({ type: 'HI' }, { delay: boom }) },
        INPUT: { target: 'other', actions: spawnChild('job', { id: 'job', input: boom as never }) },
        ENTRY: 'entering',
        INVOKE: 'invoking',
        AFTER: 'waiting',
        ALWAYS: 'passing',
        EXIT: 'leaving',
        OUTPUT: 'ended',
      },
    },
    other: {},
    entering: { entry: assign(boom) },
    invoking: { invoke: { id: 'job', src: 'job', input: boom as never } },
    waiting: { after: { broken: 'other' } },
    passing: { always: { guard: boom, target: 'other' } },
    leaving: { always: 'other', exit: assign(boom) },
    ended: { type: 'final', output: boom },
  },
});

const calm = createMachine({ id: 'calm', on: { HI: {} } });
const machines = [durable(fragile), durable(calm)];

const places = [
  'GUARD',
  'ASSIGN',
  'MUTATE',
  'PARAMS',
  'SEND',
  'EVENT',
  'DELAY',
  'INPUT',
  'ENTRY',
  'INVOKE',
  'AFTER',
  'ALWAYS',
  'EXIT',
  'OUTPUT',
];

describe('a throw', () => {
  it.each(places)('[K6] in %s parks the actor with error, message and state', async (type) => {
    const { troupe, clock, rows } = await start({ machines });
    await troupe.spawn(durable(fragile), { id: '1' });
    await clock.settle();
    const snapshotOf = () => rows('SELECT snapshot, armings, revision FROM actors');
    const before = snapshotOf();
    const receipt = await troupe.send('fragile/1', { type, why: 'test' } as never);
    await clock.settle();
    expect(await troupe.get('fragile/1')).toMatchObject({
      status: 'stuck',
      state: 'calm',
      context: { count: 7 },
      stuck: {
        code: 'machine_threw',
        // XState says where a guard stood, in front of what it threw.
        message: expect.stringMatching(/boom$/),
        messageSeq: receipt.seq,
        event: type,
        state: 'calm',
      },
      messages: [{ seq: receipt.seq, event: { type, why: 'test' } }],
      calls: [],
      timers: [],
    });
    expect(snapshotOf()).toEqual(before);
  });

  it('[K6] in a context factory parks a newborn', async () => {
    const newborn = durable(createMachine({ id: 'newborn', context: boom }));
    const { troupe, clock } = await start({ machines: [newborn] });
    await troupe.spawn(newborn, { id: '1' });
    await clock.settle();
    expect(await troupe.get('newborn/1')).toMatchObject({
      status: 'stuck',
      revision: 0,
      stuck: { code: 'machine_threw', message: 'boom', event: 'xstate.init' },
    });
  });

  it('[K6] at the entry of the first state parks a newborn', async () => {
    const newborn = durable(createMachine({ id: 'newborn', context: {}, entry: assign(boom) }));
    const { troupe, clock } = await start({ machines: [newborn] });
    await troupe.spawn(newborn, { id: '1' });
    await clock.settle();
    expect(await troupe.get('newborn/1')).toMatchObject({ status: 'stuck', revision: 0 });
  });

  it.each([
    ['a text', 'just words', 'just words'],
    ['a number', 42, '42'],
    ['nothing', undefined, 'undefined'],
    ['an object', { code: 'x' }, '{"code":"x"}'],
  ])('[K6] of %s is told, too', async (_what, thrown, message) => {
    const thrower = durable(
      createMachine({
        id: 'thrower',
        on: {
          GO: {
            actions: assign(() => {
              // Machine code may throw anything.
              throw thrown as unknown as Error;
            }),
          },
        },
      }),
    );
    const { troupe } = await start({ machines: [thrower] });
    await troupe.spawn(thrower, { id: '1' });
    await troupe.send('thrower/1', { type: 'GO' });
    expect((await troupe.get('thrower/1')).stuck?.message).toBe(message);
  });

  it('[K6] is in the journal, as a row that is no step', async () => {
    const { troupe } = await start({ machines });
    await troupe.spawn(durable(fragile), { id: '1' });
    await troupe.send('fragile/1', { type: 'ASSIGN' });
    expect((await troupe.journal('fragile/1')).at(-1)).toMatchObject({
      kind: 'stuck',
      revision: undefined,
      event: { type: 'ASSIGN' },
      effects: [{ code: 'machine_threw', message: 'boom' }],
      state: 'calm',
    });
  });
});

describe('the others', () => {
  it('[K6, K1] are not touched by what a machine does to its context in place', async () => {
    const { troupe, clock } = await start({ machines });
    await troupe.spawn(durable(fragile), { id: '1' });
    await troupe.send('fragile/1', { type: 'MUTATE' });
    await troupe.spawn(durable(fragile), { id: '2' });
    await clock.settle();
    expect(await troupe.get('fragile/2')).toMatchObject({ context: { count: 7 } });
  });

  it('[K6] of the same group and after it go on', async () => {
    const { troupe, clock } = await start({ machines });
    for (const id of ['1', '2']) await troupe.spawn(durable(fragile), { id });
    await troupe.spawn(durable(calm), { id: '1' });
    await Promise.all([
      troupe.send('fragile/2', { type: 'COUNT' }),
      troupe.send('fragile/1', { type: 'GUARD' }),
      troupe.send('calm/1', { type: 'HI' }),
      troupe.send('fragile/2', { type: 'COUNT' }),
    ]);
    await clock.settle();
    expect(await troupe.get('calm/1')).toMatchObject({ status: 'active', revision: 2 });
    await troupe.send('fragile/2', { type: 'COUNT' });
    expect(await troupe.get('fragile/2')).toMatchObject({ context: { count: 10 }, revision: 4 });
  });

  it('[K6] a restart finds the stuck one stuck and does not try it again', async () => {
    const test = await start({ machines });
    await test.troupe.spawn(durable(fragile), { id: '1' });
    await test.troupe.send('fragile/1', { type: 'GUARD' });
    const journal = await test.troupe.journal('fragile/1');
    for (let restarts = 0; restarts < 3; restarts++) await test.reopen();
    await test.clock.advance(60_000);
    expect(await test.troupe.journal('fragile/1')).toEqual(journal);
    await refusal(test.troupe.send('fragile/1', { type: 'COUNT' }), 'actor_stuck');
  });
});

describe('one parent with twenty children', () => {
  const child = setup({
    types: { input: {} as { n: number }, context: {} as { n: number; count: number } },
  }).createMachine({
    id: 'child',
    context: ({ input }) => (input.n === 1 ? boom() : { n: input.n, count: 0 }),
    on: {
      WORK: {
        actions: assign({
          count: ({ context }) => (context.n === 0 ? boom() : context.count + 1),
        }),
      },
    },
  });
  const numbers = Array.from({ length: 20 }, (_, n) => n);
  const parent = setup({ actors: { child } }).createMachine({
    id: 'parent',
    entry: numbers.map((n) => spawnChild('child', { id: `c${n}`, input: { n } })),
    on: { WORK: { actions: numbers.map((n) => sendTo(`c${n}`, { type: 'WORK' })) } },
  });

  it('[K6] E11: one that throws on every message and one that throws at birth stop nobody else', async () => {
    const { troupe, clock } = await start({ machines: [durable(parent), durable(child)] });
    await troupe.spawn(durable(parent), { id: '1' });
    for (let round = 0; round < 5; round++) await troupe.send('parent/1', { type: 'WORK' });
    await clock.settle();
    const children = await troupe.list({ machine: 'child' });
    const stuck = children.filter(({ status }) => status === 'stuck');
    expect(children).toHaveLength(20);
    expect(stuck.map(({ address }) => address)).toEqual(['child/1.c0@1', 'child/1.c1@1']);
    for (const { address, status } of children) {
      const kept = await troupe.get(address);
      if (status === 'active') expect(kept).toMatchObject({ revision: 6, context: { count: 5 } });
      // Nothing of theirs is lost, and none is tried over and over: one row tells it once.
      else
        expect((await troupe.journal(address)).filter(({ kind }) => kind === 'stuck')).toHaveLength(
          1,
        );
    }
    expect((await troupe.get('child/1.c0@1')).messages).toHaveLength(5);
    expect((await troupe.get('child/1.c1@1')).messages).toHaveLength(6);
    expect(await troupe.get('parent/1')).toMatchObject({ status: 'active', revision: 6 });
  });
});
