// Simulation: the real engine, supervisor and store on simulated time, with everything that may go wrong. A failure names its
// seed: `troupe simulate --seed N` repeats it.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Boundary, defineMachine } from '../../actors/index.ts';
import { buildMachine } from '../differential/build.ts';
import { generatedMachine } from '../differential/generate.ts';
import {
  FAULT_RATES,
  type FaultName,
  NO_FAULTS,
  type SimulationReport,
  simulate,
  workload,
} from '../kit/index.ts';

const LIMIT_MS = 120_000;
/** Every point at which a process may die. */
const BOUNDARIES: Readonly<Record<Boundary, true>> = {
  'group.begun': true,
  'group.beforeCommit': true,
  'group.committed': true,
  'perform.beforeCall': true,
  'perform.callStarted': true,
  'perform.done': true,
  'open.lockTaken': true,
  'open.registered': true,
  'close.beforeLeave': true,
};

const faultNames = Object.keys(FAULT_RATES) as FaultName[];

/** What a person needs of a run that went wrong. */
function told({ seed, findings }: SimulationReport) {
  return findings.map(({ check, rule, message }) => `seed ${seed}: ${check} (${rule}): ${message}`);
}

describe('on a bad day', () => {
  const seeds = Array.from({ length: 50 }, (_, index) => index + 1);

  it(
    '[V6, J5, K2, K3, K4, K5, K8, M1, M2, M3, M4, M5, T1, T2, T3, T4, C1, C3, C4, C5, C6, C7, C8, V1, V9] nothing is lost, doubled or too early: 50 seeds of 400 steps',
    async () => {
      const happened = new Set<string>();
      let steps = 0;
      for (const seed of seeds) {
        const report = await simulate({ ...workload(), seed });
        expect(told(report)).toEqual([]);
        expect(report.isAtRest).toBe(true);
        steps += report.steps;
        for (const { fault } of report.injected) happened.add(fault);
      }
      // A simulation in which nothing happens would be green, too.
      expect(steps).toBeGreaterThan(350 * seeds.length);
      expect([...happened]).toEqual(expect.arrayContaining(faultNames));
    },
    LIMIT_MS,
  );

  it(
    '[V6, V4, K3] neither with SQLite’s own files and locks: 5 seeds of 200 steps',
    async () => {
      for (const seed of seeds.slice(0, 5)) {
        const report = await simulate({ ...workload(), seed, steps: 200, store: 'file' });
        expect(told(report)).toEqual([]);
      }
    },
    LIMIT_MS,
  );

  it(
    '[K9, V6, K1] neither with machines made at random: 10 of them, 100 steps each',
    async () => {
      let ended = 0;
      for (const [index, plan] of fc.sample(generatedMachine, { seed: 1, numRuns: 10 }).entries()) {
        const machine = defineMachine({ machine: buildMachine(plan), version: 1 });
        const events = ['E.a', 'E.b', 'F', 'G'].flatMap((type) =>
          [0, 1, 2].map((n) => ({ type, n })),
        );
        const world = { actorsMax: 12, events: { [machine.name]: events } };
        const report = await simulate({ seed: index, machines: [machine], world, steps: 100 });
        // Such a machine may well have a state from which nothing leads: that is its own business.
        const findings = report.findings.filter(({ check }) => check !== 'waiting');
        expect(told({ ...report, findings })).toEqual([]);
        ended += (report.actors['done'] ?? 0) + (report.actors['stuck'] ?? 0);
      }
      expect(ended).toBeGreaterThan(0);
    },
    LIMIT_MS,
  );
});

describe('by script', () => {
  const quiet = { ...workload(), faults: NO_FAULTS, steps: 60 };

  it.each(faultNames.map((fault) => [fault]))(
    '[V6] %s alone, at its second occasion, does no harm',
    async (fault) => {
      const script = [{ fault, occasion: 2 }];
      const report = await simulate({ ...quiet, ...workload(), seed: 'scripted', script });
      expect(report.injected).toMatchObject([{ fault, occasion: 2 }]);
      expect(told(report)).toEqual([]);
    },
  );

  it(
    '[V6, V9, K3] a crash at each of the first 60 boundaries, with a close among them, does no harm',
    async () => {
      const where = new Set<string>();
      for (let occasion = 1; occasion <= 60; occasion++) {
        const script = [
          { fault: 'shutdown' as const, occasion: 2 },
          { fault: 'crash' as const, occasion },
        ];
        const options = { ...quiet, ...workload(), seed: 'swept', steps: 30, script };
        const report = await simulate(options);
        expect(told(report)).toEqual([]);
        expect(report.processes).toBeGreaterThanOrEqual(2);
        for (const each of report.injected) if (each.fault === 'crash') where.add(each.where);
      }
      expect([...where].toSorted()).toEqual(Object.keys(BOUNDARIES).toSorted());
    },
    LIMIT_MS,
  );

  it('[simulate] what was drawn happens again as a script', async () => {
    const drawn = await simulate({ ...workload(), seed: 7, steps: 200 });
    expect(drawn.injected.length).toBeGreaterThan(3);
    const script = drawn.injected;
    const again = await simulate({ ...quiet, ...workload(), seed: 7, steps: 200, script });
    expect(again.digest).toBe(drawn.digest);
    expect(again.injected).toEqual(drawn.injected);
  });
});

it('[simulate] the same seed gives the same run to the byte, and another seed another one', async () => {
  const [first, second, other] = [
    await simulate({ ...workload(), seed: 11, steps: 200 }),
    await simulate({ ...workload(), seed: 11, steps: 200 }),
    await simulate({ ...workload(), seed: 12, steps: 200 }),
  ];
  expect(second).toEqual(first);
  expect(other.digest).not.toBe(first.digest);
});

it('[simulate] without faults none is reported', async () => {
  const report = await simulate({ ...workload(), seed: 1, faults: NO_FAULTS, steps: 200 });
  expect(report).toMatchObject({ findings: [], injected: [], processes: 1, isAtRest: true });
});
