// Death: a host is killed while it runs calls; the next one settles them by class.

import { expect, it } from 'vitest';
import { startHost, storeForTest } from '../supervision/support/process.ts';
import type { Act } from './modules/behave.ts';
import { doing, keptIn, openThreads, readMachine, witness } from './support/calls.ts';

const everyClass = [
  ['read', 'reader'],
  ['effect', 'actor'],
  ['replayable', 'repeater'],
] as const;

it('[C5] after kill -9, read and replayable run again with their key, and an effect is unknown', async () => {
  const { file } = storeForTest();
  const seen = witness();
  const gate = seen.gate('never');
  const acts: Act[] = [{ do: 'firstOnly', act: { do: 'await', file: gate.file } }, { do: 'tell' }];
  const host = await startHost(file);
  for (const [, machine] of everyClass) {
    await host.ask('spawn', machine, 'a', doing(acts, seen.file));
  }
  await seen.seen('begin', 3);
  await host.kill();

  const test = await openThreads({ store: file });
  for (const machine of ['reader', 'repeater']) {
    expect(await keptIn(test, `${machine}/a`, 'done')).toMatchObject({
      output: { attempt: 2, idempotencyKey: `${machine}/a#work@1` },
    });
  }
  expect(await keptIn(test, 'actor/a', 'failed')).toMatchObject({
    error: { code: 'interrupted', outcome: 'unknown' },
  });
  expect(
    seen
      .lines()
      .filter((line) => line.startsWith('begin'))
      .toSorted(),
  ).toEqual([
    'begin actor/a#work@1 1',
    'begin reader/a#work@1 1',
    'begin reader/a#work@1 2',
    'begin repeater/a#work@1 1',
    'begin repeater/a#work@1 2',
  ]);
  expect(test.rows('SELECT id, status, attempt FROM calls ORDER BY id')).toEqual([
    { id: 'actor/a#work@1', status: 'unknown', attempt: 1 },
    { id: 'reader/a#work@1', status: 'done', attempt: 2 },
    { id: 'repeater/a#work@1', status: 'done', attempt: 2 },
  ]);
});

it('[C5] the interruption of an effect is told once, whatever hosts come after', async () => {
  const { file } = storeForTest();
  const seen = witness();
  const host = await startHost(file);
  await host.ask('spawn', 'actor', 'a', doing([{ do: 'block' }], seen.file));
  await seen.seen('alive');
  await host.kill();
  for (let count = 0; count < 3; count++) {
    const next = await startHost(file);
    expect(await next.ask('get', 'actor/a')).toMatchObject({ state: 'failed', revision: 2 });
    await next.kill();
  }
  expect(seen.count('begin')).toBe(1);
});

it.each([
  ['before its commit', 'group.beforeCommit', 'begin reader/a#work@1 1'],
  ['after its commit', 'group.committed', 'begin reader/a#work@1 2'],
  ['before its start', 'perform.beforeCall', 'begin reader/a#work@1 2'],
] as const)(
  '[C5, K3] a read whose host dies %s begins once, in the attempt that is on disk',
  async (_when, boundary, begun) => {
    const { file } = storeForTest();
    const seen = witness();
    const first = await startHost(file);
    await first.ask('spawn', 'reader', 'other', doing([{ do: 'answer' }]));
    await first.ask('close');
    const dying = await startHost(file, { killAt: { boundary, count: 1 } });
    await expect(
      dying.ask('spawn', 'reader', 'a', doing([{ do: 'tell' }], seen.file)),
    ).rejects.toMatchObject({ code: 'died' });

    const test = await openThreads({ store: file });
    const { address } = await test.troupe.spawn(readMachine, {
      id: 'a',
      input: doing([{ do: 'tell' }], seen.file),
    });
    await keptIn(test, address, 'done');
    expect(seen.lines().filter((line) => line.startsWith('begin'))).toEqual([begun]);
  },
);

it('[C5] an answer that came in before the death is not asked for again', async () => {
  const { file } = storeForTest();
  const seen = witness();
  const host = await startHost(file);
  for (const [, machine] of everyClass) {
    await host.ask('spawn', machine, 'a', doing([{ do: 'answer', value: machine }], seen.file));
    await host.ask('watch', `${machine}/a`, 'done');
  }
  await host.kill();
  const test = await openThreads({ store: file });
  for (const [, machine] of everyClass) {
    expect(await keptIn(test, `${machine}/a`, 'done')).toMatchObject({ output: machine });
  }
  expect(seen.count('begin')).toBe(3);
});
