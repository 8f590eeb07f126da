// Report: what a simulation tells of its run.

import { createHash } from 'node:crypto';
import type { Disk } from './disk.ts';
import type { FaultPlan, ScriptedFault } from './faults.ts';
import type { Ledger } from './ledger.ts';
import type { SimulationReport } from './options.ts';
import type { Processes } from './processes.ts';
import type { Timeline } from './timeline.ts';

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
    notes: [...verdict.notes, ...faults.missedOccasions.map(missedNote)],
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
