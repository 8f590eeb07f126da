// Shutdown: what a host does with what runs when it is told to end.

import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { Act } from '../calls/modules/behave.ts';
import {
  behaving,
  calls,
  doing,
  effectMachine,
  keptIn,
  machines,
  openForTest,
  openThreads,
  readMachine,
  witness,
} from '../calls/support/calls.ts';
import { until, virtualClock } from '../kit/index.ts';
import { lockFilesOf, rowsOf, startHost, storeForTest } from './support/process.ts';

const CALLS = 'SELECT class, status, attempt, host FROM calls ORDER BY class';

it.each(['SIGTERM', 'SIGINT'] as const)(
  '[V9] %s: a call that ends inside the grace is answered, and the host leaves nothing behind',
  async (signal) => {
    const { file } = storeForTest();
    const seen = witness();
    const gate = seen.gate('go');
    const host = await startHost(file);
    const acts: Act[] = [
      { do: 'await', file: gate.file },
      { do: 'answer', value: 'in time' },
    ];
    await host.ask('spawn', 'actor', 'a', doing(acts, seen.file));
    await seen.seen('begin');
    host.signal(signal);
    gate.open();
    expect(await host.exited).toEqual({ code: 0, signal: null });
    expect(existsSync(`${file}-wal`)).toBe(false);
    expect(lockFilesOf(file)).toEqual([]);
    expect(rowsOf(file, 'SELECT 1 FROM hosts')).toEqual([]);
    expect(rowsOf(file, CALLS)).toMatchObject([{ status: 'done', attempt: 1 }]);
    const next = await startHost(file);
    expect(await next.ask('get', 'actor/a')).toMatchObject({ state: 'done', revision: 2 });
  },
);

it('[V9, C5] what still runs after the grace is cut and settled by class', async () => {
  const { file } = storeForTest();
  const seen = witness();
  const host = await startHost(file, { graceMs: 200 });
  const acts: Act[] = [{ do: 'firstOnly', act: { do: 'block' } }, { do: 'tell' }];
  for (const machine of ['reader', 'actor', 'repeater']) {
    await host.ask('spawn', machine, 'a', doing(acts, seen.file));
  }
  await until(() => new Set(seen.lines().filter((line) => line.startsWith('alive'))).size === 3);
  host.signal('SIGTERM');
  expect(await host.exited).toEqual({ code: 0, signal: null });
  expect(rowsOf(file, CALLS)).toMatchObject([
    { class: 'effect', status: 'unknown', attempt: 1 },
    { class: 'read', status: 'ordered', attempt: 1, host: null },
    { class: 'replayable', status: 'ordered', attempt: 1, host: null },
  ]);
  expect(lockFilesOf(file)).toEqual([]);

  const test = await openThreads({ store: file, clock: virtualClock(Date.now()) });
  expect(await keptIn(test, 'actor/a', 'failed')).toMatchObject({
    error: { code: 'interrupted', outcome: 'unknown' },
  });
  for (const machine of ['reader', 'repeater']) {
    expect(await keptIn(test, `${machine}/a`, 'done')).toMatchObject({ output: { attempt: 2 } });
  }
  expect(seen.count('begin')).toBe(5);
});

it('[V9, C3] what runs after the grace hears its signal, and what it answers then still counts', async () => {
  const test = await openThreads({ graceMs: 500 });
  const seen = witness();
  const { address } = await test.troupe.spawn(effectMachine, {
    id: 'a',
    input: doing([{ do: 'awaitAbort' }, { do: 'answer', value: 'stopped in order' }], seen.file),
  });
  await seen.seen('begin');
  const { troupe } = test;
  const closed = troupe.close();
  await test.clock.advance(499);
  expect(seen.count('aborted')).toBe(0);
  await test.clock.advance(1);
  await closed;
  expect(test.rows(CALLS)).toMatchObject([{ status: 'done', attempt: 1 }]);
  await test.reopen({ graceMs: 0 });
  expect(await keptIn(test, address, 'done')).toMatchObject({ output: 'stopped in order' });
});

it('[V9, V4] a host whose thread nothing can end settles its call, and holds its lock until the thread has ended', async () => {
  const { file } = storeForTest();
  const seen = witness();
  const gate = seen.gate('go');
  const host = await startHost(file, { graceMs: 0 });
  const acts: Act[] = [{ do: 'blockNatively', file: gate.file, witness: seen.file }];
  await host.ask('spawn', 'actor', 'a', doing(acts, seen.file));
  await seen.seen('native');
  host.signal('SIGTERM');
  await until(() => rowsOf(file, CALLS)[0]?.['status'] === 'unknown');
  const other = await startHost(file);
  expect(rowsOf(file, `SELECT 1 FROM hosts WHERE pid = ${host.pid}`)).toHaveLength(1);
  expect(lockFilesOf(file)).toHaveLength(2);
  gate.open();
  expect(await host.exited).toEqual({ code: 0, signal: null });
  expect(await other.ask('get', 'actor/a')).toMatchObject({ state: 'failed', revision: 2 });
});

