// Failing sync: the disk refuses fsync for a while. What a commit came to is not known until the storage is back.

import { expect, it } from 'vitest';
import { until } from '../kit/index.ts';
import { type Program, rowsOf } from '../supervision/support/process.ts';
import { breakCalls } from './support/faults.ts';
import {
  countOf,
  isRegistered,
  rowOfHost,
  type Sent,
  type Site,
  sendCount,
  siteForTest,
  start,
  untilProbed,
} from './support/hosts.ts';
import { beginsOf } from './support/ledger.ts';
import { checkSent, checkStarts, checkWhole, isKnown } from './support/witness.ts';

/** Sends that are under way when the fault begins. */
const IN_FLIGHT = 64;

/** Failures that are waited for, so that the host is seen to try again. */
const FAILURES = 3;

const LIMIT_MS = 60_000;

function sendAll(host: Program, prefix: string): Promise<Sent>[] {
  return Array.from({ length: IN_FLIGHT }, (_, index) =>
    sendCount(host, `counter/${index % 8}`, `${prefix}-${index}`),
  );
}

async function spawnCounters(host: Program): Promise<void> {
  for (let id = 0; id < 8; id++) await host.ask('spawn', 'counter', String(id));
}

async function countAll(host: Program): Promise<number> {
  const counts = Array.from({ length: 8 }, (_, id) => countOf(host, `counter/${id}`));
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}

/** Every answer is true: what is said to be written is there once, what is not is nowhere and may be sent again. */
async function checkAnswers(site: Site, host: Program, sent: readonly Sent[]): Promise<void> {
  const written = sent.filter(({ is }) => is === 'written');
  for (const each of sent) {
    if (each.is === 'written') continue;
    expect(each).toMatchObject({ code: 'storage_unavailable', outcome: 'notWritten' });
    expect(isKnown(site.store, each.messageId)).toBe(false);
  }
  await until(async () => (await countAll(host)) >= written.length);
  expect(await countAll(host)).toBe(written.length);
  checkSent(site.store, sent);
  // Sent again under the same ids, each is there exactly once.
  const again = await Promise.all(
    sent.map(({ messageId }) => sendCount(host, `counter/${numberOf(messageId) % 8}`, messageId)),
  );
  expect(again.filter(({ is }) => is === 'refused')).toEqual([]);
  await until(async () => (await countAll(host)) >= sent.length);
  expect(await countAll(host)).toBe(sent.length);
  checkSent(site.store, again);
  checkWhole(site.store);
}

function numberOf(messageId: string): number {
  return Number(messageId.split('-').at(-1));
}

it(
  '[V7] with 64 sends in flight a host alone waits for its disk, looks what its commit came to, and says it truly',
  async () => {
    const site = siteForTest();
    const host = await start(site.store);
    await spawnCounters(host);
    const { incarnation } = rowOfHost(site.store, host);
    const fault = await breakCalls(host, site, 'fsync', 'EIO');
    const answered: Sent[] = [];
    const sends = sendAll(host, 'send').map((send) =>
      send.then((sent) => {
        answered.push(sent);
        return sent;
      }),
    );
    // It may be in doubt with them, and answered only when they are.
    const spawned = host.ask('spawn', 'job', 'a', { witness: site.ledger }).catch(() => {});
    await until(() => fault.failures() >= FAILURES, { what: 'failing syncs' });
    expect(answered.filter(({ is }) => is === 'written')).toEqual([]);
    expect(beginsOf(site)).toEqual([]);
    await fault.mend();
    const sent = await Promise.all(sends);
    await spawned;
    await checkAnswers(site, host, sent);
    expect(rowOfHost(site.store, host).incarnation).toBe(incarnation);
    expect(await host.ask('fatal')).toBeUndefined();
    checkStarts(site, new Set());
  },
  LIMIT_MS,
);

it(
  '[V7, V5] with a second host attached the lost commit is told as not written, and nobody settles the host that cannot write (E26)',
  async () => {
    const site = siteForTest();
    const host = await start(site.store);
    const other = await start(site.store);
    await spawnCounters(host);
    const fault = await breakCalls(host, site, 'fsync', 'EIO');
    const sends = sendAll(host, 'send');
    const asked = [1, 2, 3].map((id) =>
      host.ask('spawn', 'job', String(id), { witness: site.ledger }).then(
        () => 'written',
        ({ outcome }: { outcome: string }) => outcome,
      ),
    );
    await until(() => fault.failures() >= 1, { what: 'a failing sync' });
    // The other's disk is well: it goes on, and writes over what the failed commit has left in the WAL.
    const beside = await sendCount(other, 'counter/0', 'beside-0');
    expect(beside).toMatchObject({ is: 'written' });
    await untilProbed(site);
    expect(isRegistered(site.store, host)).toBe(true);
    await fault.mend();
    const sent = await Promise.all(sends);
    expect(sent.some(({ is }) => is === 'refused')).toBe(true);
    await checkAnswers(site, host, [...sent, beside]);
    for (const outcome of await Promise.all(asked)) expect(outcome).toMatch(/^(notW|w)ritten$/);
    for (const id of ['1', '2', '3']) {
      await host.ask('spawn', 'job', id, { witness: site.ledger });
    }
    const open = "SELECT 1 FROM actors WHERE machine = 'job' AND status = 'active'";
    await until(() => rowsOf(site.store, open).length === 0);
    checkStarts(site, new Set());
    expect(beginsOf(site, 'act')).toHaveLength(3);
    expect(await host.ask('fatal')).toBeUndefined();
  },
  LIMIT_MS,
);

it(
  '[V7] a host that is killed while its disk fails loses nothing that it has acknowledged',
  async () => {
    const site = siteForTest();
    const host = await start(site.store);
    await spawnCounters(host);
    const before = await Promise.all(sendAll(host, 'before'));
    const fault = await breakCalls(host, site, 'fsync', 'EIO');
    const during = sendAll(host, 'during');
    await until(() => fault.failures() >= 1, { what: 'a failing sync' });
    await host.kill();
    await fault.mend();
    const sent = [...before, ...(await Promise.all(during))];
    expect(before.filter(({ is }) => is === 'refused')).toEqual([]);
    const next = await start(site.store);
    checkSent(site.store, sent);
    await Promise.all(sendAll(next, 'during'));
    await until(async () => (await countAll(next)) >= 2 * IN_FLIGHT);
    expect(await countAll(next)).toBe(2 * IN_FLIGHT);
    checkWhole(site.store);
  },
  LIMIT_MS,
);
