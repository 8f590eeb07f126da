// Listeners: callbacks and observables that a machine brings (K9a).

import { describe, expect, it } from 'vitest';
import {
  assign,
  createActor,
  type EventObject,
  fromCallback,
  fromEventObservable,
  fromObservable,
  type Observer,
  sendTo,
  setup,
} from 'xstate';
import { defineMachine } from '../../actors/index.ts';
import { type TestTroupe, until } from '../kit/index.ts';
import { openThreads } from './support/calls.ts';

type Send = (event: { readonly type: string; readonly n?: unknown }) => void;

/** One listener, held by its test: what it may send, and what became of it. */
class Outside {
  readonly lives: { send: Send; heard: string[]; isCleaned: boolean; input: unknown }[] = [];
  onStart: (send: Send) => void = () => {};
  onCleanup: () => void = () => {};

  readonly callback = fromCallback<EventObject, unknown>(({ sendBack, receive, input }) => {
    const life = { send: sendBack, heard: [] as string[], isCleaned: false, input };
    this.lives.push(life);
    receive(({ type }) => {
      if (type === 'BREAK') throw new Error('it broke');
      life.heard.push(type);
    });
    this.onStart(life.send);
    return () => {
      life.isCleaned = true;
      this.onCleanup();
    };
  });

  get last() {
    const life = this.lives.at(-1);
    if (life === undefined) throw new Error('nothing listens');
    return life;
  }
}

/** Counts what its listener sends, until LEAVE. */
function machineOf(outside: Outside) {
  return setup({
    types: {
      context: {} as { heard: unknown[]; error: unknown },
      events: {} as { type: string; n?: unknown },
    },
    actors: { ticker: outside.callback },
  }).createMachine({
    id: 'counter',
    context: { heard: [], error: null },
    initial: 'listening',
    states: {
      listening: {
        invoke: {
          id: 'ticker',
          src: 'ticker',
          input: { rate: 3 },
          onError: {
            target: 'broken',
            actions: assign({ error: ({ event }) => event.error }),
          },
        },
        on: {
          TICK: {
            actions: assign({ heard: ({ context, event }) => [...context.heard, event.n ?? null] }),
          },
          ASK: { actions: sendTo('ticker', { type: 'FASTER' }) },
          BREAK: { actions: sendTo('ticker', { type: 'BREAK' }) },
          LEAVE: 'away',
        },
      },
      away: { on: { BACK: 'listening' } },
      broken: {},
    },
  });
}

async function listening(outside = new Outside()) {
  const definition = defineMachine({ machine: machineOf(outside), version: 1 });
  // A grace that nobody would wait for: other calls get it when their host leaves.
  const test = await openThreads({ machines: [definition], calls: [], graceMs: 60_000 });
  const { address } = await test.troupe.spawn(definition, { id: '1' });
  await test.clock.settle();
  return { outside, definition, test, address };
}

const heardIn = async (test: TestTroupe, address: string) =>
  ((await test.troupe.get(address)).context as { heard: unknown[] }).heard;

const STATUS = 'SELECT class, status, attempt FROM calls ORDER BY rowid';

describe('a callback', () => {
  it('[K9a] listens once its order is on disk: its events come in their order, each in a step of its own', async () => {
    const outside = new Outside();
    outside.onStart = (send) => send({ type: 'TICK', n: 0 });
    const { test, address } = await listening(outside);
    for (const n of [1, 2, 3]) outside.last.send({ type: 'TICK', n });
    await test.clock.settle();
    expect(await heardIn(test, address)).toEqual([0, 1, 2, 3]);
    expect(outside.last.input).toEqual({ rate: 3 });
    expect(test.rows(STATUS)).toEqual([{ class: 'listener', status: 'claimed', attempt: 1 }]);
    expect((await test.troupe.get(address)).revision).toBe(5);
    expect(await test.troupe.replay(address)).toMatchObject({
      steps: 5,
      divergence: undefined,
    });
  });

  it('[K9a] hears what its actor sends, and ends with its cleanup when its state is left', async () => {
    const { outside, test, address } = await listening();
    await test.troupe.send(address, { type: 'ASK' });
    await test.clock.settle();
    expect(outside.last.heard).toEqual(['FASTER']);
    const { last } = outside;
    await test.troupe.send(address, { type: 'LEAVE' });
    await test.clock.settle();
    expect(last.isCleaned).toBe(true);
    last.send({ type: 'TICK', n: 'too late' });
    await test.clock.settle();
    expect(test.rows(STATUS)).toEqual([{ class: 'listener', status: 'cancelled', attempt: 1 }]);
    expect(await heardIn(test, address)).toEqual([]);
    await test.troupe.send(address, { type: 'BACK' });
    await test.clock.settle();
    expect(outside.lives).toHaveLength(2);
    expect(test.rows(STATUS)).toHaveLength(2);
  });

  it('[K9a, V9] has no time limit, holds up no shutdown, and listens again on the next host', async () => {
    const { outside, test, address } = await listening();
    await test.clock.advance(3_600_000);
    expect(outside.last.isCleaned).toBe(false);
    const before = test.clock.now();
    await test.leave();
    expect(test.clock.now() - before).toBeLessThan(1_000);
    expect(outside.last.isCleaned).toBe(true);
    expect(test.rows(STATUS)).toEqual([{ class: 'listener', status: 'ordered', attempt: 1 }]);
    outside.last.send({ type: 'TICK', n: 'nobody hears' });
    await test.reopen();
    await test.clock.settle();
    expect(outside.lives).toHaveLength(2);
    outside.last.send({ type: 'TICK', n: 'again' });
    await test.clock.settle();
    expect(await heardIn(test, address)).toEqual(['again']);
    expect(test.rows(STATUS)).toEqual([{ class: 'listener', status: 'claimed', attempt: 2 }]);
  });

  it('[K9a] whose host has died is started again, and what an earlier attempt sends is dropped', async () => {
    const { outside, test, address } = await listening();
    const [first] = outside.lives;
    // As another host leaves it when it has found this one dead.
    test.write("UPDATE calls SET attempt = 2, host = 'another'");
    first?.send({ type: 'TICK', n: 'stale' });
    await test.clock.settle();
    expect(await heardIn(test, address)).toEqual([]);
  });

  it.each([
    ['throws when it is told something', 'it broke'],
    ['sends what is no JSON', 'cannot be stored'],
  ])('[K9a] that %s ends with an error that its machine hears', async (what, message) => {
    const { outside, test, address } = await listening();
    if (what.startsWith('throws')) await test.troupe.send(address, { type: 'BREAK' });
    else outside.last.send({ type: 'TICK', n: new Map() });
    await test.clock.settle();
    expect(await test.troupe.get(address)).toMatchObject({
      state: 'broken',
      context: { error: { outcome: 'failed', message: expect.stringContaining(message) } },
    });
    // As in XState, where what threw is not asked to clean up.
    expect(outside.last.isCleaned).toBe(!what.startsWith('throws'));
  });

  it('[K9a] that throws when it starts, or in its cleanup, is the end of itself and not of its host', async () => {
    const outside = new Outside();
    outside.onStart = () => {
      throw new Error('it does not start');
    };
    const { test, address } = await listening(outside);
    await test.clock.settle();
    expect(await test.troupe.get(address)).toMatchObject({ state: 'broken' });
    const other = new Outside();
    other.onCleanup = () => {
      throw new Error('it does not end');
    };
    const next = await listening(other);
    await next.test.troupe.send(next.address, { type: 'LEAVE' });
    await next.test.clock.settle();
    expect(await next.test.troupe.get(next.address)).toMatchObject({ state: 'away' });
    await until(() => next.test.rows(STATUS).some((row) => row['status'] === 'cancelled'));
  });
});