it('[V9] a second signal ends the process at once, and nothing is lost', async () => {
  const { file } = storeForTest();
  const seen = witness();
  const host = await startHost(file, { graceMs: 60_000 });
  const acts: Act[] = [{ do: 'firstOnly', act: { do: 'block' } }, { do: 'tell' }];
  for (const machine of ['reader', 'actor']) {
    await host.ask('spawn', machine, 'a', doing(acts, seen.file));
  }
  await until(() => new Set(seen.lines().filter((line) => line.startsWith('alive'))).size === 2);
  host.signal('SIGTERM');
  // The signal and the message race for the process: in the end the signal has been heard.
  const isRefused = () =>
    host.ask('send', 'actor/a', { type: 'PING' }).then(
      () => false,
      ({ code }: { code: string }) => code === 'troupe_closed',
    );
  await until(isRefused);
  host.signal('SIGINT');
  expect(await host.exited).toEqual({ code: 130, signal: null });

  const test = await openThreads({ store: file, clock: virtualClock(Date.now()) });
  expect(await keptIn(test, 'actor/a', 'failed')).toMatchObject({
    error: { code: 'interrupted', outcome: 'unknown' },
  });
  expect(await keptIn(test, 'reader/a', 'done')).toMatchObject({ output: { attempt: 2 } });
});

it('[V9] admission stops with the first request to close; what was admitted before is stepped', async () => {
  const test = await openForTest({ machines, calls });
  const { address } = await test.troupe.spawn(effectMachine, { id: 'a' });
  await test.clock.settle();
  const { troupe } = test;
  const admitted = troupe.send(address, { type: 'PING' });
  const closed = troupe.close();
  const late = troupe.send(address, { type: 'PING' });
  const spawned = troupe.spawn(effectMachine, { id: 'b' });
  await expect(late).rejects.toMatchObject({ code: 'troupe_closed', outcome: 'notWritten' });
  await expect(spawned).rejects.toMatchObject({ code: 'troupe_closed', outcome: 'notWritten' });
  await admitted;
  await test.clock.advance(0);
  await closed;
  await expect(troupe.get(address)).rejects.toMatchObject({ code: 'troupe_closed' });
  await test.reopen();
  expect(await test.troupe.get(address)).toMatchObject({ context: { pings: 1 } });
  expect(await test.troupe.list()).toHaveLength(1);
});

it('[V9, C1] calls that were not claimed yet wait for the next host', async () => {
  const single = behaving('act', 'effect', { concurrency: 1 });
  const test = await openForTest({
    machines,
    calls: [...calls.filter(({ name }) => name !== 'act'), single],
    graceMs: 500,
  });
  for (const id of ['1', '2']) await test.troupe.spawn(effectMachine, { id, input: id });
  await test.clock.settle();
  const { troupe } = test;
  const closed = troupe.close();
  test.pool.newest('act').answer('in time');
  await test.clock.settle();
  await closed;
  expect(test.pool.started).toHaveLength(1);
  expect(test.rows('SELECT status, attempt FROM calls ORDER BY rowid')).toEqual([
    { status: 'done', attempt: 1 },
    { status: 'ordered', attempt: 0 },
  ]);
  await test.reopen({ graceMs: 0 });
  await until(() => test.pool.started.length === 2);
  expect(test.pool.newest('act')).toMatchObject({ input: '2', attempt: 1 });
});

it('[V9, V4] a host that was stopped by a bug still leaves, and settles what it had claimed', async () => {
  const fatal: string[] = [];
  let isArmed = false;
  const test = await openForTest({
    machines,
    calls,
    onFatal: ({ message }) => fatal.push(message),
    boundary: (boundary) => {
      if (isArmed && boundary === 'group.beforeCommit') throw new Error('a bug');
    },
  });
  const effect = await test.troupe.spawn(effectMachine, { id: 'a' });
  const read = await test.troupe.spawn(readMachine, { id: 'a' });
  await test.clock.settle();
  isArmed = true;
  await expect(test.troupe.send(effect.address, { type: 'PING' })).rejects.toThrow('a bug');
  isArmed = false;
  expect(fatal).toEqual(['a bug']);
  await test.leave();
  expect(lockFilesOf(test.file)).toEqual([]);
  expect(test.rows(CALLS)).toMatchObject([
    { status: 'unknown' },
    { status: 'ordered', host: null },
  ]);
  await test.reopen();
  expect(await test.troupe.get(effect.address)).toMatchObject({ state: 'failed' });
  await until(() => test.pool.newest('look').attempt === 2);
  expect((await test.troupe.get(read.address)).state).toBe('working');
});

it('[V9] closing twice is closing once', async () => {
  const test = await openForTest({ machines, calls });
  const { troupe } = test;
  const [first, second] = [troupe.close(), troupe.close()];
  expect(first).toBe(second);
  await test.clock.advance(0);
  await first;
  expect(lockFilesOf(test.file)).toEqual([]);
});
