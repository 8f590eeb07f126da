// Planted: shows that the simulation finds what is wrong. Each patch of test/planted plants one fault into a copy of the
// repository, and the simulation is run there seed by seed until a check finds something.
//
// `npm run planted`              all of them
// `npm run planted -- 03 07`     these
// `--json` prints [{name, plants, verdict, by, detail, seeds, steps}], `--seeds 500` looks further.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { makeCopy, whilePatched } from './lib/copy.mjs';
import { isMain, root } from './lib/files.mjs';
import { judgeSearch, judgeTests, lineOf, readPlanted, readSearch } from './lib/planted.mjs';
import { runNode } from './lib/run.mjs';
import { runVitest } from './lib/vitest.mjs';

/** @typedef {import('./lib/planted.mjs').Planted} Planted */
/** @typedef {import('./lib/planted.mjs').Result} Result */

/** Seeds after which a fault counts as missed. */
const SEEDS_MAX = '200';

/** Seeds in which nothing may be found without any fault. */
const SEEDS_CLEAN = 10;

/** Past it a search, or a test run, on planted code is killed. */
const RUN_LIMIT_MS = 900_000;
const patches = join(root, 'test/planted');

/** @returns {Planted[]} */
export function readAllPlanted() {
  const files = readdirSync(patches).filter((file) => file.endsWith('.patch'));
  return files.sort().map((file) => readPlanted(file, readFileSync(join(patches, file), 'utf8')));
}

/**
 * @param {string} folder
 * @param {number} seedsMax
 */
function search(folder, seedsMax) {
  const args = ['--import', 'tsx', 'scripts/planted-seeds.mjs', String(seedsMax)];
  const { succeeded, stdout, stderr } = runNode(args, folder, { limitMs: RUN_LIMIT_MS });
  return readSearch(stdout, succeeded ? undefined : stderr.trim());
}

/** @param {string} folder */
function requireClean(folder) {
  const { findings, error, seeds } = search(folder, SEEDS_CLEAN);
  const [first] = findings;
  const why = first === undefined ? error : `${first.check}: ${first.message}`;
  if (why !== undefined) throw new Error(`seed ${seeds} is not clean without any fault: ${why}`);
}

/**
 * @param {string} folder
 * @param {Planted} planted
 * @param {number} seedsMax
 * @returns {Promise<Result>}
 */
async function attempt(folder, planted, seedsMax) {
  const result = judgeSearch(planted, search(folder, seedsMax));
  if (result.verdict !== 'missed' || planted.tests.length === 0) return result;
  const options = { filters: planted.tests, folder, isQuiet: true, limitMs: RUN_LIMIT_MS };
  return judgeTests(result, await runVitest(options));
}

/**
 * @param {Planted[]} all
 * @param {{ seedsMax: number, isJson: boolean }} options
 */
async function tryAll(all, { seedsMax, isJson }) {
  const folder = makeCopy();
  requireClean(folder);
  /** @type {Result[]} */
  const results = [];
  for (const planted of all) {
    const patch = join(patches, `${planted.name}.patch`);
    const run = () => attempt(folder, planted, seedsMax);
    /** @param {string} error */
    const refused = (error) => judgeSearch(planted, { seeds: 0, steps: 0, findings: [], error });
    const result = await whilePatched(folder, patch, run, refused);
    results.push(result);
    if (!isJson) console.log(lineOf(result, results.length, all.length));
  }
  return results;
}

/** @param {string[]} args */
function readArgs(args) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { json: { type: 'boolean' }, seeds: { type: 'string', default: SEEDS_MAX } },
  });
  const seedsMax = Number(values.seeds);
  if (!Number.isInteger(seedsMax) || seedsMax < 1) throw new Error('--seeds takes a number from 1');
  return { wanted: positionals, seedsMax, isJson: values.json === true };
}

/** @param {string[]} args */
async function main(args) {
  const { wanted, ...options } = readArgs(args);
  const all = readAllPlanted().filter(
    ({ name }) => wanted.length === 0 || wanted.some((each) => name.startsWith(each)),
  );
  if (all.length === 0) throw new Error(`there is no planted fault ${wanted.join(', ')}`);
  const results = await tryAll(all, options);
  const found = results.filter(({ verdict }) => verdict === 'found').length;
  if (options.isJson) console.log(JSON.stringify(results, undefined, 2));
  else console.log(`${found} of ${results.length} found`);
  return found === results.length;
}

if (isMain(import.meta.url)) {
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(130));
  try {
    process.exitCode = (await main(process.argv.slice(2))) ? 0 : 1;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