/** An observable whose values its test gives. */
class Source<T> {
  observer: Observer<T> | undefined;
  isSubscribed = false;

  readonly subscribe = (observer: Observer<T>) => {
    this.observer = observer;
    this.isSubscribed = true;
    return {
      unsubscribe: () => {
        this.isSubscribed = false;
      },
    };
  };

  get observable() {
    return { subscribe: this.subscribe } as never;
  }
}

function observing(source: Source<number>) {
  return setup({
    types: { context: {} as { seen: unknown[] }, events: {} as { type: 'LEAVE' } },
    actors: { values: fromObservable(() => source.observable) },
  }).createMachine({
    id: 'observer',
    context: { seen: [] },
    initial: 'watching',
    states: {
      watching: {
        invoke: {
          id: 'values',
          src: 'values',
          onSnapshot: {
            actions: assign({
              seen: ({ context, event }) => [...context.seen, event.snapshot.context ?? null],
            }),
          },
          onDone: 'complete',
          onError: 'failed',
        },
        on: { LEAVE: 'away' },
      },
      away: {},
      complete: {},
      failed: {},
    },
  });
}

describe('an observable', () => {
  it.each([
    ['complete', (observer: Observer<number>) => observer.complete?.()],
    ['failed', (observer: Observer<number>) => observer.error?.(new Error('no more'))],
  ])('[K9a] gives its snapshots as in XState, and ends %s', async (state, end) => {
    const plain = new Source<number>();
    const alone = createActor(observing(plain)).start();
    const source = new Source<number>();
    const definition = defineMachine({ machine: observing(source), version: 1 });
    const test = await openThreads({ machines: [definition], calls: [] });
    const { address } = await test.troupe.spawn(definition);
    await test.clock.settle();
    for (const { observer } of [plain, source]) {
      for (const n of [1, 2]) observer?.next?.(n);
      if (observer !== undefined) end(observer);
    }
    await test.clock.settle();
    const { context, value } = alone.getSnapshot();
    expect(await test.troupe.get(address)).toMatchObject({ state: value, context });
    expect(value).toBe(state);
    expect(context.seen.length).toBeGreaterThanOrEqual(2);
  });

  it('[K9a] is unsubscribed when its state is left', async () => {
    const source = new Source<number>();
    const definition = defineMachine({ machine: observing(source), version: 1 });
    const test = await openThreads({ machines: [definition], calls: [] });
    const { address } = await test.troupe.spawn(definition);
    await test.clock.settle();
    expect(source.isSubscribed).toBe(true);
    await test.troupe.send(address, { type: 'LEAVE' });
    await test.clock.settle();
    expect(source.isSubscribed).toBe(false);
  });

  it('[K9a] of events sends them to its actor', async () => {
    const source = new Source<EventObject>();
    const machine = setup({
      types: { context: {} as { count: number }, events: {} as { type: 'PING' } },
      actors: { events: fromEventObservable(() => source.observable) },
    }).createMachine({
      id: 'pinged',
      context: { count: 0 },
      invoke: { id: 'events', src: 'events' },
      on: { PING: { actions: assign({ count: ({ context }) => context.count + 1 }) } },
    });
    const definition = defineMachine({ machine, version: 1 });
    const test = await openThreads({ machines: [definition], calls: [] });
    const { address } = await test.troupe.spawn(definition);
    await test.clock.settle();
    for (let n = 0; n < 3; n++) source.observer?.next?.({ type: 'PING' });
    await test.clock.settle();
    expect(await test.troupe.get(address)).toMatchObject({ context: { count: 3 } });
  });
});
