// Course: a simulation ends whatever its machines and its engine do, and says what it could not look at.

import { expect, it } from 'vitest';
import { createMachine } from 'xstate';
import { defineMachine } from '../../actors/index.ts';
import { NO_FAULTS, simulate } from '../kit/index.ts';
import { Patience } from '../kit/simulation/patience.ts';
import { Timeline } from '../kit/simulation/timeline.ts';

/** A machine whose one timer fires again and again. */
function ticking(delayMs: number) {
  return defineMachine({
    version: 1,
    machine: createMachine({
      id: 'ticker',
      initial: 'on',
      states: { on: { after: { [delayMs]: { target: 'on', reenter: true } } } },
    }),
  });
}

const quiet = { seed: 1, faults: NO_FAULTS };

it('[simulate] a machine that never rests does not keep a run from its end, and is said', async () => {
  const world = { actorsMax: 1 };
  const report = await simulate({ ...quiet, machines: [ticking(4)], world, steps: 450 });
  expect(report).toMatchObject({ findings: [], isAtRest: false });
  expect(report.notes).toEqual([expect.stringContaining('Its machines never rest')]);
});

it('[simulate] a run in which nobody is left to ask is said to have ended early', async () => {
  const machine = createMachine({ id: 'note', type: 'final' });
  const machines = [defineMachine({ version: 1, machine })];
  const report = await simulate({ ...quiet, machines, world: { actorsMax: 2 }, steps: 50 });
  expect(report.findings).toEqual([]);
  expect(report.notes).toEqual([
    expect.stringMatching(/^The run ended after 2 of 50 rows: nobody was left who takes anything/),
  ]);
});

it('[simulate] a run in which nothing that is asked for is stepped any more is a finding', async () => {
  const faults = { ...NO_FAULTS, diskFull: 1 };
  const { findings } = await simulate({ ...quiet, faults, machines: [ticking(5_000)], steps: 50 });
  expect(findings).toContainEqual({
    check: 'rest',
    rule: 'V1',
    message: expect.stringMatching(/^after \d+ of 50 rows nothing was stepped for \d+ ms/),
  });
});

it('[simulate] a script’s occasion that never comes is said', async () => {
  const script = [{ fault: 'callThrew', occasion: 7 }] as const;
  const report = await simulate({ ...quiet, machines: [ticking(5_000)], script, steps: 30 });
  expect(report.injected).toEqual([]);
  expect(report.notes).toEqual([
    'Occasion 7 of callThrew never came: that fault of the script did not happen.',
  ]);
});

it('[simulate] a host that is busy without end and steps nothing is told from one that has nothing to do', async () => {
  const endings = [];
  for (const pauseMs of [1, 1_000]) {
    const timeline = new Timeline();
    const again = (): void => {
      timeline.after(pauseMs, again);
    };
    again();
    const patience = new Patience({ timeline, rows: () => 0, steps: 10, guard: () => {} });
    endings.push(await patience.until(() => false));
  }
  expect(endings).toEqual(['spinning', 'quiet']);
});
