// K8: what only a step can know to be wrong parks its actor, with the code and the mend.

import { describe, expect, it } from 'vitest';
import {
  assign,
  createMachine,
  emit,
  enqueueActions,
  fromPromise,
  raise,
  sendTo,
  setup,
  spawnChild,
} from 'xstate';
import type { StepErrorCode } from '../../actors/step/index.ts';
import { durable, start } from './harness.ts';

const job = fromPromise(async () => 'done');
const kid = createMachine({ id: 'kid' });
const named = setup({
  actors: { job, kid },
  delays: { forever: Infinity },
});

const circle: Record<string, unknown> = { name: 'circle' };
circle['self'] = [circle];
class Thing {
  readonly size = 1;
}

const into = (value: unknown) => assign({ value: () => value });
const later = (delay: unknown) => raise({ type: 'X' }, { delay: () => delay as number });

const cases: [what: string, code: StepErrorCode, told: string, action: unknown][] = [
  [
    'spawn inside assign',
    'spawn_in_assign',
    'spawnChild with an id',
    assign({ ref: ({ spawn }) => spawn('kid', { id: 'x' }) as unknown }),
  ],
  [
    'spawn of a call inside assign',
    'spawn_in_assign',
    'invoke',
    assign({ ref: ({ spawn }) => spawn('job') as unknown }),
  ],
  [
    'an enqueued spawnChild without id',
    'spawn_without_id',
    "{ id: '…' }",
    enqueueActions(({ enqueue }) => enqueue.spawnChild('kid')),
  ],
  [
    'enqueued logic itself',
    'source_unknown',
    'setup({ actors })',
    enqueueActions(({ enqueue }) => enqueue.spawnChild(job as never, { id: 'x' })),
  ],
  [
    'an enqueued unknown source',
    'source_unknown',
    "'nobody'",
    enqueueActions(({ enqueue }) => enqueue.spawnChild('nobody' as never, { id: 'x' })),
  ],
  [
    'an unknown target',
    'target_unknown',
    "'nobody'",
    sendTo((() => 'nobody') as () => string, { type: 'X' }),
  ],
  ['an infinite delay', 'delay_invalid', 'Infinity ms', later(Infinity)],
  ['a delay that is no number', 'delay_invalid', 'NaN ms', later(NaN)],
  ['a negative delay', 'delay_invalid', '-1 ms', later(-1)],
  [
    'a named delay without end',
    'delay_invalid',
    'Infinity ms',
    raise({ type: 'X' }, { delay: 'forever' as never }),
  ],
  ['a Map in the context', 'context_not_json', 'context.value is a Map', into(new Map())],
  ['a Set in the context', 'context_not_json', 'context.value is a Set', into(new Set())],
  ['a Date in the context', 'context_not_json', 'context.value is a Date', into(new Date(0))],
  ['an Error in the context', 'context_not_json', 'context.value is a Error', into(new Error('x'))],
  ['an instance in the context', 'context_not_json', 'context.value is a Thing', into(new Thing())],
  [
    'undefined in an array',
    'context_not_json',
    'context.value[1] is undefined',
    into([1, undefined]),
  ],
  [
    'a hole in an array',
    'context_not_json',
    'context.value[1] is undefined',
    into(Object.assign([], { 0: 1, 2: 3 })),
  ],
  ['NaN in the context', 'context_not_json', 'context.value.deep[0] is NaN', into({ deep: [NaN] })],
  ['Infinity in the context', 'context_not_json', 'context.value is -Infinity', into(-Infinity)],
  ['a bigint in the context', 'context_not_json', 'context.value is a bigint', into(1n)],
  ['a function in the context', 'context_not_json', 'context.value is a function', into(() => {})],
  ['a symbol in the context', 'context_not_json', 'context.value is a symbol', into(Symbol('x'))],
  ['a toJSON in the context', 'context_not_json', 'toJSON', into({ toJSON: () => 1 })],
  ['a circle in the context', 'context_not_json', 'circle', into(circle)],
  [
    'a Map in an event',
    'event_not_json',
    'value is a Map',
    sendTo(
      ({ self }) => self,
      () => ({ type: 'X', value: new Map() }),
    ),
  ],
  [
    'a Map in a delayed event',
    'event_not_json',
    'value is a Map',
    raise({ type: 'X', value: new Map() } as never, { delay: 1 }),
  ],
  [
    'a Map in what is emitted',
    'event_not_json',
    'value is a Map',
    emit({ type: 'X', value: new Map() }),
  ],
  [
    'a reference in an event',
    'event_not_json',
    'address',
    sendTo(
      ({ self }) => self,
      ({ self }) => ({ type: 'X', from: self }),
    ),
  ],
  [
    'a Map in an input',
    'input_not_json',
    'is a Map, which JSON does not give back',
    spawnChild('job', { id: 'x', input: { value: new Map() } }),
  ],
];

