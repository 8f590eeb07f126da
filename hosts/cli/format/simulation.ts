// What a simulation tells a person. Pure.

import type { SimulationReport } from '../../../test/kit/index.ts';
import type { Frame } from './table.ts';
import { counted, fit, printable } from './text.ts';

/** What the runs so far come to. */
export interface Tally {
  readonly seeds: number;
  readonly steps: number;
  readonly faults: number;
  /** Seeds in which machines never rested, so that not everything was checked. */
  readonly restless: number;
  readonly seconds: number;
}

/** Findings shown of one check: the first ones tell most. */
const FINDINGS_SHOWN = 10;

export function progressLine(seed: number, tally: Tally, { width }: Frame): string {
  const line = `seed ${seed}  ${tallyLine(tally)}`;
  return width === undefined ? line : fit(line, width - 1);
}

export function tallyLine({ seeds, steps, faults, restless, seconds }: Tally): string {
  const rate = seconds > 0 ? `  ${counted(Math.round(steps / seconds))} steps/s` : '';
  const unrest = restless === 0 ? '' : ` (${seedsText(restless)} never rested)`;
  return `${seedsText(seeds)}  ${counted(steps)} steps  ${counted(faults)} faults  nothing found${unrest}${rate}`;
}

function seedsText(count: number): string {
  return `${counted(count)} ${count === 1 ? 'seed' : 'seeds'}`;
}

export function findingLines(report: SimulationReport): string[] {
  const { seed, steps, injected, findings } = report;
  const rest = findings.length - FINDINGS_SHOWN;
  return [
    `seed ${seed}: ${counted(findings.length)} findings in ${counted(steps)} steps with ${counted(injected.length)} faults`,
    ...findings
      .slice(0, FINDINGS_SHOWN)
      .map(({ check, rule, message }) => `  ${check} (${rule}): ${printable(message)}`),
    ...(rest > 0 ? [`  … and ${counted(rest)} more: --json prints all`] : []),
  ];
}
