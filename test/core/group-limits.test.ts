// Group limits: what one group may take, and what a part of it that fails leaves behind.

import { expect, it } from 'vitest';
import { fromPromise, sendTo, setup } from 'xstate';
import { virtualClock } from '../kit/index.ts';
import { durable, message, start } from './harness.ts';

const counter = durable(setup({}).createMachine({ id: 'counter', on: { PING: {} } }));

it('[K3] sends without end do not starve the steps of what is on disk', async () => {
  const clock = virtualClock();
  const standing = clock.now();
  let ticks = 0;
  // Each look at the clock takes a millisecond, so that a group's time is soon over.
  Object.defineProperty(clock, 'now', { value: () => standing + ticks++ });
  const test = await start({ machines: [counter], clock });
  await test.troupe.spawn(counter, { id: 'a' });
  await clock.settle();
  await Promise.all(
    Array.from({ length: 400 }, () => test.troupe.send('counter/a', message('PING'))),
  );
  const { revision } = await test.troupe.get('counter/a');
  expect(revision).toBeGreaterThan(100);
});

it('[K2] a step that fails after it cancelled a running call leaves the call alone', async () => {
  const machine = setup({ actors: { work: fromPromise(async () => 1) } }).createMachine({
    id: 'worker',
    initial: 'working',
    states: {
      working: { invoke: { id: 'work', src: 'work' }, on: { GO: 'away' } },
      away: {
        entry: sendTo(({ system }) => system.get('counter/a'), { type: 'BOOM' }, { delay: 9 }),
      },
    },
  });
  const worker = durable(machine);
  const test = await start({ machines: [worker, counter] });
  await test.troupe.spawn(counter, { id: 'a' });
  await test.troupe.spawn(worker, { id: 'w' });
  await test.clock.settle();
  test.write(
    "CREATE TRIGGER fault BEFORE INSERT ON messages WHEN NEW.event LIKE '%BOOM%' BEGIN SELECT RAISE(ABORT, 'fault'); END",
  );
  await test.troupe.send('worker/w', message('GO'));
  await test.clock.settle();
  expect(await test.troupe.get('worker/w')).toMatchObject({ status: 'stuck', state: 'working' });
  expect(test.pool.newest('worker.work').isAborted).toBe(false);
  expect(test.rows('SELECT status FROM calls')).toEqual([{ status: 'claimed' }]);
});

it('[V1] an actor whose stored state is damaged is parked, and the store opens again', async () => {
  const thrower = durable(
    setup({}).createMachine({
      id: 'thrower',
      on: {
        GO: {
          guard: () => {
            throw new Error('no');
          },
          actions: [],
        },
      },
    }),
  );
  const test = await start({ machines: [thrower, counter] });
  await test.troupe.spawn(thrower, { id: 't' });
  await test.troupe.spawn(counter, { id: 'a' });
  await test.clock.settle();
  test.write("UPDATE actors SET state = 'g{' WHERE id = 'thrower/t'");
  await test.troupe.send('thrower/t', message('GO'));
  await test.clock.settle();
  await test.reopen();
  expect(await test.troupe.get('thrower/t')).toMatchObject({
    status: 'stuck',
    stuck: { state: { damaged: 'g{' } },
  });
  await test.troupe.send('counter/a', message('PING'));
});

it('[V4] a watch tells why its host has stopped', async () => {
  const test = await start({ machines: [counter] });
  await test.troupe.spawn(counter, { id: 'a' });
  await test.clock.settle();
  const changes = test.troupe.watch('counter/a');
  const next = changes.next();
  test.write('DELETE FROM hosts');
  await expect(test.troupe.send('counter/a', message('PING'))).rejects.toMatchObject({
    code: 'host_fenced',
  });
  await expect(next).rejects.toMatchObject({ code: 'host_fenced' });
});
