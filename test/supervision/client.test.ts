// Client: a process beside a host sends and reads, and steps nothing.

import Database from 'better-sqlite3';
import { pino } from 'pino';
import { expect, it, vi } from 'vitest';
import { type Clock, openTroupe, type Troupe } from '../../actors/index.ts';
import { POLL_MS } from '../../actors/limits.ts';
import { workerEntry } from '../../adapters/index.ts';
import { Store } from '../../persistence/index.ts';
import { calls, effectMachine, machines, openForTest } from '../calls/support/calls.ts';
import { seededEntropy, until, virtualClock } from '../kit/index.ts';
import { rowsOf, startHost, startProgram, storeForTest, write } from './support/process.ts';

/** A client in this process, on a clock of the test. */
function openClient(store: string, clock: Clock): Promise<Troupe> {
  const log = pino({ level: 'silent' });
  return openTroupe({ store }, { clock, entropy: seededEntropy(), log, workerEntry, pid: 1 });
}

const working = { acts: [{ do: 'await', file: '/nowhere/at/all' }] };

it('[V4, M1] a client sends to a live host, reads and watches what it did, and takes its place never', async () => {
  const { file } = storeForTest();
  const host = await startHost(file);
  await host.ask('spawn', 'actor', 'a', working);
  const client = startProgram();
  await client.ask('open', { store: file, as: 'client' });
  const receipt = { messageId: 'click-1', address: 'actor/a', seq: expect.any(Number) };
  const first = await client.ask('send', 'actor/a', { type: 'PING' }, 'click-1');
  expect(first).toEqual(receipt);
  expect(await client.ask('send', 'actor/a', { type: 'PING' }, 'click-1')).toEqual(first);
  await client.ask('send', 'actor/a', { type: 'LEAVE' });
  expect(await client.ask('watch', 'actor/a', 'left')).toEqual(['working', 'working', 'left']);
  expect(await client.ask('get', 'actor/a')).toMatchObject({
    state: 'left',
    context: { pings: 1 },
  });
  expect(await client.ask('list')).toMatchObject([{ address: 'actor/a', revision: 3 }]);
  expect(rowsOf(file, 'SELECT pid FROM hosts')).toEqual([{ pid: host.pid }]);
});

it('[K2, M1] sends of one client at the same time are transactions of their own, one of them refused or not', async () => {
  const host = await openForTest({ machines, calls });
  const { address } = await host.troupe.spawn(effectMachine, { id: 'a' });
  await host.clock.settle();
  const client = await openClient(host.file, host.clock);
  const sends = Array.from({ length: 100 }, (_, index) =>
    index % 10 === 3
      ? client.send('actor/nobody', { type: 'PING' }).catch(({ code }: { code: string }) => code)
      : client.send(address, { type: 'PING' }),
  );
  const results = await Promise.all(sends);
  expect(results.filter((result) => result === 'actor_unknown')).toHaveLength(10);
  const seqs = results.flatMap((result) => (typeof result === 'object' ? [result.seq] : []));
  expect(new Set(seqs).size).toBe(90);
  await host.clock.advance(POLL_MS);
  expect(await host.troupe.get(address)).toMatchObject({ context: { pings: 90 } });
  await client.close();
});

it('[V4] a client steps nothing by itself: what it sends waits for a host', async () => {
  const { file } = storeForTest();
  const host = await startHost(file);
  await host.ask('spawn', 'actor', 'a', working);
  await host.kill();
  const client = startProgram();
  await client.ask('open', { store: file, as: 'client' });
  for (let count = 0; count < 5; count++) await client.ask('send', 'actor/a', { type: 'PING' });
  expect(await client.ask('get', 'actor/a')).toMatchObject({ revision: 1 });
  const next = await startHost(file);
  // The host is ready only when it has stepped them.
  expect(await next.ask('get', 'actor/a')).toMatchObject({ context: { pings: 5 } });
  expect(await client.ask('get', 'actor/a')).toMatchObject({ context: { pings: 5 } });
});

