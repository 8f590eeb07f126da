// Random: choices that follow from a seed. Each concern has a stream of its own, so that one more choice in one of them
// does not change all others.

import { seededGenerator } from '../../../actors/step/index.ts';

/** A stream of choices. */
export interface Random {
  /** In [0, 1). */
  float(): number;
  /** A whole number from `min` to `max`, both included. */
  whole(min: number, max: number): number;
  /** True with this probability, 0–1. */
  chance(probability: number): boolean;
  /** @throws {RangeError} when the list is empty. */
  pick<T>(list: readonly T[]): T;
}

export function randomOf(seed: string): Random {
  const float = seededGenerator(seed);
  const whole = (min: number, max: number) => min + Math.floor(float() * (max - min + 1));
  return {
    float,
    whole,
    chance: (probability) => float() < probability,
    pick: (list) => {
      const found = list[whole(0, list.length - 1)];
      if (found === undefined) throw new RangeError('nothing to pick from');
      return found;
    },
  };
}
