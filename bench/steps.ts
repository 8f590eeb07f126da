// Steps: the real engine, real sends, synchronous=FULL, against the naive program, in turn.

import { join } from 'node:path';
import { openTroupe } from '../hosts/embedded/index.ts';
import { median, rounded } from './figures.ts';
import { definition } from './machine.ts';
import { naiveStepsPerSecond } from './naive.ts';

const ACTORS = 64;
const ROUNDS = 5;
const STEPS = 6_400;

export interface StepsReport {
  readonly perSecond: number;
  readonly naivePerSecond: number;
  /** Median of the rounds' own ratios. */
  readonly ratio: number;
  /** Smallest and largest ratio of a round: the noise. */
  readonly ratioRange: readonly [number, number];
}

export async function measureSteps(
  folder: string,
  onRound: (round: string) => void,
): Promise<StepsReport> {
  const engine: number[] = [];
  const naive: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    onRound(`${round + 1} of ${ROUNDS}`);
    engine.push(await engineStepsPerSecond(join(folder, `engine-${round}.db`), ACTORS, STEPS));
    naive.push(naiveStepsPerSecond(join(folder, `naive-${round}.db`), ACTORS, STEPS / 2));
  }
  const ratios = engine.map((figure, round) => figure / (naive[round] ?? Number.NaN));
  return {
    perSecond: Math.round(median(engine)),
    naivePerSecond: Math.round(median(naive)),
    ratio: rounded(median(ratios)),
    ratioRange: [rounded(Math.min(...ratios)), rounded(Math.max(...ratios))],
  };
}

/** Each send waits until it is on disk before the actor's next. @returns steps per second, all of them committed. */
async function engineStepsPerSecond(file: string, actors: number, steps: number): Promise<number> {
  const troupe = await openTroupe({ store: file, machines: [definition] });
  const spawned = await Promise.all(
    Array.from({ length: actors }, (_, index) => troupe.spawn(definition, { id: String(index) })),
  );
  const each = Math.floor(steps / actors);
  const startedMs = performance.now();
  await Promise.all(
    spawned.map(async ({ address }) => {
      for (let count = 0; count < each; count++) await troupe.send(address, { type: 'NEXT' });
    }),
  );
  await stepped(troupe, each);
  const seconds = (performance.now() - startedMs) / 1_000;
  await troupe.close();
  return (each * actors) / seconds;
}

/** A figure counts only when every step is on disk: a send may be there before its step. */
async function stepped(
  troupe: Awaited<ReturnType<typeof openTroupe>>,
  each: number,
): Promise<void> {
  for (;;) {
    const actors = await troupe.list({ machine: 'bench', limit: 1_000 });
    if (actors.every(({ revision }) => revision === each + 1)) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
