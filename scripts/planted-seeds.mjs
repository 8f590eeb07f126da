// Planted seeds: runs the simulation's own workload seed by seed, and prints one JSON line for each, until something is
// found. `node --import tsx scripts/planted-seeds.mjs 200`

import { simulate, workload } from '../test/kit/index.ts';

const seedsMax = Number(process.argv[2]);
for (let seed = 1; seed <= seedsMax; seed++) {
  const { findings, steps } = await simulate({ ...workload(), seed });
  console.log(JSON.stringify({ seed, steps, findings }));
  if (findings.length > 0) break;
}
