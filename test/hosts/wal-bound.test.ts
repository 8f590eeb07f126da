// WAL bound: under sustained load, beside readers that always hold a transaction, the WAL stays below its limit.

import { fork } from 'node:child_process';
import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { until } from '../kit/index.ts';
import { rowsOf } from '../supervision/support/process.ts';
import { hostsOf, type Site, siteForTest, start } from './support/hosts.ts';
import { checkWhole } from './support/witness.ts';

const READER = fileURLToPath(new URL('./support/reader.mjs', import.meta.url));

/** V10. */
const WAL_BYTES_MAX = 64 * 1_024 * 1_024;
const HELD_MS = 100;

/** Overlapping, so that no moment is without a reader. */
const READERS = 3;

/** What each step of the load writes, and how many of them would fill the WAL several times. */
const PAYLOAD_CHARACTERS = 200_000;
const STEPS = 800;

const LIMIT_MS = 60_000;

it(
  '[V10] the WAL stays below 64 MiB while 160 MB are written beside readers that hold transactions of 100 ms',
  async () => {
    const site = siteForTest();
    const host = await start(site.store);
    const addresses: string[] = [];
    for (let id = 0; id < 8; id++) {
      const input = { payloadCharacters: PAYLOAD_CHARACTERS };
      addresses.push(await host.ask<string>('spawn', 'counter', String(id), input));
    }
    const reads = Array.from({ length: READERS }, () => startReader(site));
    await until(() => reads.every((held) => held() >= 1));
    await host.ask('load', addresses);
    let largest = 0;
    await until(
      () => {
        // Only looked at: whoever opened and closed it in a host's process would drop its locks.
        largest = Math.max(largest, statSync(`${site.store}-wal`).size);
        return stepsOf(site) >= STEPS;
      },
      { limitMs: LIMIT_MS, what: `${STEPS} steps` },
    );
    await host.ask('unload');
    // It was in danger: the readers never left, and the host went on to write.
    expect(reads.every((held) => held() > 3)).toBe(true);
    expect(largest).toBeLessThanOrEqual(WAL_BYTES_MAX);
    expect(hostsOf(site.store)).toHaveLength(1);
    checkWhole(site.store);
  },
  2 * LIMIT_MS,
);

function stepsOf({ store }: Site): number {
  const [row] = rowsOf<{ steps: number }>(store, 'SELECT sum(revision) AS steps FROM actors');
  return row?.steps ?? 0;
}

/** @returns how many transactions it has held until now. */
function startReader({ store }: Site): () => number {
  const child = fork(READER, [store, String(HELD_MS)], { execArgv: [] });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  let begun = 0;
  child.on('message', (held: number) => {
    begun = held + 1;
  });
  return () => begun;
}
