// Check: what `troupe check` tells a person. Pure.

import type { CheckFinding, CheckProgress, CheckReport } from '../../embedded/index.ts';
import type { Frame } from './table.ts';
import { counted, fit, printable, wrap } from './text.ts';

export function checkProgressLine({ actors, findings }: CheckProgress, { width }: Frame): string {
  const line = `${counted(actors)} actors  ${counted(findings)} found`;
  return width === undefined ? line : fit(line, width - 1);
}

/** The actor and the code, then what is wrong and what to do. */
export function findingLines(
  { address, machine, code, message, mend }: CheckFinding,
  { width, paint }: Frame,
): string[] {
  const head = `${printable(address ?? `machine ${machine}`)}  ${code}`;
  const room = Math.max((width ?? Number.POSITIVE_INFINITY) - 2, 1);
  const lines = [message, mend].flatMap((text) => wrap(printable(text), room));
  return [paint('bad', head), ...lines.map((line) => `  ${line}`)];
}

export function totalLine({ actors, findings }: CheckReport): string {
  const found = findings === 0 ? 'nothing would break' : `${counted(findings)} found`;
  return `${counted(actors)} live actors  ${found}`;
}
