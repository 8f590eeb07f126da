// Planted: shows that the simulation finds what is wrong. Each patch of test/planted plants one fault into a copy of the
// repository, and the simulation is run there seed by seed until a check finds something. That seed must find nothing
// without the fault.
//
// `npm run planted`              all of them
// `npm run planted -- 03 07`     these
// `--json` prints [{name, plants, verdict, by, detail, seeds, steps}], `--seeds 500` looks further.

import { runCommand } from './lib/command.mjs';
import { makeCopy, whilePatched } from './lib/copy.mjs';
import { pathOfPatch, readPatchArgs, readPatches } from './lib/patches.mjs';
import { judgeSearch, lineOf, readPlanted, readSearch, selectPlanted } from './lib/planted.mjs';
import { runNode } from './lib/run.mjs';

/** @typedef {import('./lib/planted.mjs').Planted} Planted */
/** @typedef {import('./lib/planted.mjs').Result} Result */
/** @typedef {import('./lib/planted.mjs').Search} Search */

/** Seeds after which a fault counts as missed. */
const SEEDS_MAX = 200;

/** Past it a search on planted code is killed. */
const RUN_LIMIT_MS = 900_000;
const patches = 'test/planted';

const HELP = `npm run planted -- [<number> …] [--seeds <count>] [--json]
  <number>  of a patch in ${patches}, as 3; default: all of them
  --seeds   seeds after which a fault counts as missed; default ${SEEDS_MAX}
  --json    print [{ name, plants, verdict, by, detail, seeds, steps }]
It ends with 0 when every fault was found by a check of the simulation.`;

/**
 * @param {string} folder
 * @param {number} from  a seed
 * @param {number} to    a seed
 * @returns {Search}
 */
function search(folder, from, to) {
  const args = ['--import', 'tsx', 'scripts/planted-seeds.mjs', String(from), String(to)];
  const { succeeded, stdout, stderr } = runNode(args, folder, { limitMs: RUN_LIMIT_MS });
  return readSearch(stdout, succeeded ? undefined : stderr.trim());
}

/**
 * @param {string} folder
 * @param {Planted} planted
 * @param {number} seedsMax
 * @returns {Promise<Result>}
 */
async function attempt(folder, planted, seedsMax) {
  const run = () => search(folder, 1, seedsMax);
  /** @param {string} error */
  const refused = (error) => ({ seeds: 0, steps: 0, findings: [], error });
  const found = await whilePatched(folder, pathOfPatch(patches, planted.name), run, refused);
  if (found.findings.length === 0) return judgeSearch(planted, found);
  return judgeSearch(planted, found, search(folder, found.seeds, found.seeds));
}

/**
 * @param {Planted[]} all
 * @param {{ number: number, isJson: boolean }} options  `number`: seeds at most
 */
async function tryAll(all, { number: seedsMax, isJson }) {
  const folder = makeCopy('troupe-planted-');
  /** @type {Result[]} */
  const results = [];
  for (const planted of all) {
    const result = await attempt(folder, planted, seedsMax);
    results.push(result);
    if (!isJson) console.log(lineOf(result, results.length, all.length));
  }
  return results;
}

/** @param {string[]} args */
async function main(args) {
  const { wanted, ...options } = readPatchArgs(args, 'seeds', SEEDS_MAX);
  const all = selectPlanted(readPatches(patches, readPlanted), wanted);
  const results = await tryAll(all, options);
  const found = results.filter(({ verdict }) => verdict === 'found').length;
  if (options.isJson) console.log(JSON.stringify(results, undefined, 2));
  else console.log(`${found} of ${results.length} found`);
  return found === results.length;
}

await runCommand(import.meta.url, HELP, main);
