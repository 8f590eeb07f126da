// Fairness: who sends beside hosts at full load is not passed by for long. Counted in groups, so that no clock decides.
// How long it takes is measured by `npm run senders`.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { until } from '../kit/index.ts';
import { countOf, rowOfHost, type Sent, type Site, siteForTest, start } from './support/hosts.ts';
import { checkSent, checkWhole } from './support/witness.ts';

const SENDER = fileURLToPath(new URL('./support/sender.mjs', import.meta.url));
const run = promisify(execFile);

const SENDERS = 12;
const SENDS = 25;

/** Actors that the host's own sends keep stepping. */
const LOADED = 64;

/** Groups of the hosts that may pass a send: one for each process that waits for the store with it, and the one under way. */
const PASSED_MAX = SENDERS + 1;

const LIMIT_MS = 60_000;

interface Send {
  readonly seq: number;
  readonly passedBy: number;
}

async function sendAll({ store }: Site, sender: number): Promise<Send[]> {
  const argument = { store, address: 'counter/outside', sends: SENDS, name: `sender-${sender}` };
  const { stdout } = await run(process.execPath, [SENDER, JSON.stringify(argument)]);
  return JSON.parse(stdout) as Send[];
}

it(
  `[V5] beside a host at full load no send of ${SENDERS} processes is passed by more than ${PASSED_MAX} groups`,
  async () => {
    const site = siteForTest();
    const host = await start(site.store);
    const addresses: string[] = [];
    for (let id = 0; id < LOADED; id++) {
      addresses.push(await host.ask<string>('spawn', 'counter', `load-${id}`));
    }
    await host.ask('spawn', 'counter', 'outside');
    await host.ask('load', addresses);
    const before = rowOfHost(site.store, host).commit_group;
    const senders = Array.from({ length: SENDERS }, (_, sender) => sendAll(site, sender));
    const sends = (await Promise.all(senders)).flat();
    await host.ask('unload');
    expect(sends).toHaveLength(SENDERS * SENDS);
    const passed = sends.map(({ passedBy }) => passedBy).toSorted((a, b) => b - a);
    // The host went on all the while.
    expect(rowOfHost(site.store, host).commit_group - before).toBeGreaterThan(SENDS);
    expect(passed[0]).toBeLessThanOrEqual(PASSED_MAX);
    await until(async () => (await countOf(host, 'counter/outside')) === sends.length);
    const sent = sends.map(({ seq }): Sent => ({ is: 'written', messageId: '', seq }));
    checkSent(site.store, sent);
    checkWhole(site.store);
  },
  LIMIT_MS,
);
