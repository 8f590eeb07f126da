// Checked calls: what the outside does, refused where it does what no simulated call can. Its mistakes must not look like the
// engine's.

import { TroupeError } from '../../../actors/index.ts';
import { explainFinding, inspectJson } from '../../../actors/json.ts';
import type { SimulatedCall } from './world.ts';

/** @param refuse Called with why, instead of an answer. The simulation ends by it. */
export function checkedCalls(
  calls: Readonly<Record<string, SimulatedCall>>,
  refuse: (refusal: TroupeError) => void,
): Readonly<Record<string, SimulatedCall>> {
  const checked = Object.entries(calls).map(([name, call]) => {
    const answer: SimulatedCall = (input, outside) => {
      const output = call(input, outside);
      const why = whyNot(output);
      if (why === undefined) return output;
      refuse(new TroupeError('invalid_option', `world.calls.${name}: ${why}`));
      return undefined;
    };
    return [name, answer] as const;
  });
  return Object.fromEntries(checked);
}

function whyNot(output: unknown): string | undefined {
  if (isThenable(output)) {
    return 'it answers with a promise. Simulated time does not wait for one: answer at once, without async.';
  }
  const finding = inspectJson(output);
  return finding.ok ? undefined : `its answer is no JSON: ${explainFinding(finding, 'it')}.`;
}

function isThenable(output: unknown): boolean {
  return typeof (output as { readonly then?: unknown } | null | undefined)?.then === 'function';
}
