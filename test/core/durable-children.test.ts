// K9: children of every kind are durable: machines, transition functions, promises and calls.

import { describe, expect, it } from 'vitest';
import { assign, fromPromise, fromTransition, sendParent, sendTo, setup, spawnChild } from 'xstate';
import { defineMachine } from '../../actors/index.ts';
import { durable, lives, message, start } from './harness.ts';

const counting = setup({
  types: {
    input: {} as { goal: number },
    context: {} as { goal: number; count: number },
    output: {} as { count: number },
  },
}).createMachine({
  id: 'counting',
  context: ({ input }) => ({ goal: input.goal, count: 0 }),
  initial: 'on',
  output: ({ context }) => ({ count: context.count }),
  states: {
    on: {
      on: {
        ADD: {
          actions: [
            assign({ count: ({ context }) => context.count + 1 }),
            sendParent(({ context }) => ({ type: 'COUNTED', count: context.count + 0 })),
          ],
        },
      },
      always: { guard: ({ context }) => context.count >= context.goal, target: 'off' },
    },
    off: { type: 'final' },
  },
});

const counter = setup({
  types: { context: {} as { heard: number[]; result: unknown } },
  actors: { counting },
}).createMachine({
  id: 'counter',
  context: { heard: [], result: null },
  initial: 'counting',
  on: {
    COUNTED: {
      actions: assign({
        heard: ({ context, event }) => [...context.heard, (event as { count?: number }).count ?? 0],
      }),
    },
  },
  states: {
    counting: {
      invoke: {
        id: 'child',
        src: 'counting',
        input: { goal: 3 },
        onDone: { target: 'counted', actions: assign({ result: ({ event }) => event.output }) },
      },
      on: { PUSH: { actions: sendTo('child', { type: 'ADD' }) } },
    },
    counted: {},
  },
});

describe('an invoked machine', () => {
  it.each(lives)(
    '[K9] hears its parent, tells it, and gives its output, %s',
    async (_name, life) => {
      const test = await start({ machines: [durable(counter)] });
      await test.troupe.spawn(durable(counter), { id: '1' });
      for (let pushes = 0; pushes < 3; pushes++) {
        await life(test);
        await test.troupe.send('counter/1', { type: 'PUSH' });
      }
      await life(test);
      expect(await test.troupe.get('counter/1')).toMatchObject({
        state: 'counted',
        context: { heard: [1, 2, 3], result: { count: 3 } },
      });
      const child = await test.troupe.get('counter.counting/1.child@1');
      expect(child).toMatchObject({
        status: 'done',
        output: { count: 3 },
        parent: 'counter/1',
        revision: 4,
      });
    },
  );

  it('[K9] is an actor of its own name when its machine is registered itself', async () => {
    const test = await start({ machines: [durable(counter), durable(counting)] });
    await test.troupe.spawn(durable(counter), { id: '1' });
    await test.clock.settle();
    const addresses = (await test.troupe.list()).map(({ address }) => address);
    expect(addresses).toEqual(['counter/1', 'counting/1.child@1']);
  });
});

const failing = setup({ actors: { job: fromPromise(async () => 1) } }).createMachine({
  id: 'failing',
  invoke: { id: 'job', src: 'job' },
});

const careful = setup({
  types: { context: {} as { error: unknown } },
  actors: { failing },
}).createMachine({
  id: 'careful',
  context: { error: null },
  initial: 'trying',
  states: {
    trying: {
      invoke: {
        id: 'child',
        src: 'failing',
        onError: { target: 'caught', actions: assign({ error: ({ event }) => event.error }) },
      },
    },
    caught: {},
  },
});

it.each(lives)(
  '[K9] the error of a child reaches onError of its parent, %s',
  async (_name, life) => {
    const test = await start({
      machines: [durable(careful)],
    });
    await test.troupe.spawn(durable(careful), { id: '1' });
    await test.clock.settle();
    const error = { code: 'offline', message: 'no net', outcome: 'failed' as const };
    test.pool.newest('careful.failing.job').throw(error);
    await test.clock.settle();
    await life(test);
    expect(await test.troupe.get('careful.failing/1.child@1')).toMatchObject({
      status: 'error',
      error,
    });
    expect(await test.troupe.get('careful/1')).toMatchObject({
      state: 'caught',
      context: { error },
    });
  },
);

interface Answer {
  readonly event: { readonly output?: unknown; readonly error?: unknown };
}

const board = setup({
  types: { context: {} as { answer: unknown } },
  actors: {
    tally: fromTransition(
      (sum: number, event: { type: string; by?: number }) => sum + (event.by ?? 0),
      5,
    ),
    ask: fromPromise<string, { question: string }>(async () => 'never asked here'),
  },
}).createMachine({
  id: 'board',
  context: { answer: null },
  invoke: { id: 'tally', src: 'tally' },
  on: {
    ADD: { actions: sendTo('tally', ({ event }) => event) },
    ASK: { actions: spawnChild('ask', { id: 'ask', input: { question: 'why' } }) },
    'xstate.done.actor.ask': { actions: assign({ answer: ({ event }: Answer) => event.output }) },
    'xstate.error.actor.ask': { actions: assign({ answer: ({ event }: Answer) => event.error }) },
  } as never,
});

describe('a transition function', () => {
  it.each(lives)('[K9] is a durable child, %s', async (_name, life) => {
    const test = await start({ machines: [durable(board)] });
    await test.troupe.spawn(durable(board), { id: '1' });
    for (const by of [1, 10, 100]) {
      await life(test);
      await test.troupe.send('board/1', message('ADD', { by }));
    }
    await life(test);
    expect(await test.troupe.get('board.tally/1.tally@1')).toMatchObject({
      status: 'active',
      context: 116,
      revision: 4,
    });
  });
});

describe('a promise that the machine brings', () => {
  const reading = defineMachine({
    machine: board,
    version: 1,
    promises: { ask: { class: 'read' } },
  });

  it.each(lives)('[K9] of class read runs until it has answered, %s', async (_name, life) => {
    const test = await start({ machines: [reading] });
    await test.troupe.spawn(reading, { id: '1' });
    await test.troupe.send('board/1', { type: 'ASK' });
    await life(test);
    const attempt = test.pool.newest('board.ask');
    expect(attempt.input).toEqual({ question: 'why' });
    attempt.answer('because');
    await test.clock.settle();
    await life(test);
    expect(await test.troupe.get('board/1')).toMatchObject({ context: { answer: 'because' } });
    expect(test.pool.running).toEqual([]);
  });

  it('[K9] is of class effect otherwise: interrupted by a restart, nobody knows its outcome', async () => {
    const test = await start({ machines: [durable(board)] });
    await test.troupe.spawn(durable(board), { id: '1' });
    await test.troupe.send('board/1', { type: 'ASK' });
    await test.reopen();
    expect(test.pool.started).toHaveLength(1);
    expect(await test.troupe.get('board/1')).toMatchObject({
      context: { answer: { code: 'interrupted', outcome: 'unknown' } },
    });
  });
});
