// Crash matrix: two and three hosts on one store, one after the other killed.

import { expect, it } from 'vitest';
import type { Kill } from '../crash/plan.ts';
import { checkStore } from '../crash/witness.ts';
import { rowsOf } from '../supervision/support/process.ts';
import { type RunEnd, runMatrix } from './support/matrix.ts';
import { checkSent, checkStarts, checkWhole } from './support/witness.ts';

const LIMIT_MS = 60_000;

/** Nothing is lost, doubled or stranded. */
function checkEnd({ site, killed, sent, jobs }: RunEnd, kills: readonly Kill[]): void {
  expect(killed.size).toBe(kills.length);
  checkStarts(site, killed);
  checkSent(site.store, sent);
  checkWhole(site.store);
  checkStore(site, kills);
  const stored = rowsOf<{ id: string }>(site.store, "SELECT id FROM actors WHERE machine = 'job'");
  expect(stored.map(({ id }) => id).toSorted()).toEqual(jobs.toSorted());
  const counted = rowsOf<{ count: number }>(
    site.store,
    `SELECT sum(json_extract(snapshot, '$.context.count')) AS count FROM actors WHERE machine = 'counter'`,
  );
  expect(counted).toEqual([{ count: sent.length }]);
}

const atBoundaries: readonly Kill[] = [
  { kind: 'boundary', boundary: 'open.lockTaken', count: 1 },
  { kind: 'boundary', boundary: 'group.beforeCommit', count: 2 },
  { kind: 'boundary', boundary: 'perform.callStarted', count: 3 },
  { kind: 'boundary', boundary: 'open.registered', count: 1 },
  { kind: 'boundary', boundary: 'group.committed', count: 3 },
  { kind: 'boundary', boundary: 'perform.beforeCall', count: 1 },
  { kind: 'boundary', boundary: 'group.begun', count: 4 },
  { kind: 'boundary', boundary: 'perform.done', count: 2 },
  { kind: 'boundary', boundary: 'group.beforeCommit', count: 5 },
  { kind: 'boundary', boundary: 'close.beforeLeave', count: 1 },
];

it(
  '[V5, V6, M4] two hosts, ten kills at the boundaries of openings, commits and leavings',
  async () => {
    checkEnd(await runMatrix({ hosts: 2, kills: atBoundaries }), atBoundaries);
  },
  LIMIT_MS,
);

const insideCallsAndAtRandom: readonly Kill[] = [
  { kind: 'call', call: 'act', count: 1 },
  { kind: 'time', ms: 350 },
  { kind: 'call', call: 'repeat', count: 2 },
  { kind: 'time', ms: 120 },
  { kind: 'call', call: 'look', count: 2 },
  { kind: 'time', ms: 610 },
  { kind: 'call', call: 'act', count: 3 },
  { kind: 'time', ms: 270 },
  { kind: 'call', call: 'repeat', count: 1 },
  { kind: 'time', ms: 480 },
];

it(
  '[V5, V6, C5] three hosts, ten kills inside calls and at any time, while one of the hosts is suspended',
  async () => {
    const run = { hosts: 3, kills: insideCallsAndAtRandom, suspended: [2, 6] } as const;
    checkEnd(await runMatrix(run), insideCallsAndAtRandom);
  },
  LIMIT_MS,
);
