// Growth: which parts of a context make more and more states, for who has to abstract from them.

import type { Point } from './point.ts';

/** Properties that are named. */
const NAMED_MAX = 3;

/** `'count' has 812 values, …` of the top-level properties of a context with most values. Empty when none has many. */
export function growthOf(points: readonly Point[]): string {
  const values = new Map<string, Set<string>>();
  for (const { snapshot } of points) {
    for (const [name, value] of Object.entries(snapshot.context ?? {})) {
      const known = values.get(name) ?? new Set();
      values.set(name, known.add(JSON.stringify(value)));
    }
  }
  return [...values]
    .filter(([, { size }]) => size * size > points.length)
    .toSorted(([, a], [, b]) => b.size - a.size)
    .slice(0, NAMED_MAX)
    .map(([name, { size }]) => `'${name}' has ${size} values`)
    .join(', ');
}
