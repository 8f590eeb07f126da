// Several hosts on one store, simulated: they step it beside each other, die, stand still and come back.

import { expect, it } from 'vitest';
import { type LedgerEntry, NO_FAULTS, simulate, workload } from '../kit/index.ts';

const LIMIT_MS = 120_000;

/** Whether calls of different processes were under way at the same time. */
function areBeside(ledger: readonly LedgerEntry[]): boolean {
  const running = new Map<string, number>();
  return ledger.some(({ what, callId, attempt, process }) => {
    const key = `${callId}/${attempt}`;
    if (what === 'ended') running.delete(key);
    if (what === 'started') running.set(key, process);
    return new Set(running.values()).size > 1;
  });
}

it.each([
  [2, 'memory'],
  [3, 'memory'],
  [2, 'file'],
] as const)(
  '[V5, V6, V4, M4, C4, C5] %d hosts on a store in %s lose, double and hasten nothing',
  async (hosts, store) => {
    const happened = new Set<string>();
    let beside = 0;
    for (let seed = 1; seed <= 3; seed++) {
      const options = { hosts, store, steps: 200, faults: { suspended: 0.1 } };
      const report = await simulate({ ...workload(), ...options, seed });
      expect(report.findings).toEqual([]);
      expect(report.isAtRest).toBe(true);
      expect(report.processes).toBeGreaterThanOrEqual(hosts);
      for (const { fault } of report.injected) happened.add(fault);
      if (areBeside(report.ledger)) beside++;
    }
    expect(beside).toBeGreaterThan(0);
    expect([...happened]).toEqual(expect.arrayContaining(['crash', 'suspended']));
  },
  LIMIT_MS,
);

it('[V4, V5] a host that stands still is alive: nobody settles its calls, and the others go on', async () => {
  const script = [1, 5, 9].map((occasion) => ({ fault: 'suspended' as const, occasion }));
  const options = { ...workload(), hosts: 2, faults: NO_FAULTS, steps: 150 };
  const report = await simulate({ ...options, seed: 'suspended', script });
  expect(report.injected).toHaveLength(3);
  expect(report).toMatchObject({ findings: [], processes: 2, notes: [] });
  // Nobody took it for dead: no attempt was given up for its host's end, and each ran in the process that began it.
  const started = report.ledger.filter(({ what }) => what === 'started');
  expect(new Set(started.map(({ process }) => process)).size).toBe(2);
  const keys = started.map(({ callId, attempt }) => `${callId}/${attempt}`);
  expect(new Set(keys).size).toBe(keys.length);
});

it('[simulate] several hosts are as much of the seed as one', async () => {
  const run = () => simulate({ ...workload(), seed: 11, hosts: 3, steps: 120 });
  expect(await run()).toEqual(await run());
});
