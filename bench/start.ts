// Start: how long a host takes to open a store with few and with many actors that have nothing to do (V2).

import { join } from 'node:path';
import Database from 'better-sqlite3';
import { createMachine } from 'xstate';
import { defineMachine, openTroupe } from '../hosts/embedded/index.ts';
import { median, rounded } from './figures.ts';

const FEW = 100;
const MANY = 100_000;
const ROUNDS = 7;

export interface StartReport {
  readonly idle100Ms: number;
  readonly idle100000Ms: number;
  /** Median of the rounds' own ratios. */
  readonly ratio: number;
}

const sleeper = defineMachine({
  version: 1,
  machine: createMachine({
    id: 'sleeper',
    initial: 'waiting',
    states: { waiting: { after: { 86_400_000: 'over' } }, over: {} },
  }),
});

/** Stores are opened in turn, so that the machine's noise hits both. */
export async function measureStart(folder: string): Promise<StartReport> {
  const [few, many] = [join(folder, 'few.db'), join(folder, 'many.db')];
  await makeStore(few, FEW);
  await makeStore(many, MANY);
  const fewMs: number[] = [];
  const manyMs: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    fewMs.push(await openMs(few));
    manyMs.push(await openMs(many));
  }
  return {
    idle100Ms: rounded(median(fewMs)),
    idle100000Ms: rounded(median(manyMs)),
    ratio: rounded(median(manyMs.map((ms, round) => ms / (fewMs[round] ?? Number.NaN)))),
  };
}

async function openMs(store: string): Promise<number> {
  const startedMs = performance.now();
  const troupe = await openTroupe({ store, machines: [sleeper] });
  const ms = performance.now() - startedMs;
  await troupe.close();
  return ms;
}

/** One actor by its own step; the rest are copies of its rows. */
async function makeStore(store: string, count: number): Promise<void> {
  const troupe = await openTroupe({ store, machines: [sleeper] });
  const { address } = await troupe.spawn(sleeper, { id: 'first' });
  const watch = troupe.watch(address, { after: 0 });
  await watch.next();
  await watch.return();
  await troupe.close();
  const db = new Database(store);
  db.exec(`WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
    INSERT INTO actors SELECT 'sleeper/' || i, machine, machine_version, parent, child_id, task, host, revision, status, state,
      tags, snapshot, armings, input, error, created_at, updated_at FROM actors, n WHERE id = '${address}';
    INSERT INTO messages(actor, machine, sender, event, kind, ready_at, incarnation)
      SELECT actors.id, actors.machine, actors.id, event, kind, ready_at, incarnation FROM messages, actors
      WHERE actors.id <> '${address}';`);
  db.close();
}
