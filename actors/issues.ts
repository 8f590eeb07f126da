// Issues: what a schema found, in one line that names each path.

import type { z } from 'zod';
import { messageOf } from './step/index.ts';

/** At most this many findings are named; more would hide the first. */
const ISSUES_MAX = 5;

/** `folder: expected string, received number; …`. Values are not named: they may be secret. */
export function explainIssues(error: z.ZodError): string {
  const named = error.issues.slice(0, ISSUES_MAX).map(({ path, message }) => {
    const where = path.map(String).join('.');
    return where === '' ? message : `${where}: ${message}`;
  });
  const more = error.issues.length - named.length;
  return more > 0 ? `${named.join('; ')}; and ${more} more` : named.join('; ');
}

/** A schema is code of its own: what it throws, or that it wants to wait, is a finding like any other. Pure. */
export function parseBy(
  schema: z.ZodType,
  value: unknown,
): { readonly data: unknown } | { readonly why: string } {
  try {
    const parsed = schema.safeParse(value);
    return parsed.success ? { data: parsed.data } : { why: explainIssues(parsed.error) };
  } catch (error) {
    return { why: `the schema itself failed (${messageOf(error)})` };
  }
}
