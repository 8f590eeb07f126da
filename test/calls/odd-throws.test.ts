// Odd throws: what machines may throw has no shape, and none of it ends the host.

import { expect, it } from 'vitest';
import { fromPromise, setup } from 'xstate';
import { defineMachine } from '../../actors/index.ts';
import { until } from '../kit/index.ts';
import { openThreads } from './support/calls.ts';

const circle: { self?: unknown } = {};
circle.self = circle;

const ODD = [
  ['a circle', circle],
  ['a bigint', 10n],
  ['undefined', undefined],
  ['a symbol', Symbol('odd')],
  ['an object without a prototype', Object.create(null) as object],
] as const;

it.each(ODD)(
  '[C6] a promise that rejects with %s is an error of its call',
  async (_what, thrown) => {
    const machine = setup({
      actors: { work: fromPromise(() => Promise.reject(thrown as Error)) },
    }).createMachine({
      id: 'odd',
      initial: 'working',
      states: {
        working: { invoke: { id: 'work', src: 'work', onError: 'told', onDone: 'done' } },
        told: {},
        done: {},
      },
    });
    const definition = defineMachine({ machine, version: 1 });
    const test = await openThreads({ machines: [definition], calls: [] });
    const { address } = await test.troupe.spawn(definition, { id: 'a' });
    await until(async () => (await test.troupe.get(address)).state === 'told');
    expect((await test.troupe.get(address)).calls).toMatchObject([
      { status: 'unknown', error: { code: 'threw', outcome: 'unknown' } },
    ]);
  },
);

it.each(ODD)(
  '[K8] a notification that throws %s is logged, and the host goes on',
  async (_what, thrown) => {
    const machine = setup({
      actions: {
        ring: () => {
          // oxlint-disable-next-line typescript/only-throw-error -- it is what is tried
          throw thrown;
        },
      },
    }).createMachine({ id: 'odd', on: { GO: { actions: 'ring' } } });
    const definition = defineMachine({ machine, version: 1 });
    const test = await openThreads({ machines: [definition], calls: [] });
    const { address } = await test.troupe.spawn(definition, { id: 'a' });
    await test.troupe.send(address, { type: 'GO' });
    await test.troupe.send(address, { type: 'GO' });
    await until(async () => (await test.troupe.get(address)).revision === 3);
  },
);
