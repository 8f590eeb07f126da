// Births: the first step of an actor is its birth, whatever else waits for its address.

import { expect, it } from 'vitest';
import { assign, sendTo, setup } from 'xstate';
import { durable, message, start } from './harness.ts';

const born = durable(
  setup({
    types: { context: {} as { name: string; heard: number }, input: {} as { name: string } },
  }).createMachine({
    id: 'born',
    context: ({ input }) => ({ name: input.name, heard: 0 }),
    on: { HELLO: { actions: assign({ heard: ({ context }) => context.heard + 1 }) } },
  }),
);

const sender = durable(
  setup({}).createMachine({
    id: 'sender',
    on: {
      CALL: {
        actions: sendTo(({ system }) => system.get('born/x'), { type: 'HELLO' }, { delay: 1_000 }),
      },
    },
  }),
);

it('[T4] an event that comes due for an address before its actor is born waits for the birth', async () => {
  const test = await start({ machines: [born, sender] });
  await test.troupe.spawn(sender, { id: 's' });
  await test.troupe.send('sender/s', { type: 'CALL' });
  await test.clock.settle();
  test.clock.jump(5_000);
  await test.troupe.spawn(born, { id: 'x', input: { name: 'Ada' } as never });
  await test.clock.settle();
  expect(await test.troupe.get('born/x')).toMatchObject({
    status: 'active',
    revision: 2,
    context: { name: 'Ada', heard: 1 },
  });
  expect((await test.troupe.journal('born/x')).map(({ event }) => event)).toMatchObject([
    { type: 'xstate.init' },
    { type: 'HELLO' },
  ]);
});

const kid = durable(setup({}).createMachine({ id: 'kid' }));

it('[K5] children whose ids hold dots do not share an address', async () => {
  const parentOf = (childId: string) =>
    setup({ actors: { kid: kid.machine } }).createMachine({
      id: `parent-${childId}`,
      invoke: { id: childId, src: 'kid' },
    });
  const [first, second] = [durable(parentOf('b.c')), durable(parentOf('c'))];
  const test = await start({ machines: [kid, first, second] });
  await test.troupe.spawn(first, { id: 'a' });
  await test.troupe.spawn(second, { id: 'a.b' });
  await test.clock.settle();
  const kids = await test.troupe.list({ machine: 'kid' });
  expect(new Set(kids.map(({ parent }) => parent)).size).toBe(2);
});

it('[K5] an outside id that reads like a child’s is refused', async () => {
  const test = await start({ machines: [kid] });
  await expect(test.troupe.spawn(kid, { id: 'a.b@3' })).rejects.toMatchObject({
    code: 'invalid_address',
  });
  await test.troupe.spawn(kid, { id: 'ada@example.org' });
});

it('[K8] a child may be called constructor', async () => {
  const machine = setup({ actors: { kid: kid.machine } }).createMachine({
    id: 'parent',
    initial: 'with',
    states: {
      with: { invoke: { id: 'constructor', src: 'kid' }, on: { DROP: 'without' } },
      without: {},
    },
  });
  const parent = durable(machine);
  const test = await start({ machines: [kid, parent] });
  await test.troupe.spawn(parent, { id: 'p' });
  await test.troupe.send('parent/p', message('DROP'));
  await test.clock.settle();
  expect(await test.troupe.get('parent/p')).toMatchObject({ status: 'active', state: 'without' });
  expect(await test.troupe.list({ machine: 'kid', status: 'stopped' })).toHaveLength(1);
});
