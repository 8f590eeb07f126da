// Specs: what the registry says of a call.

import type { CallSpec } from '../../../../actors/registry/index.ts';
import type { Evidence } from './evidence.ts';

export function specOf({ registry }: Evidence, source: string): CallSpec | undefined {
  for (const machine of registry.machines.values()) {
    for (const spec of machine.calls.values()) if (spec.key === source) return spec;
  }
  return undefined;
}

/** What an answer is after its schema; undefined when it does not fit. */
export function asParsed(
  evidence: Evidence,
  source: string,
  output: unknown,
): { readonly output: unknown } | undefined {
  const runs = specOf(evidence, source)?.runs;
  const schema = runs?.on === 'thread' ? runs.call.output : undefined;
  if (schema === undefined) return { output };
  const parsed = schema.safeParse(output);
  return parsed.success ? { output: parsed.data } : undefined;
}
