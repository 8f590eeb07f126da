// Seeded entropy: names that are the same in every run of a test.

import type { Entropy } from '../../actors/index.ts';

let unnamed = 0;

/**
 * Names from a seed: `<seed>-<number>`, counted from 1. Two of one seed give the same names, so hosts that share a store
 * need one each; without a seed each gets its own.
 */
export function seededEntropy(seed: string = `test${++unnamed}`): Entropy {
  if (!/^[\w.-]+$/.test(seed)) {
    throw new RangeError(`'${seed}' is no seed: it becomes a part of file names.`);
  }
  let count = 0;
  return {
    incarnation: () => `${seed}-${String(++count).padStart(6, '0')}`,
  };
}
