// Paths and processes: faults that others have reported of several processes on one SQLite file.
// Sources: better-sqlite3 issue 836 (E20), claude-mem issue 3179 and MemPalace issue 2045 (E23).

import { execFileSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { until } from '../kit/index.ts';
import { lockFilesOf, type Program } from '../supervision/support/process.ts';
import {
  countOf,
  hostsOf,
  type Sent,
  sendCount,
  siteForTest,
  start,
  startBare,
  untilProbed,
} from './support/hosts.ts';
import { checkSent, checkStarts, checkWhole } from './support/witness.ts';

/** Sends one after the other. */
async function sendAll(program: Program, prefix: string, sends: number): Promise<Sent[]> {
  const sent: Sent[] = [];
  while (sent.length < sends) {
    sent.push(await sendCount(program, 'counter/a', `${prefix}-${sent.length}`));
  }
  return sent;
}

it('[V5, V8] three processes at once have one store, by a link, a relative and an absolute path (E23)', async () => {
  const site = siteForTest();
  const link = join(site.folder, 'link.db');
  symlinkSync(site.store, link);
  const hosts = [startBare(), startBare(), startBare()] as const;
  await hosts[1].ask('chdir', site.folder);
  const paths = [link, basename(site.store), site.store];
  const opened = await Promise.all(
    hosts.map((host, index) => host.ask('open', { store: paths[index] })),
  );
  expect(opened).toEqual([site.store, site.store, site.store]);
  expect(hostsOf(site.store)).toHaveLength(3);
  await hosts[0].ask('spawn', 'counter', 'a');
  const sending = hosts.map((host, index) => sendAll(host, String(index), 40));
  await hosts[0].ask('spawn', 'job', 'a', { witness: site.ledger });
  // A cleaner that removes side files finds none under the other names, and a backup goes through SQLite.
  expect(lockFilesOf(link)).toEqual([]);
  const backup = join(site.folder, 'backup.db');
  execFileSync('sqlite3', [site.store, `VACUUM INTO '${backup}'`]);
  const sent = (await Promise.all(sending)).flat();
  expect(sent.filter(({ is }) => is === 'refused')).toEqual([]);
  await until(async () => (await countOf(hosts[2], 'counter/a')) === sent.length);
  checkSent(site.store, sent);
  checkStarts(site, new Set());
  checkWhole(site.store);
  checkWhole(backup);
});

it('[V5, K4] hosts and clients that read and then write at once lose nothing and meet no busy store (E20)', async () => {
  const site = siteForTest();
  const hosts = await Promise.all([start(site.store), start(site.store)]);
  await hosts[0].ask('spawn', 'counter', 'a');
  const clients = await Promise.all([
    start(site.store, { as: 'client' }),
    start(site.store, { as: 'client' }),
  ]);
  // Each send reads the receipts and the actor, then writes; each step reads the actor, then writes it.
  const programs = [...hosts, ...clients];
  const sends = programs.map((program, index) => sendAll(program, String(index), 250));
  const sent = (await Promise.all(sends)).flat();
  expect(sent.filter(({ is }) => is === 'refused')).toEqual([]);
  await until(async () => (await countOf(hosts[1], 'counter/a')) === sent.length);
  checkSent(site.store, sent);
  checkWhole(site.store);
});

it('[V4, V5] hosts at full load, which have time for nothing else, are never taken for dead (E26)', async () => {
  const site = siteForTest();
  const hosts = await Promise.all([start(site.store), start(site.store)]);
  for (const [index, host] of hosts.entries()) {
    const address = await host.ask<string>('spawn', 'counter', String(index));
    await host.ask('load', [address]);
  }
  const before = hostsOf(site.store);
  for (let round = 0; round < 2; round++) await untilProbed(site);
  for (const host of hosts) await host.ask('unload');
  expect(hostsOf(site.store).map(({ incarnation }) => incarnation)).toEqual(
    before.map(({ incarnation }) => incarnation),
  );
  for (const host of hosts) expect(await host.ask('fatal')).toBeUndefined();
});
