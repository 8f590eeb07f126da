// Support: findings in a form that a test can name.

import type { ExploreReport, Path } from '../kit/index.ts';

/** `OPEN → open`, one for each step. */
export function told(path: Path): string[] {
  return path.map(({ text, state }) => `${text} → ${JSON.stringify(state)}`);
}

/** The findings by kind, each with its path. */
export function foundBy({ findings }: ExploreReport): Record<string, string[]> {
  return Object.fromEntries(findings.map(({ kind, path }) => [kind, told(path)]));
}
