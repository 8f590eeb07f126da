// Steps: the real engine, real sends, synchronous=FULL, against the naive program, in turn.

import { join } from 'node:path';
import { openTroupe } from '../hosts/embedded/index.ts';
import { median, rounded } from './figures.ts';
import { definition } from './machine.ts';
import { idOf, naiveStepsPerSecond } from './naive.ts';

/** Actors at a time. */
const IN_FLIGHT = 64;
/** Steps of one actor, its birth among them: as many as an operation or a turn takes with all its retries. */
const LIFE_STEPS = 25;
/** Generations of actors of one round. The naive program is slower and gets half of them. */
const LIVES = 4;
const ROUNDS = 5;

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
    engine.push(await engineStepsPerSecond(join(folder, `engine-${round}.db`)));
    const own = { inFlight: IN_FLIGHT, lives: LIVES / 2, lifeSteps: LIFE_STEPS };
    naive.push(naiveStepsPerSecond(join(folder, `naive-${round}.db`), own));
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
async function engineStepsPerSecond(file: string): Promise<number> {
  const troupe = await openTroupe({ store: file, machines: [definition] });
  const startedMs = performance.now();
  const live = async (_: unknown, index: number): Promise<void> => {
    for (let life = 0; life < LIVES; life++) {
      const { address } = await troupe.spawn(definition, { id: idOf(life, index) });
      for (let step = 1; step < LIFE_STEPS; step++) await troupe.send(address, { type: 'NEXT' });
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, live));
  await stepped(troupe);
  const seconds = (performance.now() - startedMs) / 1_000;
  await troupe.close();
  return (IN_FLIGHT * LIVES * LIFE_STEPS) / seconds;
}

/** A figure counts only when every step is on disk: a send may be there before its step. */
async function stepped(troupe: Awaited<ReturnType<typeof openTroupe>>): Promise<void> {
  for (;;) {
    const actors = await troupe.list({ machine: 'bench', limit: 1_000 });
    if (actors.every(({ revision }) => revision === LIFE_STEPS)) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
