// T4: a birth comes before everything else that is sent to its address, also when both become ready in one group.

import { expect, it } from 'vitest';
import { assign, sendTo, setup, spawnChild } from 'xstate';
import { durable, start } from './harness.ts';

const childMachine = setup({
  types: { context: {} as { heard: number }, events: {} as { type: 'HELLO' } },
}).createMachine({
  id: 'child',
  context: { heard: 0 },
  on: { HELLO: { actions: assign({ heard: ({ context }) => context.heard + 1 }) } },
});

const child = durable(childMachine);

const parent = durable(
  setup({
    types: { events: {} as { type: 'GREET' } | { type: 'BEAR' } },
    actors: { child: childMachine },
  }).createMachine({
    id: 'parent',
    on: {
      GREET: {
        actions: sendTo(
          ({ system }) => system.get('child/1.c@3'),
          { type: 'HELLO' },
          { delay: 50 },
        ),
      },
      BEAR: { actions: spawnChild('child', { id: 'c' }) },
    },
  }),
);

it('[T4] a delayed send that is due in the group in which its actor is born comes after the birth', async () => {
  const test = await start({ machines: [parent, child] });
  await test.troupe.spawn(parent, { id: '1' });
  await test.clock.settle();
  await test.troupe.send('parent/1', { type: 'GREET' });
  await test.clock.settle();
  // Time passes with nobody there: the birth's order and the greeting then meet in one group.
  await test.leave();
  const sender = await start({ store: test.file, clock: test.clock });
  await sender.troupe.send('parent/1', { type: 'BEAR' });
  await test.clock.advance(100);
  await test.reopen();
  await test.clock.settle();
  expect(await test.troupe.get('child/1.c@3')).toMatchObject({
    status: 'active',
    context: { heard: 1 },
  });
});
