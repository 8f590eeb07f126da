// Output: what a machine ends with must fit its schema, or the actor is parked (K6).

import { parseBy } from '../issues.ts';
import type { RegisteredMachine } from '../registry/index.ts';
import { type Step, StepError } from '../step/index.ts';

/** @throws {StepError} `output_invalid`. */
export function checkOutput(machine: RegisteredMachine, { status, after }: Step): void {
  if (status !== 'done') return;
  const { output } = machine.schemas;
  const parsed = output === undefined ? undefined : parseBy(output, after.snapshot?.output);
  if (parsed === undefined || 'data' in parsed) return;
  throw new StepError(
    'output_invalid',
    `The output of ${after.address} does not fit the schema of ${machine.name}: ${parsed.why}`,
  );
}
