// Benchmark: `npm run bench -- --json`. What is compared runs in turn, so that the machine's noise hits both; trust ratios more
// than figures.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { rounded } from './figures.ts';
import {
  commitsPerSecond,
  syncsPerSecond,
  threadRoundTripMs,
  transitionsPerSecond,
} from './floor.ts';
import { measureOperations, type OperationsReport } from './operations.ts';
import { measureRecovery, type RecoveryReport } from './recovery.ts';
import { measureStart, type StartReport } from './start.ts';
import { measureSteps, type StepsReport } from './steps.ts';

interface FloorReport {
  readonly syncsPerSecond: number;
  readonly commitsPerSecond: number;
  readonly transitionsPerSecond: number;
  readonly threadRoundTripMs: number;
}

interface Report {
  readonly schema: 1;
  readonly floor: FloorReport;
  readonly steps: StepsReport;
  readonly operations: OperationsReport;
  readonly start: StartReport;
  readonly recovery: RecoveryReport;
}

async function measure(folder: string, say: (line: string) => void): Promise<Report> {
  say('floor: syncs, commits, transitions, thread round trips');
  const floor = await measureFloor(folder);
  say('operations: together, and one at a time');
  const operations = await measureOperations(folder);
  const steps = await measureSteps(folder, (round) => say(`steps: round ${round}`));
  say('start: 100 and 100,000 idle actors');
  const start = await measureStart(folder);
  say('recovery: a host is killed');
  const recovery = await measureRecovery(folder);
  return { schema: 1, floor, steps, operations, start, recovery };
}

async function measureFloor(folder: string): Promise<FloorReport> {
  return {
    syncsPerSecond: Math.round(syncsPerSecond(join(folder, 'sync'), 2_000)),
    commitsPerSecond: Math.round(commitsPerSecond(join(folder, 'commits.db'), 3_000)),
    transitionsPerSecond: Math.round(transitionsPerSecond(20_000)),
    threadRoundTripMs: rounded(await threadRoundTripMs(2_000), 3),
  };
}

function readable({ floor, steps, operations, start, recovery }: Report): string {
  return [
    `floor       ${floor.syncsPerSecond} syncs/s, ${floor.commitsPerSecond} commits/s, ${floor.transitionsPerSecond} transitions/s, thread round trip ${floor.threadRoundTripMs} ms`,
    `steps       ${steps.perSecond}/s; naive ${steps.naivePerSecond}/s; ratio ${steps.ratio} (${steps.ratioRange.join(' to ')})`,
    `operations  ${operations.perSecond}/s with ${operations.syncsPerOperation} syncs and ${operations.callsPerOperation} calls each, ${operations.bytesPerOperation} bytes, ${operations.residentMb} MB`,
    `alone       p50 ${operations.p50Ms} ms (${operations.p50PerFloor} times the floor), p99 ${operations.p99Ms} ms, ${operations.aloneSyncsPerOperation} syncs each`,
    `start       ${start.idle100Ms} ms with 100 idle actors, ${start.idle100000Ms} ms with 100,000`,
    `recovery    ${recovery.ms} ms for ${recovery.inFlight} in flight, ${recovery.doubled} effects started twice`,
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
