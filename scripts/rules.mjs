// Rules: which tests show which rule of SPEC.md. Fails for a built rule without a test and for a
// test that names a rule that is not there. `--json` prints [{id, state, tests}].

import { isMain, readAll, sourceFiles } from './lib/files.mjs';
import { checkRules } from './lib/rule-check.mjs';

/** Reads SPEC.md and the tests of this repository. */
export function readRules() {
  const spec = readAll(['SPEC.md']).get('SPEC.md') ?? '';
  const tests = sourceFiles('test').filter((path) => path.endsWith('.ts'));
  return checkRules({ spec, files: readAll(tests) });
}

/** @param {import('./lib/rule-check.mjs').Rule[]} rules */
function printTable(rules) {
  for (const { id, state, tests } of rules) {
    console.log(`${id.padEnd(5)} ${state.padEnd(8)} ${String(tests.length).padStart(4)} tests`);
  }
  const built = rules.filter((rule) => rule.state === 'built').length;
  console.log(`rules: ${built} of ${rules.length} are built`);
}

/** @param {string[]} options */
function main(options) {
  const { rules, problems } = readRules();
  if (options.includes('--json')) console.log(JSON.stringify(rules, undefined, 2));
  else printTable(rules);
  for (const problem of problems) console.error(problem);
  return problems.length === 0;
}

if (isMain(import.meta.url)) process.exitCode = main(process.argv.slice(2)) ? 0 : 1;
