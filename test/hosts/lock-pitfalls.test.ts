// Lock pitfalls: each way in which a host's lock is known to get lost or to lie, with several hosts on the store.

import { copyFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { until } from '../kit/index.ts';
import { rowsOf } from '../supervision/support/process.ts';
import {
  countOf,
  isRegistered,
  rowOfHost,
  sendCount,
  siteForTest,
  start,
  startInsideAct,
  suspend,
  untilProbed,
} from './support/hosts.ts';
import { beginsOf } from './support/ledger.ts';
import { checkWhole } from './support/witness.ts';

const acted =
  "SELECT json_extract(snapshot, '$.output') AS acted FROM actors WHERE id = 'job/held'";

// POSIX: the first close of any descriptor of a file drops all locks that the process has on it.
it.each(['openSync and closeSync', 'readFileSync', 'copyFileSync'])(
  '[V4, V5] a stray %s of its own lock file makes a host look dead: it is settled, fenced, and nothing is doubled',
  async (stray) => {
    const site = siteForTest();
    const file = join(site.folder, 'go');
    const host = await startInsideAct(site, file);
    await host.ask('spawn', 'counter', 'a');
    const { lock_file } = rowOfHost(site.store, host);
    const other = await start(site.store);
    await host.ask('stray', stray, lock_file);
    await until(() => !isRegistered(site.store, host), { what: 'the settling' });
    // Its row and the claim of its call went in one transaction.
    expect(rowsOf(site.store, "SELECT status FROM calls WHERE class = 'effect'")).toEqual([
      { status: 'unknown' },
    ]);
    expect(await sendCount(host, 'counter/a', 'refused')).toMatchObject({
      code: 'host_fenced',
      outcome: 'notWritten',
    });
    expect(await host.ask('fatal')).toBe('host_fenced');
    writeFileSync(file, '');
    await until(() => rowsOf(site.store, acted)[0]?.['acted']);
    expect(rowsOf(site.store, acted)).toEqual([{ acted: 'interrupted' }]);
    expect(beginsOf(site, 'act')).toHaveLength(1);
    expect(await sendCount(other, 'counter/a', 'taken')).toMatchObject({ is: 'written' });
    await until(async () => (await countOf(other, 'counter/a')) === 1);
    await host.ask('close');
    checkWhole(site.store);
  },
);

it('[V4, V5] garbage collection drops no lock, though the program has forgotten its Troupe', async () => {
  const site = siteForTest();
  const file = join(site.folder, 'go');
  const host = await startInsideAct(site, file);
  await start(site.store);
  await host.ask('forget');
  for (let count = 0; count < 2; count++) {
    await host.ask('collectGarbage');
    await untilProbed(site);
    expect(isRegistered(site.store, host)).toBe(true);
  }
  writeFileSync(file, '');
  await until(() => rowsOf(site.store, acted)[0]?.['acted']);
  expect(rowsOf(site.store, acted)).toEqual([{ acted: 'done' }]);
});

const losses = [
  ['unlinked', (lock: string) => rmSync(lock)],
  [
    'replaced by a copy',
    (lock: string) => {
      copyFileSync(lock, `${lock}.copy`);
      renameSync(`${lock}.copy`, lock);
    },
  ],
] as const;

it.each(losses)(
  '[V4, V5] a lock file that was %s proves nothing to others, and its host stops',
  async (_how, lose) => {
    const site = siteForTest();
    const file = join(site.folder, 'go');
    const host = await startInsideAct(site, file);
    const other = await start(site.store);
    await other.ask('spawn', 'counter', 'a');
    await suspend(site.store, host);
    lose(rowOfHost(site.store, host).lock_file);
    await untilProbed(site);
    expect(isRegistered(site.store, host)).toBe(true);
    expect(rowsOf(site.store, "SELECT status FROM calls WHERE class = 'effect'")).toEqual([
      { status: 'claimed' },
    ]);
    host.signal('SIGCONT');
    const refused = await sendCount(host, 'counter/a', 'refused');
    expect(refused).toMatchObject({ code: 'host_fenced', outcome: 'notWritten' });
    expect(await host.ask('fatal')).toBe('host_fenced');
    writeFileSync(file, '');
    await host.ask('close');
    await until(() => rowsOf(site.store, acted)[0]?.['acted'], {
      what: 'the settling of a host that has left',
    });
    expect(beginsOf(site, 'act')).toHaveLength(1);
    expect(await countOf(other, 'counter/a')).toBe(0);
  },
);
