// Senders: how long a send of another process takes until it is on disk, beside a host at full load (V5).
// `npm run senders`, with `--json`; it fails past the limit. `npm run soak` begins with it.

import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openTroupe } from '../hosts/embedded/index.ts';
import { definition } from './machine.ts';

const SENDER = fileURLToPath(new URL('./sender.js', import.meta.url));

const SENDERS = 12;
const SENDS = 250;

/** Actors that the host's own sends keep stepping. */
const LOADED = 64;

/** What V5 promises of 99 in 100 sends. Milliseconds. */
const P99_MS_MAX = 100;

interface Report {
  readonly schema: 1;
  readonly senders: number;
  readonly sends: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** What the host stepped of its own meanwhile, and what it steps alone. */
  readonly stepsPerSecond: number;
  readonly aloneStepsPerSecond: number;
}

async function measure(store: string): Promise<Report> {
  const troupe = await openTroupe({ store, machines: [definition] });
  const loaded: string[] = [];
  for (let id = 0; id < LOADED; id++) {
    loaded.push((await troupe.spawn(definition, { id: `load-${id}` })).address);
  }
  for (let id = 0; id < SENDERS; id++) await troupe.spawn(definition, { id: `sender-${id}` });
  let steps = 0;
  const load = new AbortController();
  const loads = loaded.map(async (address) => {
    for (; !load.signal.aborted; steps++) await troupe.send(address, { type: 'NEXT' });
  });
  const alone = await rateOf(
    () => steps,
    new Promise((resolve) => {
      setTimeout(resolve, 2_000);
    }),
  );
  const senders = Array.from({ length: SENDERS }, (_, id) => startSender(store, id));
  await Promise.all(senders.map(ready));
  const sending = Promise.all(senders.map(send));
  const beside = await rateOf(() => steps, sending);
  const timesMs = (await sending).flat().toSorted((a, b) => a - b);
  load.abort();
  await Promise.all(loads);
  await troupe.close();
  const at = (share: number) => round1(timesMs[Math.ceil(share * timesMs.length) - 1]);
  return {
    schema: 1,
    senders: SENDERS,
    sends: timesMs.length,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    maxMs: at(1),
    stepsPerSecond: beside,
    aloneStepsPerSecond: alone,
  };
}

async function rateOf(count: () => number, meanwhile: Promise<unknown>): Promise<number> {
  const [before, startedMs] = [count(), performance.now()];
  await meanwhile;
  return Math.round(((count() - before) * 1_000) / (performance.now() - startedMs));
}

function startSender(store: string, id: number): ChildProcess {
  return fork(SENDER, [JSON.stringify({ store, address: `bench/sender-${id}`, sends: SENDS })]);
}

function ready(child: ChildProcess): Promise<unknown> {
  return messageOf(child);
}

/** Lets a sender begin. @returns the time of each of its sends. Milliseconds. */
async function send(child: ChildProcess): Promise<number[]> {
  child.send('begin');
  return (await messageOf(child)) as number[];
}

function messageOf(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    child.once('message', resolve);
    child.once('exit', (code) => reject(new Error(`a sender ended with ${code}`)));
  });
}

function round1(figure = Number.NaN): number {
  return Math.round(figure * 10) / 10;
}

function readable(report: Report): string {
  const { senders, sends, p50Ms, p99Ms, maxMs, stepsPerSecond, aloneStepsPerSecond } = report;
  return [
    `sends   ${sends} by ${senders} processes: p50 ${p50Ms} ms, p99 ${p99Ms} ms (at most ${P99_MS_MAX}), longest ${maxMs} ms`,
    `host    ${stepsPerSecond} steps/s of its own meanwhile; ${aloneStepsPerSecond}/s alone`,
  ].join('\n');
}

const { values } = parseArgs({ options: { json: { type: 'boolean', default: false } } });
const folder = mkdtempSync(join(tmpdir(), 'troupe-senders-'));
try {
  const report = await measure(join(folder, 'troupe.db'));
  process.stdout.write(`${values.json ? JSON.stringify(report) : readable(report)}\n`);
  if (report.p99Ms > P99_MS_MAX) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
