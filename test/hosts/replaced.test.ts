// Replaced: the store's files are exchanged or removed under living hosts. None of them writes into what is not the store.

import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { until } from '../kit/index.ts';
import type { Program } from '../supervision/support/process.ts';
import {
  countOf,
  isRegistered,
  type Sent,
  type Site,
  sendCount,
  siteForTest,
  start,
  startBare,
} from './support/hosts.ts';
import { checkSent, checkWhole } from './support/witness.ts';

/** Two hosts with a counter, and what they have counted. */
async function startBoth(site: Site): Promise<{ hosts: Program[]; sent: Sent[] }> {
  const hosts = [await start(site.store), await start(site.store)];
  await hosts[0]?.ask('spawn', 'counter', 'a');
  const sends = hosts.flatMap((host, index) =>
    [1, 2, 3].map((id) => sendCount(host, 'counter/a', `${index}-${id}`)),
  );
  const sent = await Promise.all(sends);
  expect(sent.filter(({ is }) => is === 'refused')).toEqual([]);
  await until(async () => hosts[0] && (await countOf(hosts[0], 'counter/a')) === sent.length);
  return { hosts, sent };
}

async function expectStopped(host: Program, messageId: string): Promise<void> {
  expect(await sendCount(host, 'counter/a', messageId)).toMatchObject({
    code: 'store_replaced',
    outcome: 'notWritten',
  });
  expect(await host.ask('fatal')).toBe('store_replaced');
  // Nothing else comes of it either.
  expect(await sendCount(host, 'counter/a', messageId)).toMatchObject({ code: 'store_replaced' });
}

it('[V8] a WAL that was deleted stops every host before its next commit, and nothing acknowledged is lost', async () => {
  const site = siteForTest();
  const { hosts, sent } = await startBoth(site);
  rmSync(`${site.store}-wal`);
  for (const [index, host] of hosts.entries()) await expectStopped(host, `after-${index}`);
  for (const host of hosts) await host.ask('close').catch(() => {});
  const next = await start(site.store);
  checkWhole(site.store);
  checkSent(site.store, sent);
  expect(await countOf(next, 'counter/a')).toBe(sent.length);
  expect(await sendCount(next, 'counter/a', 'next')).toMatchObject({ is: 'written' });
});

it('[V8] a store that was replaced by a copy stops every host, and the copy stays as it was put there', async () => {
  const site = siteForTest();
  const { hosts, sent } = await startBoth(site);
  const copy = join(site.folder, 'copy.db');
  execFileSync('sqlite3', [site.store, `VACUUM INTO '${copy}'`]);
  const kept = join(site.folder, 'kept.db');
  renameSync(site.store, kept);
  copyFileSync(copy, site.store);
  for (const [index, host] of hosts.entries()) await expectStopped(host, `after-${index}`);
  for (const host of hosts) await host.kill();
  for (const end of ['-wal', '-shm']) {
    if (existsSync(`${site.store}${end}`)) renameSync(`${site.store}${end}`, `${kept}${end}`);
  }
  // Of the copy's own rows the hosts are dead; it goes on from where it was made.
  const next = await start(site.store);
  checkWhole(site.store);
  checkSent(site.store, sent);
  expect(await countOf(next, 'counter/a')).toBe(sent.length);
  await next.ask('close');
  checkWhole(kept);
});

it('[V8] a store that was deleted is not made again by a host that had it open', async () => {
  const site = siteForTest();
  const { hosts } = await startBoth(site);
  rmSync(site.store);
  for (const [index, host] of hosts.entries()) await expectStopped(host, `after-${index}`);
  expect(existsSync(site.store)).toBe(false);
});

it('[V8] a store on a network file system is refused before anything of it is touched', async () => {
  const site = siteForTest();
  // What statfs answers on NFS, as if this folder were on it.
  const under = ['strace', '-qq', '-f', '-o', '/dev/null', '-e', 'trace=statfs'] as const;
  const nfs = ['-e', 'inject=statfs:poke_exit=@arg2=6969000000000000'] as const;
  const host = startBare({ under: [...under, ...nfs] });
  await expect(host.ask('open', { store: site.store })).rejects.toMatchObject({
    code: 'store_not_local',
  });
  expect(existsSync(site.store)).toBe(false);
  const local = await start(site.store);
  for (const as of ['host', 'client', 'readonly'] as const) {
    await expect(host.ask('open', { store: site.store, as })).rejects.toMatchObject({
      code: 'store_not_local',
      outcome: 'notWritten',
    });
  }
  expect(isRegistered(site.store, local)).toBe(true);
});
