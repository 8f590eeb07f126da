// Syncs: what a commit costs, counted at the system call. better-sqlite3 falls to synchronous=NORMAL by itself, and then says FULL.

import { expect, it } from 'vitest';
import { traceCalls } from './support/faults.ts';
import { sendCount, siteForTest, start } from './support/hosts.ts';

/** Commits that a host makes on its own meanwhile: none of them for a send. */
const OTHERS_MAX = 5;

it('[K3] each of 20 sends, one after another, is synced before it is answered; 64 at once share a few syncs', async () => {
  const site = siteForTest();
  const host = await start(site.store);
  for (let id = 0; id < 8; id++) await host.ask('spawn', 'counter', String(id));
  const syncs = await traceCalls(host, site, 'fsync,fdatasync');
  for (let index = 0; index < 20; index++) {
    const before = syncs.count();
    expect(await sendCount(host, 'counter/0', `one-${index}`)).toMatchObject({ is: 'written' });
    expect(syncs.count()).toBeGreaterThan(before);
  }
  expect(syncs.count()).toBeLessThanOrEqual(20 + OTHERS_MAX);

  const before = syncs.count();
  await Promise.all(
    Array.from({ length: 64 }, (_, index) =>
      sendCount(host, `counter/${index % 8}`, `many-${index}`),
    ),
  );
  expect(syncs.count() - before).toBeGreaterThan(0);
  expect(syncs.count() - before).toBeLessThanOrEqual(32);
});
