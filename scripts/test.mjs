// Test: the one test command. Brings what the tests need, builds dist when it is not of these
// sources, checks rooms and rules, and runs the tests. What follows `npm test --` goes to vitest
// (a path, `-t name`), and then rooms and rules are left out.
//
// The last line is the count. A skipped test, or none at all, fails the run like a failed one.

import { build, isBuilt } from './build.mjs';
import { countLine } from './lib/count.mjs';
import { runNode } from './lib/run.mjs';
import { runVitest } from './lib/vitest.mjs';
import { setup } from './setup.mjs';

/** Past it a run is killed: a test that never lets go would hold it for ever. */
const RUN_LIMIT_MS = 30 * 60_000;

/** @param {string[]} filters arguments for vitest */
async function runAll(filters) {
  if (!(await setup())) return failure();
  if (!isBuilt() && !buildAloud()) return failure();
  const checks = filters.length > 0 ? [] : ['rooms', 'rules'];
  const failedChecks = checks.filter((name) => !check(name)).length;
  const report = await runVitest({ filters, limitMs: RUN_LIMIT_MS });
  if (report.isLate) console.log(`The tests did not end within ${RUN_LIMIT_MS / 60_000} minutes.`);
  return { ...report, failed: report.failed + failedChecks };
}

function buildAloud() {
  console.log('build  dist is not of these sources');
  return build();
}

/** @param {string} name a script that checks the sources */
function check(name) {
  const { succeeded, stderr } = runNode([`scripts/${name}.mjs`]);
  console.log(succeeded ? `ok     ${name}` : `FAILED ${name}\n${stderr.trimEnd()}`);
  return succeeded;
}

/** What had to come before the tests failed: none ran. */
function failure() {
  return { passed: 0, failed: 1, skipped: 0 };
}

for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(130));

const count = await runAll(process.argv.slice(2));
if (count.passed + count.failed + count.skipped === 0) console.log('No test ran.');
const isGreen = count.passed > 0 && count.failed === 0 && count.skipped === 0;
process.exitCode = isGreen ? 0 : 1;
console.log(countLine(count));
