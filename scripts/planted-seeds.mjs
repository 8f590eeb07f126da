// Planted seeds: runs the simulation's own workload seed by seed, and prints one JSON line for each, until something is
// found. `node --import tsx scripts/planted-seeds.mjs 1 200`

import { simulate, workload } from '../test/kit/index.ts';

const [from = 1, to = from] = process.argv.slice(2).map(Number);
for (let seed = from; seed <= to; seed++) {
  const { findings, steps, isAtRest, notes } = await simulate({ ...workload(), seed });
  // The machines of the workload do rest: where they do not, it is the engine.
  const unrest = isAtRest ? [] : [{ check: 'rest', rule: 'V1', message: notes.join(' ') }];
  const found = [...findings, ...unrest];
  console.log(JSON.stringify({ seed, steps, findings: found }));
  if (found.length > 0) break;
}
