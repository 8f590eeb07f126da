// Soak: measures senders beside a busy host (V5), then tries seed after seed of the simulation for as long as it is told, in
// memory and on SQLite's files side by side. Each ends at its first finding, with the line that repeats it.
// `npm run soak -- --minutes 60`

import { parseArgs } from 'node:util';
import { buildStale } from './build.mjs';
import { Children } from './lib/children.mjs';
import { runCommand } from './lib/command.mjs';

const MINUTES = 30;

/** Seeds of one run of this command do not meet those of another. */
const SEEDS_MAX = 1_000_000_000;

const HELP = `npm run soak -- [--minutes <count>] [--seed <number>]
  --minutes  how long seeds are tried, in memory and in files side by side; default ${MINUTES}
  --seed     the first one; default: any
It ends with 1 when something was found, after the line that repeats it. Interrupted, it says what it came to.`;

/** @param {string[]} args */
function read(args) {
  const { values } = parseArgs({
    args,
    options: { minutes: { type: 'string', default: String(MINUTES) }, seed: { type: 'string' } },
  });
  return { ...values, seed: values.seed ?? String(Math.floor(Math.random() * SEEDS_MAX)) };
}

/**
 * @param {string[]} args
 * @param {AbortSignal} interruption
 */
async function main(args, interruption) {
  const { minutes, seed } = read(args);
  if (!buildStale()) return false;
  const children = new Children(interruption);
  // Alone, because it measures.
  const isFair = await children.run('senders', ['dist/bench/senders.js']);
  console.log(`soak: ${minutes} minutes, from seed ${seed}, in memory and in files`);
  const simulate = ['dist/hosts/cli/main.js', 'simulate', '--seed', seed, '--minutes', minutes];
  const results = await Promise.all([
    children.run('memory', simulate),
    children.run('files', [...simulate, '--files']),
  ]);
  return isFair && results.every(Boolean);
}

await runCommand(import.meta.url, HELP, main, { waits: true });
