// Report: what a simulation tells of its run.

import { createHash } from 'node:crypto';
import type { Connection } from '../../../persistence/index.ts';
import type { Disk } from './disk.ts';
import type { FaultPlan, ScriptedFault } from './faults.ts';
import type { Ledger } from './ledger.ts';
import type { SimulationReport } from './options.ts';
import type { Processes } from './processes.ts';
import type { Timeline } from './timeline.ts';

const REASONS_MAX = 10;

interface ReportParts {
  readonly disk: Disk;
  readonly faults: FaultPlan;
  readonly ledger: Ledger;
  readonly processes: Processes;
  readonly timeline: Timeline;
}

/** What only the course of the run knows. */
type Verdict = Pick<SimulationReport, 'seed' | 'findings' | 'notes' | 'steps' | 'isAtRest'>;

export function reportOf(parts: ReportParts, verdict: Verdict): SimulationReport {
  const { disk, faults, ledger, processes, timeline } = parts;
  const journal = disk.connection.prepare('SELECT * FROM journal ORDER BY seq').all();
  const statuses = disk.connection
    .prepare('SELECT status, count(*) AS number FROM actors GROUP BY status ORDER BY status')
    .all() as { readonly status: string; readonly number: number }[];
  return {
    ...verdict,
    notes: [
      ...verdict.notes,
      ...faults.missedOccasions.map(missedNote),
      ...stuckReasons(disk.connection).map(stuckNote),
    ],
    injected: faults.injected,
    processes: processes.count,
    boundaries: processes.boundaries,
    passedMs: timeline.passedMs,
    actors: Object.fromEntries(statuses.map(({ status, number }) => [status, number])),
    ledger: ledger.entries,
    digest: createHash('sha256').update(JSON.stringify(journal)).digest('hex'),
  };
}

function missedNote({ fault, occasion }: ScriptedFault): string {
  return `Occasion ${occasion} of ${fault} never came: that fault of the script did not happen.`;
}

interface StuckReason {
  readonly machine: string;
  readonly message: string;
}

/** Why actors were stuck in the end, each reason of a machine once. */
function stuckReasons(connection: Connection): StuckReason[] {
  const sql = `SELECT machine, json_extract(error, '$.message') AS message FROM actors WHERE status = 'stuck'
    GROUP BY machine, message ORDER BY count(*) DESC LIMIT ${REASONS_MAX}`;
  return connection.prepare(sql).all() as StuckReason[];
}

/** Troupe kept its promises, so it is no finding; whoever wrote the machine wants to know. */
function stuckNote({ machine, message }: StuckReason): string {
  return `Actors of ${machine} got stuck: ${message}. 'troupe explore' shows the shortest way there.`;
}
