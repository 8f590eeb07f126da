// Soak: measures senders beside a busy host (V5), then tries seed after seed of the simulation for as long as it is told, in
// memory and on SQLite's files side by side. It ends at the first finding, with the line that repeats it.
// `npm run soak -- --minutes 60`

import { spawn } from 'node:child_process';
import { parseArgs } from 'node:util';
import { buildStale } from './build.mjs';
import { isMain } from './lib/files.mjs';

const MINUTES = 30;

/** Seeds of one run of this command do not meet those of another. */
const SEEDS_MAX = 1_000_000_000;

/**
 * @param {string[]} args of `troupe simulate`
 * @returns {Promise<boolean>} whether nothing was found
 */
function simulate(args) {
  return run(['dist/hosts/cli/main.js', 'simulate', ...args]);
}

/**
 * @param {string[]} command of Node
 * @returns {Promise<boolean>} whether it succeeded
 */
function run(command) {
  const child = spawn(process.execPath, command, { stdio: ['ignore', 'inherit', 'inherit'] });
  return new Promise((resolve) => {
    child.once('exit', (code) => resolve(code === 0));
  });
}

/** @param {string[]} args */
async function main(args) {
  const { values } = parseArgs({
    args,
    options: { minutes: { type: 'string', default: String(MINUTES) }, seed: { type: 'string' } },
  });
  if (!buildStale()) return false;
  // Alone, because it measures.
  const isFair = await run(['dist/bench/senders.js']);
  const seed = Number(values.seed ?? Math.floor(Math.random() * SEEDS_MAX));
  console.log(`soak: ${values.minutes} minutes, from seed ${seed}, in memory and in files`);
  const shared = ['--seed', String(seed), '--minutes', values.minutes];
  const results = await Promise.all([simulate(shared), simulate([...shared, '--files'])]);
  return isFair && results.every(Boolean);
}

if (isMain(import.meta.url)) process.exitCode = (await main(process.argv.slice(2))) ? 0 : 1;
