// K7: a machine that never comes to rest is cut, and parked alone.

import { describe, expect, it } from 'vitest';
import { assign, createMachine, raise, setup } from 'xstate';
import { MICROSTEPS_MAX } from '../../actors/limits.ts';
import { durable, start } from './harness.ts';

const looping = setup({ types: { context: {} as { left: number } } }).createMachine({
  id: 'looping',
  context: { left: 0 },
  initial: 'calm',
  states: {
    calm: {
      on: {
        ALWAYS: 'here',
        RAISE: { actions: raise({ type: 'RAISE' }) },
        COUNT: {
          target: 'counting',
          actions: assign({ left: ({ event }) => (event as { left?: number }).left ?? 0 }),
        },
      },
    },
    here: { always: 'there' },
    there: { always: 'here' },
    counting: {
      always: [
        {
          guard: ({ context }) => context.left > 0,
          target: 'counting',
          reenter: true,
          actions: assign({ left: ({ context }) => context.left - 1 }),
        },
        'calm',
      ],
    },
  },
});
const born = createMachine({
  id: 'born',
  initial: 'here',
  states: { here: { always: 'there' }, there: { always: 'here' } },
});
const machines = [durable(looping), durable(born)];

describe('an eventless loop', () => {
  it.each(['ALWAYS', 'RAISE'])('[K7] by %s parks its actor, and the host goes on', async (type) => {
    const { troupe, clock } = await start({ machines });
    for (const id of ['1', '2']) await troupe.spawn(durable(looping), { id });
    await Promise.all([
      troupe.send('looping/1', { type }),
      troupe.send('looping/2', { type: 'COUNT', left: 3 } as never),
    ]);
    await clock.settle();
    const parked = await troupe.get('looping/1');
    expect(parked).toMatchObject({
      status: 'stuck',
      state: 'calm',
      revision: 1,
      stuck: { code: 'eventless_loop', event: type },
    });
    expect(parked.stuck?.message).toContain(`${MICROSTEPS_MAX} microsteps`);
    expect(await troupe.get('looping/2')).toMatchObject({ status: 'active', revision: 2 });
  });

  it('[K7] at birth parks the newborn', async () => {
    const { troupe, clock } = await start({ machines });
    await troupe.spawn(durable(born), { id: '1' });
    await clock.settle();
    expect(await troupe.get('born/1')).toMatchObject({
      status: 'stuck',
      revision: 0,
      stuck: { code: 'eventless_loop' },
    });
  });

  it('[K7] ends where the limit says: what comes to rest before it is no loop', async () => {
    const { troupe, clock } = await start({ machines });
    for (const id of ['within', 'beyond']) await troupe.spawn(durable(looping), { id });
    await troupe.send('looping/within', { type: 'COUNT', left: MICROSTEPS_MAX - 10 } as never);
    await troupe.send('looping/beyond', { type: 'COUNT', left: MICROSTEPS_MAX + 10 } as never);
    await clock.settle();
    expect(MICROSTEPS_MAX).toBe(1_000);
    expect(await troupe.get('looping/within')).toMatchObject({ status: 'active', state: 'calm' });
    expect(await troupe.get('looping/beyond')).toMatchObject({ status: 'stuck' });
  });
});