it('[V4, M4] a client goes on through the death of its host, and each of its sends is stepped once', async () => {
  const { file } = storeForTest();
  let host = await startHost(file);
  await host.ask('spawn', 'actor', 'a', working);
  const client = startProgram();
  await client.ask('open', { store: file, as: 'client' });
  for (let round = 0; round < 4; round++) {
    const sends = Array.from({ length: 25 }, (_, index) =>
      client.ask('send', 'actor/a', { type: 'PING' }, `${round}-${index}`),
    );
    const all = Promise.all(sends);
    await Promise.race([sends[5], all]);
    await host.kill();
    await all;
    host = await startHost(file);
  }
  expect(await host.ask('get', 'actor/a')).toMatchObject({ context: { pings: 100 } });
  expect(await client.ask('get', 'actor/a')).toMatchObject({ context: { pings: 100 } });
});

it('[V4] a client that is killed while it sends disturbs no host', async () => {
  const { file } = storeForTest();
  const host = await startHost(file);
  await host.ask('spawn', 'actor', 'a', working);
  for (let round = 0; round < 3; round++) {
    const client = startProgram();
    await client.ask('open', { store: file, as: 'client' });
    const sends = Array.from({ length: 50 }, () =>
      client.ask('send', 'actor/a', { type: 'PING' }).catch(({ code }: { code: string }) => code),
    );
    await sends[0];
    await client.kill();
    await Promise.all(sends);
    await host.ask('send', 'actor/a', { type: 'PING' }, `host-${round}`);
  }
  await until(() => rowsOf(file, 'SELECT 1 FROM messages').length === 0);
  const { context } = await host.ask<{ context: { pings: number } }>('get', 'actor/a');
  // At least the first of each client and the host's own; what else was on disk before the kill counts, too.
  expect(context.pings).toBeGreaterThanOrEqual(6);
});

it('[V4] a client of a store that is not there makes none, and a reader writes none', async () => {
  const { file } = storeForTest();
  const client = startProgram();
  for (const as of ['client', 'readonly']) {
    await expect(client.ask('open', { store: file, as })).rejects.toMatchObject({
      code: 'store_missing',
    });
  }
  const host = await startHost(file);
  await host.ask('spawn', 'actor', 'a', working);
  await client.ask('open', { store: file, as: 'readonly' });
  expect(await client.ask('get', 'actor/a')).toMatchObject({ state: 'working' });
  await expect(client.ask('send', 'actor/a', { type: 'PING' })).rejects.toBeTruthy();
  expect(rowsOf(file, 'SELECT 1 FROM messages')).toEqual([]);
});

it('[V4, K4] a host takes what a foreign program has written as what is stored', async () => {
  const { file } = storeForTest();
  const host = await startHost(file);
  await host.ask('spawn', 'actor', 'a', working);
  write(
    file,
    "UPDATE actors SET snapshot = json_set(snapshot, '$.context.pings', 40) WHERE id = 'actor/a'",
  );
  await host.ask('send', 'actor/a', { type: 'PING' });
  await host.ask('send', 'actor/a', { type: 'LEAVE' });
  await host.ask('watch', 'actor/a', 'left');
  expect(await host.ask('get', 'actor/a')).toMatchObject({ context: { pings: 41 } });
});

it('[V4] a client that finds the store busy when it looks for news looks again', async () => {
  const host = await openForTest({ machines, calls });
  const { address } = await host.troupe.spawn(effectMachine, { id: 'a' });
  await host.clock.settle();
  const clock = virtualClock();
  const client = await openClient(host.file, clock);
  const news = client.watch(address);
  let change: unknown;
  void news.next().then(({ value }) => {
    change = value;
  });
  await host.troupe.send(address, { type: 'LEAVE' });
  await host.clock.settle();
  // Only the client's time passes, so it is the client's look that fails.
  vi.spyOn(Store.prototype, 'dataVersion').mockImplementationOnce(() => {
    throw new Database.SqliteError('database is locked', 'SQLITE_BUSY_RECOVERY');
  });
  await clock.advance(POLL_MS);
  expect(change).toBeUndefined();
  vi.restoreAllMocks();
  await clock.advance(POLL_MS);
  expect(change).toMatchObject({ revision: 2, state: 'left' });
  await client.close();
});
