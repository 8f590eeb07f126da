// Benchmark: `npm run bench -- --json`. Engine and naive run in turn, so that the machine's noise hits both; trust the
// ratio more than the figures.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { commitsPerSecond, syncsPerSecond, transitionsPerSecond } from './floor.ts';
import { naiveStepsPerSecond } from './naive.ts';
import { engineStepsPerSecond } from './steps.ts';

const ACTORS = 64;
const ROUNDS = 5;
const STEPS = 6_400;

interface Report {
  readonly schema: 1;
  readonly floor: {
    readonly syncsPerSecond: number;
    readonly commitsPerSecond: number;
    readonly transitionsPerSecond: number;
  };
  readonly steps: {
    readonly perSecond: number;
    readonly naivePerSecond: number;
    /** Median of the rounds' own ratios. */
    readonly ratio: number;
    /** Smallest and largest ratio of a round: the noise. */
    readonly ratioRange: readonly [number, number];
  };
}

async function measure(folder: string, say: (line: string) => void): Promise<Report> {
  say('floor: syncs, commits, transitions');
  const floor = {
    syncsPerSecond: Math.round(syncsPerSecond(join(folder, 'sync'), 2_000)),
    commitsPerSecond: Math.round(commitsPerSecond(join(folder, 'commits.db'), 3_000)),
    transitionsPerSecond: Math.round(transitionsPerSecond(20_000)),
  };
  const engine: number[] = [];
  const naive: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    say(`steps: round ${round + 1} of ${ROUNDS}`);
    engine.push(await engineStepsPerSecond(join(folder, `engine-${round}.db`), ACTORS, STEPS));
    naive.push(naiveStepsPerSecond(join(folder, `naive-${round}.db`), ACTORS, STEPS / 2));
  }
  const ratios = engine.map((figure, round) => figure / (naive[round] ?? Number.NaN));
  return {
    schema: 1,
    floor,
    steps: {
      perSecond: Math.round(median(engine)),
      naivePerSecond: Math.round(median(naive)),
      ratio: round2(median(ratios)),
      ratioRange: [round2(Math.min(...ratios)), round2(Math.max(...ratios))],
    },
  };
}

function median(figures: readonly number[]): number {
  return figures.toSorted((a, b) => a - b)[Math.floor(figures.length / 2)] ?? Number.NaN;
}

function round2(figure: number): number {
  return Math.round(figure * 100) / 100;
}

function readable({ floor, steps }: Report): string {
  return [
    `floor   ${floor.syncsPerSecond} syncs/s, ${floor.commitsPerSecond} commits/s, ${floor.transitionsPerSecond} transitions/s`,
    `steps   ${steps.perSecond}/s with ${ACTORS} actors in flight; naive ${steps.naivePerSecond}/s`,
    `ratio   ${steps.ratio} (${steps.ratioRange.join(' to ')} in ${ROUNDS} rounds)`,
  ].join('\n');
}

const { values } = parseArgs({ options: { json: { type: 'boolean', default: false } } });
const folder = mkdtempSync(join(tmpdir(), 'troupe-bench-'));
try {
  const report = await measure(folder, (line) => process.stderr.write(`${line}\n`));
  process.stdout.write(`${values.json ? JSON.stringify(report) : readable(report)}\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
