// Mutations: shows that the tests of a rule turn red when the rule is broken. Each patch of
// test/mutations is applied to a copy of the repository, and the tests that it names are run there.
//
// `npm run mutations`            all of them
// `npm run mutations -- K2 T1`   those of these rules
// `--json` prints [{rule, name, verdict, detail}], `--jobs 2` tries two at a time.

import { runCommand } from './lib/command.mjs';
import { makeCopy, whilePatched } from './lib/copy.mjs';
import { judge, namePattern, readMutation, unguardedRules } from './lib/mutation.mjs';
import { placeOf } from './lib/patch.mjs';
import { pathOfPatch, readPatchArgs, readPatches } from './lib/patches.mjs';
import { runNode } from './lib/run.mjs';
import { runVitest } from './lib/vitest.mjs';
import { readRules } from './rules.mjs';

/** @typedef {import('./lib/mutation.mjs').Mutation} Mutation */
/** @typedef {import('./lib/mutation.mjs').Judgement} Judgement */
/** @typedef {Judgement & { rule: string, name: string }} Result */

/** Past it a test run on mutated code is killed. */
const RUN_LIMIT_MS = 180_000;
const patches = 'test/mutations';

const HELP = `npm run mutations -- [<rule> …] [--jobs <count>] [--json]
  <rule>  of SPEC.md, as K2; default: all that have a patch in ${patches}
  --jobs  how many are tried at a time; default 1
  --json  print [{ rule, name, verdict, detail }]
It ends with 0 when a test of its rule turned red for each.`;

/**
 * @param {Mutation[]} mutations
 * @param {number} jobs
 * @param {(result: Result) => void} report
 */
async function tryAll(mutations, jobs, report) {
  const queue = [...mutations];
  const needsBuild = mutations.some((mutation) => mutation.needsBuild);
  const copies = Array.from({ length: Math.min(jobs, mutations.length) }, () =>
    makeCopy('troupe-mutations-'),
  );
  for (const folder of copies) if (needsBuild) requireBuilt(folder);
  for (const folder of copies.slice(0, 1)) await requireGreen(folder, mutations);
  await Promise.all(copies.map((folder) => work(folder, queue, report)));
}

/**
 * Tries mutations one after the other in one copy.
 * @param {string} folder
 * @param {Mutation[]} queue  shared with the other copies
 * @param {(result: Result) => void} report
 */
async function work(folder, queue, report) {
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    report({ rule: next.rule, name: next.name, ...(await attempt(folder, next)) });
  }
}

/**
 * @param {string} folder
 * @param {Mutation} mutation
 * @returns {Promise<Judgement>}
 */
async function attempt(folder, mutation) {
  const patch = pathOfPatch(patches, mutation.name);
  /** @returns {Promise<Judgement>} */
  const run = () => judgeCopy(folder, mutation);
  const judgement = await whilePatched(folder, patch, run, brokenBy);
  if (mutation.needsBuild) requireBuilt(folder);
  return judgement;
}

/**
 * @param {string} detail
 * @returns {Judgement}
 */
function brokenBy(detail) {
  return { verdict: 'broken', detail };
}

/**
 * @param {string} folder a copy with the mutation in it
 * @param {Mutation} mutation
 * @returns {Promise<Judgement>}
 */
async function judgeCopy(folder, mutation) {
  if (mutation.needsBuild) {
    const { succeeded, stderr } = runNode(['scripts/build.mjs'], folder);
    if (!succeeded) return { verdict: 'broken', detail: `does not compile: ${stderr}` };
  }
  return judge(mutation, await runTests(folder, mutation.tests, [mutation.rule]));
}

/** @param {string} folder */
function requireBuilt(folder) {
  const { succeeded, stderr } = runNode(['scripts/build.mjs'], folder);
  if (!succeeded) throw new Error(`the code does not compile without any mutation:\n${stderr}`);
}

/**
 * A test that is red already proves nothing about a mutation.
 * @param {string} folder
 * @param {Mutation[]} mutations
 */
async function requireGreen(folder, mutations) {
  const tests = [...new Set(mutations.flatMap((mutation) => mutation.tests))];
  const report = await runTests(folder, tests, [...new Set(mutations.map(({ rule }) => rule))]);
  if (report.failed > 0) throw new Error(`the tests fail without any mutation:\n${report.output}`);
}

/**
 * @param {string} folder
 * @param {string[]} tests
 * @param {string[]} rules
 */
function runTests(folder, tests, rules) {
  const filters = [...tests, '-t', namePattern(rules)];
  return runVitest({ filters, folder, isQuiet: true, limitMs: RUN_LIMIT_MS });
}

/**
 * @param {Result} result
 * @param {number} done
 * @param {number} total
 */
function lineOf({ rule, name, verdict, detail }, done, total) {
  const said = verdict === 'killed' ? 'killed by' : verdict.toUpperCase();
  return `${placeOf(done, total)} ${rule.padEnd(4)} ${name}  ${said} ${detail}`.trimEnd();
}

/**
 * @param {Mutation[]} mutations
 * @param {{ jobs: number, isJson: boolean }} options
 */
async function tryAndPrint(mutations, { jobs, isJson }) {
  /** @type {Result[]} */
  const results = [];
  await tryAll(mutations, jobs, (result) => {
    results.push(result);
    if (!isJson) console.log(lineOf(result, results.length, mutations.length));
  });
  if (isJson) console.log(JSON.stringify(results, undefined, 2));
  return results;
}

/** @param {string[]} args */
async function main(args) {
  const { wanted, number: jobs, isJson } = readPatchArgs(args, 'jobs', 1);
  const all = readPatches(patches, readMutation);
  const mutations = all.filter(({ rule }) => wanted.length === 0 || wanted.includes(rule));
  const results = await tryAndPrint(mutations, { jobs, isJson });
  const unguarded = wanted.length > 0 ? [] : unguardedRules(readRules().rules, all);
  const unknown = wanted.filter((rule) => !all.some((mutation) => mutation.rule === rule));
  for (const rule of unguarded) console.error(`${rule} is built, and no mutation breaks it`);
  for (const rule of unknown) console.error(`there is no mutation of ${rule}`);
  const isGreen = results.every(({ verdict }) => verdict === 'killed');
  return isGreen && unguarded.length + unknown.length === 0;
}

await runCommand(import.meta.url, HELP, main);
