// What a simulation tells a person. Pure.

import type { SimulationReport } from '../../../test/kit/index.ts';
import type { Frame } from './table.ts';
import { counted, countOf, fit, printable } from './text.ts';

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
  const unrest = restless === 0 ? '' : ` (${countOf(restless, 'seed')} never rested)`;
  return `${countOf(seeds, 'seed')}  ${countOf(steps, 'step')}  ${countOf(faults, 'fault')}  nothing found${unrest}${rate}`;
}

export function findingLines(report: SimulationReport): string[] {
  const { seed, steps, injected, findings } = report;
  const rest = findings.length - FINDINGS_SHOWN;
  return [
    `seed ${seed}: ${countOf(findings.length, 'finding')} in ${countOf(steps, 'step')} with ${countOf(injected.length, 'fault')}`,
    ...findings
      .slice(0, FINDINGS_SHOWN)
      .map(({ check, rule, message }) => `  ${check} (${rule}): ${printable(message)}`),
    ...(rest > 0 ? [`  … and ${counted(rest)} more: --json prints all`] : []),
  ];
}
