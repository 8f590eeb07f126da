// Disk: a disk that is full or read-only for a while. Work goes on by itself when it is back.

import { expect, it } from 'vitest';
import { until } from '../kit/index.ts';
import { type Program, rowsOf } from '../supervision/support/process.ts';
import { breakCalls } from './support/faults.ts';
import { countOf, type Sent, sendCount, siteForTest, start, startBare } from './support/hosts.ts';
import { beginsOf } from './support/ledger.ts';
import { diskForTest } from './support/mounts.ts';
import { checkSent, checkStarts, checkWhole, isKnown } from './support/witness.ts';

/** Size of the disk. Megabytes. */
const DISK_MB = 8;

const LIMIT_MS = 60_000;

/**
 * Sends, one after the other without waiting, until one is refused. Those of a commit in doubt are answered only when the
 * storage is back. @returns all that was sent.
 */
async function sendUntilRefused(host: Program, prefix: string): Promise<Promise<Sent>[]> {
  const sends: Promise<Sent>[] = [];
  let isRefused = false;
  const look = (sent: Sent): Sent => {
    isRefused ||= sent.is === 'refused';
    return sent;
  };
  await until(() => {
    sends.push(sendCount(host, 'counter/a', `${prefix}-${sends.length}`).then(look));
    return isRefused;
  });
  return sends;
}

/** What was refused is nowhere; sent again now it is taken, and everything is counted once. */
async function checkTaken(store: string, host: Program, sent: readonly Sent[]): Promise<void> {
  for (const each of sent) {
    if (each.is === 'written') continue;
    expect(each).toMatchObject({ code: 'storage_unavailable', outcome: 'notWritten' });
    expect(isKnown(store, each.messageId)).toBe(false);
  }
  checkSent(store, sent);
  const again = await Promise.all(
    sent.map(({ messageId }) => sendCount(host, 'counter/a', messageId)),
  );
  expect(again.filter(({ is }) => is === 'refused')).toEqual([]);
  await until(async () => (await countOf(host, 'counter/a')) >= sent.length);
  expect(await countOf(host, 'counter/a')).toBe(sent.length);
  checkWhole(store);
}

it(
  '[V7] a full disk refuses what it cannot take, and takes the rest by itself when there is room again',
  async () => {
    const disk = diskForTest(DISK_MB);
    const host = await start(disk.store);
    await host.ask('spawn', 'counter', 'a', { payloadCharacters: 20_000 });
    await host.ask('spawn', 'bell', 'a', { delayMs: 1 });
    await until(() => rowsOf(disk.store, 'SELECT 1 FROM messages').length === 0);
    disk.fill();
    const sends = await sendUntilRefused(host, 'send');
    // A job that is ordered now cannot start: its order is not on disk (K3).
    const spawned = host.ask('spawn', 'job', 'a', { witness: disk.ledger });
    await expect(spawned).rejects.toMatchObject({
      code: 'storage_unavailable',
      outcome: 'notWritten',
    });
    expect(beginsOf(disk)).toEqual([]);
    disk.free();
    await until(async () => {
      const { is } = await sendCount(host, 'counter/a', 'first-after');
      return is === 'written';
    });
    const after: Sent = await sendCount(host, 'counter/a', 'first-after');
    await checkTaken(disk.store, host, [...(await Promise.all(sends)), after]);
    await host.ask('spawn', 'job', 'a', { witness: disk.ledger });
    await until(
      () =>
        rowsOf(disk.store, "SELECT 1 FROM actors WHERE id = 'job/a' AND status = 'done'").length,
    );
    checkStarts(disk, new Set());
    expect(await host.ask('fatal')).toBeUndefined();
  },
  LIMIT_MS,
);

it(
  '[V7] what was ready when the disk became full is stepped by itself when there is room again',
  async () => {
    const disk = diskForTest(DISK_MB);
    const host = await start(disk.store);
    const client = await start(disk.store, { as: 'client' });
    await host.ask('spawn', 'counter', 'a', { payloadCharacters: 20_000 });
    await host.ask('spawn', 'bell', 'a', { delayMs: 300 });
    await until(() => rowsOf(disk.store, "SELECT 1 FROM messages WHERE kind = 'timer'").length);
    disk.fill();
    const sends = await sendUntilRefused(client, 'client');
    sends.push(...(await sendUntilRefused(host, 'host')));
    const [{ due } = { due: 0 }] = rowsOf<{ due: number }>(
      disk.store,
      "SELECT ready_at AS due FROM messages WHERE kind = 'timer'",
    );
    await until(() => Date.now() > due);
    disk.free();
    // Nobody asks for anything: the timer and the messages are taken up by the host's own tries.
    await until(() => rowsOf(disk.store, 'SELECT 1 FROM messages').length === 0);
    checkSent(disk.store, await Promise.all(sends));
    expect(rowsOf(disk.store, "SELECT status FROM actors WHERE id = 'bell/a'")).toEqual([
      { status: 'done' },
    ]);
    checkWhole(disk.store);
  },
  LIMIT_MS,
);

// While a process has a file open for writing, Linux refuses to make its disk read-only. A disk turns read-only under a
// living process by an error of its own; its writes then fail with EROFS.
it(
  '[V7] a disk that has turned read-only under a host fails its writes, and the host goes on by itself afterwards',
  async () => {
    const site = siteForTest();
    const host = await start(site.store);
    await host.ask('spawn', 'counter', 'a');
    const fault = await breakCalls(host, site, 'pwrite64,openat,unlink,ftruncate', 'EROFS');
    const sends = await sendUntilRefused(host, 'send');
    await until(() => fault.failures() >= 3, { what: 'failing writes' });
    await fault.mend();
    await until(async () => (await sendCount(host, 'counter/a', 'after')).is === 'written');
    const after = await sendCount(host, 'counter/a', 'after');
    await checkTaken(site.store, host, [...(await Promise.all(sends)), after]);
    expect(await host.ask('fatal')).toBeUndefined();
  },
  LIMIT_MS,
);

it('[V7, V8] a store on a disk that is mounted read-only is refused as it is, and opens when the disk is mounted for writing again', async () => {
  const disk = diskForTest(DISK_MB);
  const first = await start(disk.store);
  await first.ask('spawn', 'counter', 'a');
  const sent = await Promise.all([1, 2, 3].map((id) => sendCount(first, 'counter/a', `${id}`)));
  // It still has files open for writing.
  expect(() => disk.remount('ro')).toThrow('busy');
  await first.ask('close');
  disk.remount('ro');
  const second = startBare();
  await expect(second.ask('open', { store: disk.store })).rejects.toMatchObject({
    code: 'store_not_writable',
    outcome: 'notWritten',
  });
  // Even a reader of a WAL needs to write beside it.
  await expect(second.ask('open', { store: disk.store, as: 'readonly' })).rejects.toMatchObject({
    code: 'store_not_writable',
  });
  disk.remount('rw');
  await second.ask('open', { store: disk.store });
  sent.push(await sendCount(second, 'counter/a', 'again'));
  await until(async () => (await countOf(second, 'counter/a')) === 4);
  checkSent(disk.store, sent);
  checkWhole(disk.store);
});
