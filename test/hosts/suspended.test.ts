// Suspended: a host that sleeps is alive, and one that was removed meanwhile writes nothing any more.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { until } from '../kit/index.ts';
import { rowsOf, write } from '../supervision/support/process.ts';
import {
  countOf,
  isAwaited,
  isRegistered,
  isStopped,
  rowOfHost,
  sendCount,
  siteForTest,
  start,
  startInsideAct,
  suspend,
  untilProbed,
} from './support/hosts.ts';
import { beginsOf } from './support/ledger.ts';
import { checkSent, checkStarts, checkWhole } from './support/witness.ts';

const statusOfAct = "SELECT status FROM calls WHERE class = 'effect'";
const isJobDone = "SELECT 1 FROM actors WHERE id = 'job/held' AND status = 'done'";

it('[V4, V5] others go on beside a suspended host, none settles its calls, and it goes on when it wakes (E26)', async () => {
  const site = siteForTest();
  const file = join(site.folder, 'go');
  const sleeper = await startInsideAct(site, file);
  const other = await start(site.store);
  await sleeper.ask('spawn', 'counter', 'a');
  await suspend(site.store, sleeper);
  const sent = [];
  for (let round = 0; round < 2; round++) {
    sent.push(await sendCount(other, 'counter/a', `round-${round}`));
    await untilProbed(site);
    expect(isRegistered(site.store, sleeper)).toBe(true);
    expect(rowsOf(site.store, statusOfAct)).toEqual([{ status: 'claimed' }]);
  }
  expect(await countOf(other, 'counter/a')).toBe(2);
  writeFileSync(file, '');
  sleeper.signal('SIGCONT');
  await until(() => rowsOf(site.store, isJobDone).length);
  sent.push(await sendCount(sleeper, 'counter/a', 'awake'));
  await until(async () => (await countOf(other, 'counter/a')) === 3);
  expect(await sleeper.ask('fatal')).toBeUndefined();
  checkStarts(site, new Set());
  checkSent(site.store, sent);
});

it('[V4, V5] a host that is suspended inside its transaction keeps the store, and all goes on when it wakes', async () => {
  const site = siteForTest();
  const sleeper = await start(site.store);
  const other = await start(site.store);
  await other.ask('spawn', 'counter', 'a');
  await sleeper.ask('stopAt', 'group.beforeCommit');
  const held = sendCount(sleeper, 'counter/a', 'held');
  await until(() => isStopped(sleeper));
  const behind = sendCount(other, 'counter/a', 'behind');
  await until(() => isAwaited(site), { what: 'the other to meet a busy store' });
  sleeper.signal('SIGCONT');
  const sent = await Promise.all([held, behind]);
  expect(sent).toMatchObject([{ is: 'written' }, { is: 'written' }]);
  await until(async () => (await countOf(other, 'counter/a')) === 2);
  checkSent(site.store, sent);
});

it('[V4] a host that is killed while it sleeps inside its transaction leaves the store to the others', async () => {
  const site = siteForTest();
  const sleeper = await start(site.store);
  const other = await start(site.store);
  await other.ask('spawn', 'counter', 'a');
  await sleeper.ask('stopAt', 'group.beforeCommit');
  const lost = sendCount(sleeper, 'counter/a', 'lost');
  await until(() => isStopped(sleeper));
  const behind = sendCount(other, 'counter/a', 'behind');
  await until(() => isAwaited(site), { what: 'the other to meet a busy store' });
  await sleeper.kill();
  expect(await lost).toMatchObject({ is: 'refused', code: 'died' });
  expect(await behind).toMatchObject({ is: 'written' });
  await until(() => !isRegistered(site.store, sleeper));
  expect(await countOf(other, 'counter/a')).toBe(1);
  checkWhole(site.store);
});

it('[V4] a host whose row was removed while it slept stops before it commits anything', async () => {
  const site = siteForTest();
  const file = join(site.folder, 'go');
  const sleeper = await startInsideAct(site, file);
  const other = await start(site.store);
  await other.ask('spawn', 'counter', 'a');
  const { incarnation } = rowOfHost(site.store, sleeper);
  await suspend(site.store, sleeper);
  write(site.store, `DELETE FROM hosts WHERE incarnation = '${incarnation}'`);
  // The others settle the calls of a host that has no row.
  const settler = await start(site.store);
  await until(() => rowsOf(site.store, statusOfAct)[0]?.['status'] === 'unknown');
  const refused = sendCount(sleeper, 'counter/a', 'refused');
  writeFileSync(file, '');
  sleeper.signal('SIGCONT');
  expect(await refused).toMatchObject({ code: 'host_fenced', outcome: 'notWritten' });
  expect(await sleeper.ask('fatal')).toBe('host_fenced');
  await until(() => rowsOf(site.store, isJobDone).length);
  expect(await countOf(settler, 'counter/a')).toBe(0);
  expect(isRegistered(site.store, sleeper)).toBe(false);
  expect(beginsOf(site, 'act')).toHaveLength(1);
  const acted =
    "SELECT json_extract(snapshot, '$.output') AS acted FROM actors WHERE id = 'job/held'";
  expect(rowsOf(site.store, acted)).toEqual([{ acted: 'interrupted' }]);
});
