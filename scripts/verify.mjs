// Verify: every check in the order in which a mistake is cheapest to see. Stops at the first that
// fails.

import { spawnSync } from 'node:child_process';
import { root } from './lib/files.mjs';
import { runProgram } from './lib/run.mjs';

/** npm scripts, in this order. The tests show their progress; the rest is quiet while it is well. */
const steps = ['format:check', 'lint', 'types', 'rooms', 'rules', 'test'];

/**
 * @param {string} step
 * @returns {{ succeeded: boolean, output: string }}
 */
function run(step) {
  const args = ['run', '--silent', step];
  if (step === 'test') {
    const { status } = spawnSync('npm', args, { cwd: root, stdio: 'inherit' });
    return { succeeded: status === 0, output: '' };
  }
  const { succeeded, stdout, stderr } = runProgram('npm', args);
  return { succeeded, output: `${stdout}${stderr}`.trimEnd() };
}

/** @param {string} step */
function isGreen(step) {
  const startMs = performance.now();
  const { succeeded, output } = run(step);
  const time = `${((performance.now() - startMs) / 1_000).toFixed(1)} s`;
  if (!succeeded && output !== '') console.log(output);
  console.log(`${succeeded ? 'ok    ' : 'FAILED'} ${step.padEnd(12)} ${time}`);
  return succeeded;
}

process.exitCode = steps.every(isGreen) ? 0 : 1;
