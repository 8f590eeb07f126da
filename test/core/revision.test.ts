// K4: an actor's revision counts its steps, and nobody steps from a base that is not the stored one.

import { expect, it } from 'vitest';
import { assign, setup } from 'xstate';
import { durable, start, storeOf } from './harness.ts';

const counter = durable(
  setup({ types: { context: {} as { count: number } } }).createMachine({
    id: 'counter',
    context: { count: 0 },
    on: { COUNT: { actions: assign({ count: ({ context }) => context.count + 1 }) } },
  }),
);

it('[K4] the revision grows by one per step, whether the event moves anything or not', async () => {
  const { troupe } = await start({ machines: [counter] });
  await troupe.spawn(counter, { id: '1' });
  for (const type of ['COUNT', 'UNKNOWN', 'COUNT', 'UNKNOWN']) {
    await troupe.send('counter/1', { type });
  }
  const journal = await troupe.journal('counter/1');
  expect(journal.map(({ revision }) => revision)).toEqual([1, 2, 3, 4, 5]);
  expect(await troupe.get('counter/1')).toMatchObject({ revision: 5, context: { count: 2 } });
});

it('[K4] a thousand messages of one moment are a thousand revisions', async () => {
  const { troupe, rows, clock } = await start({ machines: [counter] });
  await troupe.spawn(counter, { id: '1' });
  await Promise.all(
    Array.from({ length: 1_000 }, () => troupe.send('counter/1', { type: 'COUNT' })),
  );
  await clock.settle();
  expect(
    rows(
      'SELECT count(*) AS count, min(revision) AS min, max(revision) AS max, count(DISTINCT revision) AS many FROM journal',
    ),
  ).toEqual([{ count: 1_001, min: 1, max: 1_001, many: 1_001 }]);
  expect(await troupe.get('counter/1')).toMatchObject({
    revision: 1_001,
    context: { count: 1_000 },
  });
});

const BUMP = `UPDATE actors SET revision = revision + 1, snapshot = json_set(snapshot, '$.context.count', 40)`;

it('[K4] a step that another program has made is noticed, and the next one builds on it', async () => {
  const { troupe, write } = await start({ machines: [counter] });
  await troupe.spawn(counter, { id: '1' });
  await troupe.send('counter/1', { type: 'COUNT' });
  write(BUMP);
  await troupe.send('counter/1', { type: 'COUNT' });
  expect(await troupe.get('counter/1')).toMatchObject({ revision: 4, context: { count: 41 } });
});

it('[K4] a base that is not the stored one any more is read again, and the message is stepped', async () => {
  const { troupe, clock } = await start({ machines: [counter] });
  await troupe.spawn(counter, { id: '1' });
  await troupe.send('counter/1', { type: 'COUNT' });
  // Through the host's own connection, so that nothing tells it that its memory is old.
  storeOf(troupe).connection.exec(BUMP);
  await troupe.send('counter/1', { type: 'COUNT' });
  await clock.settle();
  expect(await troupe.get('counter/1')).toMatchObject({
    revision: 4,
    status: 'active',
    context: { count: 41 },
    messages: [],
  });
});
