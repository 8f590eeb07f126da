// Own calls: a machine gets the calls that it names, and those of its host; never another machine's.

import { expect, it } from 'vitest';
import { createMachine, fromPromise, setup } from 'xstate';
import { z } from 'zod';
import { defineCall, defineMachine } from '../../actors/index.ts';
import { start } from './harness.ts';

const load = defineCall({
  name: 'load',
  module: new URL('../calls/modules/behave.ts', import.meta.url),
  class: 'effect',
  input: z.unknown(),
  output: z.unknown(),
});

const loading = (id: string) =>
  setup({ actors: { load: fromPromise<unknown, unknown>(async () => 1) } }).createMachine({
    id,
    invoke: { id: 'load', src: 'load' },
  });

it('[K9] a promise keeps its own logic, though another machine has a call of its name', async () => {
  const one = defineMachine({ machine: loading('one'), version: 1, calls: [load] });
  const two = defineMachine({ machine: loading('two'), version: 1 });
  const test = await start({ machines: [one, two] });
  await test.troupe.spawn(one, { id: 'a' });
  await test.troupe.spawn(two, { id: 'a' });
  await test.clock.settle();
  expect(test.pool.started.map(({ source }) => source).toSorted()).toEqual(['load', 'two.load']);
});

it('[K8] a source that only a call stands for is registered', async () => {
  const machine = createMachine({ id: 'plain', invoke: { id: 'load', src: 'load' } });
  const plain = defineMachine({ machine, version: 1 });
  const test = await start({ machines: [plain], calls: [load] });
  await test.troupe.spawn(plain, { id: 'a' });
  await test.clock.settle();
  expect(test.pool.started).toMatchObject([{ source: 'load' }]);
});

it('[K8] what a schema makes of an event is checked like any other', async () => {
  const machine = setup({}).createMachine({ id: 'dated' });
  const events = z.object({ type: z.literal('AT'), at: z.coerce.date() });
  const dated = defineMachine({ machine, version: 1, schemas: { events } });
  const test = await start({ machines: [dated] });
  await test.troupe.spawn(dated, { id: 'a' });
  await expect(
    test.troupe.send('dated/a', { type: 'AT', at: '2020-01-01' } as never),
  ).rejects.toMatchObject({ code: 'invalid_event' });
});

it('[K1] ids that machines make of chance do not meet', async () => {
  const { underStamp } = await import('../../actors/step/determinism.ts');
  const ids = Array.from({ length: 100_000 }, (_, index) =>
    underStamp({ atMs: 0, seed: `actor/${index}@1` }, () => crypto.randomUUID()),
  );
  expect(new Set(ids).size).toBe(ids.length);
});
