// V4a: an actor that is bound to its host is told, once, when that host has ended.

import { expect, it } from 'vitest';
import { createMachine } from 'xstate';
import { HOST_PROBE_MS } from '../../actors/limits.ts';
import { durable, start } from '../core/harness.ts';
import { openTestTroupe, seededEntropy } from '../kit/index.ts';

const keeper = durable(
  createMachine({
    id: 'keeper',
    initial: 'kept',
    states: {
      kept: { on: { HOST_ENDED: 'alone', REST: 'resting' } },
      resting: { tags: ['settled'], on: { HOST_ENDED: 'alone' } },
      alone: {},
    },
  }),
);

const machines = [keeper];

it('[V4a] is told when its host leaves, with the name of the host, in the transaction that deletes the row', async () => {
  const test = await start({ machines });
  await test.troupe.spawn(keeper, { id: 'bound', boundToHost: true });
  await test.troupe.spawn(keeper, { id: 'free' });
  await test.clock.settle();
  const [host] = test.rows<{ incarnation: string }>('SELECT incarnation FROM hosts');
  await test.leave();
  expect(test.rows('SELECT actor, sender, event FROM messages')).toEqual([
    {
      actor: 'keeper/bound',
      sender: host?.incarnation,
      event: JSON.stringify({ type: 'HOST_ENDED', host: host?.incarnation }),
    },
  ]);
  await test.reopen();
  expect(await test.troupe.get('keeper/bound')).toMatchObject({ state: 'alone' });
  expect(await test.troupe.get('keeper/free')).toMatchObject({ state: 'kept' });
  await test.reopen();
  expect(await test.troupe.get('keeper/bound')).toMatchObject({ revision: 2 });
});

it('[V4a] is told by a living host when its host has died', async () => {
  const dying = await start({ machines });
  await dying.troupe.spawn(keeper, { id: 'bound', boundToHost: true });
  await dying.clock.settle();
  const living = await openTestTroupe({
    machines,
    store: dying.file,
    entropy: seededEntropy(),
  });
  // Its lock is what its death would release; the process of this test lives on.
  const lock = (
    dying.troupe as unknown as {
      parts: { writing: { registration: { lock: { unlock(): void } } } };
    }
  ).parts.writing.registration.lock;
  lock.unlock();
  await living.clock.advance(HOST_PROBE_MS);
  expect(await living.troupe.get('keeper/bound')).toMatchObject({ state: 'alone', revision: 2 });
  await living.close();
});

it('[V4a] is not told when nothing more will happen to it by itself', async () => {
  const test = await start({ machines });
  await test.troupe.spawn(keeper, { id: 'settled', boundToHost: true });
  await test.troupe.send('keeper/settled', { type: 'REST' });
  await test.clock.settle();
  await test.reopen();
  expect(await test.troupe.get('keeper/settled')).toMatchObject({ state: 'resting' });
});
