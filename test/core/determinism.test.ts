// K1: what a machine can know of time and chance comes from the step.

import { describe, expect, it } from 'vitest';
import { assign, createMachine, fromTransition, sendTo, setup, spawnChild } from 'xstate';
import { underStamp } from '../../actors/step/determinism.ts';
import { INIT_EVENT, revive, type Step, step, unborn } from '../../actors/step/index.ts';
import { durable, registered, start } from './harness.ts';

const AT_MS = Date.UTC(2031, 4, 6, 7, 8, 9, 10);

/** All that the rule names, as JSON. */
function look(): Record<string, unknown> {
  return {
    now: Date.now(),
    made: new Date().toISOString(),
    called: Date(),
    elapsed: performance.now(),
    chance: [Math.random(), Math.random()],
    uuid: crypto.randomUUID(),
    bytes: [...crypto.getRandomValues(new Uint8Array(4))],
  };
}

const curious = createMachine({
  id: 'curious',
  context: () => ({ born: look(), guarded: {}, assigned: {} }),
  initial: 'a',
  states: {
    a: {
      on: {
        GO: {
          target: 'b',
          guard: ({ context }) => {
            // A guard should not write; here it is how the test sees what it saw.
            context.guarded = look();
            return true;
          },
          actions: assign({ assigned: () => look() }),
        },
      },
    },
    b: {
      entry: [
        { type: 'note', params: () => look() as never },
        spawnChild('kid', { id: 'kid', input: () => look() }),
        sendTo('kid', () => ({ type: 'HI', ...look() })),
      ],
    },
  },
}).provide({ actors: { kid: fromTransition((state: unknown) => state, {}) } });

/** Births one and sends it GO. */
function run(atMs: number, id: string): Step {
  const machine = registered(curious);
  const born = step(machine, unborn(`curious/${id}`, undefined, undefined), {
    event: { type: INIT_EVENT },
    origin: { kind: 'event' },
    atMs,
  });
  if (born.kind === 'late') throw new Error('late');
  const before = revive(machine, born.after);
  const gone = step(machine, before, { event: { type: 'GO' }, origin: { kind: 'event' }, atMs });
  if (gone.kind === 'late') throw new Error('late');
  return gone;
}

describe('the stamp', () => {
  it('[K1] context, guard, assign, params and entry see the stamped time', () => {
    const { after, effects } = run(AT_MS, 'one');
    const { context } = JSON.parse(after.text) as { context: Record<string, unknown> };
    const [note, spawned, sent] = effects as unknown as {
      params?: unknown;
      input?: unknown;
      event?: unknown;
    }[];
    for (const seen of [
      context['born'],
      context['guarded'],
      context['assigned'],
      note?.params,
      spawned?.input,
      sent?.event,
    ]) {
      expect(seen).toMatchObject({
        now: AT_MS,
        made: new Date(AT_MS).toISOString(),
        called: new Date(AT_MS).toString(),
        elapsed: AT_MS,
      });
    }
  });

  it('[K1] equal input gives equal bytes, whenever it is stepped', () => {
    const first = run(AT_MS, 'one');
    const second = run(AT_MS, 'one');
    expect(second.after.text).toBe(first.after.text);
    expect(second.effectsText).toBe(first.effectsText);
  });

  it('[K1] chance differs by actor and by revision', () => {
    const chanceOf = (text: string) =>
      (JSON.parse(text) as { context: Record<string, { uuid: string }> }).context;
    const one = chanceOf(run(AT_MS, 'one').after.text);
    const two = chanceOf(run(AT_MS, 'two').after.text);
    const uuids = [one['born'], one['guarded'], two['born'], two['guarded']].map(
      (seen) => seen?.uuid,
    );
    expect(new Set(uuids).size).toBe(4);
    for (const uuid of uuids) expect(uuid).toMatch(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
  });

  it('[K1] dates made from a value, and the class itself, stay what they are', () => {
    underStamp({ atMs: AT_MS, seed: 's' }, () => {
      expect(new Date(0).getTime()).toBe(0);
      expect(new Date(2020, 1, 3).getFullYear()).toBe(2020);
      expect(Date.UTC(1970, 0, 1)).toBe(0);
      expect(Date.parse('1970-01-01T00:00:01Z')).toBe(1_000);
      expect(new Date()).toBeInstanceOf(Date);
      class Day extends Date {}
      expect(new Day().getTime()).toBe(AT_MS);
      expect(new Day()).toBeInstanceOf(Day);
    });
  });
});

describe('afterwards', () => {
  /** Where machine code would find them. */
  const globals = (): unknown[] =>
    [
      [globalThis, 'Date'],
      [Date, 'now'],
      [Math, 'random'],
      [performance, 'now'],
      [globalThis, 'crypto'],
      [crypto, 'randomUUID'],
    ].map(([holder, name]) => Reflect.get(holder as object, name as string) as unknown);

  it('[K1] the real clock and chance are back', () => {
    const before = globals();
    run(AT_MS, 'one');
    expect(globals()).toEqual(before);
    expect(Math.abs(Date.now() - AT_MS)).toBeGreaterThan(1_000);
    expect(Math.random()).not.toBe(Math.random());
  });

  it('[K1] they are back also when machine code throws', () => {
    const before = globals();
    expect(() =>
      underStamp({ atMs: AT_MS, seed: 's' }, () => {
        throw new Error(String(Date.now()));
      }),
    ).toThrow(String(AT_MS));
    for (const [index, value] of globals().entries()) expect(value).toBe(before[index]);
  });
});

describe('in a host', () => {
  const stamped = createMachine({
    id: 'stamped',
    context: { seen: [] as unknown[] },
    on: {
      LOOK: {
        actions: assign({
          seen: ({ context, event }) => [
            ...context.seen,
            [Date.now(), (event as { atMs?: number }).atMs],
          ],
        }),
      },
    },
  });

  it('[K1] machine code sees the time of its step, as Date and as event.atMs', async () => {
    const { troupe, clock, rows } = await start({ machines: [durable(stamped)] });
    await troupe.spawn(durable(stamped), { id: '1' });
    await troupe.send('stamped/1', { type: 'LOOK' });
    clock.jump(5_000);
    await troupe.send('stamped/1', { type: 'LOOK' });
    const steps = rows<{ at: number }>("SELECT at FROM journal WHERE event LIKE '%LOOK%'");
    const { context } = await troupe.get('stamped/1');
    expect(context).toEqual({ seen: steps.map(({ at }) => [at, at]) });
    expect(steps.map(({ at }) => at - clock.now())).toEqual([-5_000, 0]);
  });
});

it('[K1] what a guard changes in place without moving the actor is in memory no more than on disk', async () => {
  const machine = setup({ types: { context: {} as { n: number } } }).createMachine({
    id: 'sly',
    context: { n: 0 },
    on: {
      LOOK: {
        guard: ({ context }) => {
          context.n += 1;
          return false;
        },
        actions: [],
      },
      KEEP: { actions: assign({ n: ({ context }) => context.n }) },
    },
  });
  const test = await start({ machines: [durable(machine)] });
  await test.troupe.spawn(durable(machine), { id: 'a' });
  for (const type of ['LOOK', 'LOOK', 'KEEP']) await test.troupe.send('sly/a', { type });
  await test.clock.settle();
  expect((await test.troupe.get('sly/a')).context).toEqual({ n: 0 });
});