describe('a step refuses', () => {
  it.each(cases)('[K8] %s', async (_what, code, told, action) => {
    const machine = durable(
      named.createMachine({
        id: 'm',
        context: { value: null },
        initial: 'calm',
        states: { calm: { on: { GO: { target: 'gone', actions: action as never } } }, gone: {} },
      }),
    );
    const { troupe, rows } = await start({ machines: [machine] });
    await troupe.spawn(machine, { id: '1' });
    const before = rows('SELECT snapshot, revision FROM actors WHERE id = ?', 'm/1');
    await troupe.send('m/1', { type: 'GO' });
    const { status, stuck, state, timers, calls } = await troupe.get('m/1');
    expect({ status, state, timers, calls }).toEqual({
      status: 'stuck',
      state: 'calm',
      timers: [],
      calls: [],
    });
    expect(stuck).toMatchObject({ code, event: 'GO' });
    expect(stuck?.message).toContain(told);
    expect(rows('SELECT snapshot, revision FROM actors WHERE id = ?', 'm/1')).toEqual(before);
    expect(rows("SELECT * FROM actors WHERE id <> 'm/1'")).toEqual([]);
  });

  it('[K8] a Map in an output', async () => {
    const machine = durable(
      createMachine({
        id: 'm',
        initial: 'a',
        output: () => new Map(),
        states: { a: { type: 'final' } },
      }),
    );
    const { troupe, clock } = await start({ machines: [machine] });
    await troupe.spawn(machine, { id: '1' });
    await clock.settle();
    expect(await troupe.get('m/1')).toMatchObject({
      status: 'stuck',
      stuck: { code: 'output_not_json' },
    });
  });

  it('[K8] a Map that a machine is born with', async () => {
    const machine = durable(createMachine({ id: 'm', context: { value: new Map() } }));
    const { troupe, clock } = await start({ machines: [machine] });
    await troupe.spawn(machine, { id: '1' });
    await clock.settle();
    expect(await troupe.get('m/1')).toMatchObject({
      status: 'stuck',
      stuck: { code: 'context_not_json' },
    });
  });
});

describe('what JSON gives back otherwise', () => {
  const keeper = durable(
    named.createMachine({
      id: 'keeper',
      context: {},
      on: {
        OMIT: { actions: assign(() => ({ gone: undefined, kept: 1 })) },
        NEGATE: { actions: assign(() => ({ kept: 1, list: [-0] })) },
        LOOK: {
          actions: assign(({ context }) => ({
            keys: Object.keys(context).toSorted(),
            isNegative: Object.is((context['list'] as number[] | undefined)?.[0], -0),
          })),
        },
      },
    }),
  );

  it.each([
    ['OMIT', ['kept']],
    ['NEGATE', ['kept', 'list']],
  ])(
    '[K8, K1] %s: is the same for an actor in memory and one that was read again',
    async (type, keys) => {
      const contexts: unknown[] = [];
      for (const isReopened of [false, true]) {
        const test = await start({ machines: [keeper] });
        await test.troupe.spawn(keeper, { id: '1' });
        await test.troupe.send('keeper/1', { type });
        if (isReopened) await test.reopen();
        await test.troupe.send('keeper/1', { type: 'LOOK' });
        contexts.push((await test.troupe.get('keeper/1')).context);
      }
      expect(contexts[0]).toMatchObject({ kept: 1, keys, isNegative: false });
      expect(contexts[1]).toEqual(contexts[0]);
    },
  );
});
