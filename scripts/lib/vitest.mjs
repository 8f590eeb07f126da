// Vitest: one run of it, and what it found.

import { spawn } from 'node:child_process';
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isatty } from 'node:tty';
import { root } from './files.mjs';

/** @typedef {import('./count.mjs').Report} Report */
/** @typedef {Report & { output: string, isLate: boolean }} Run */
/**
 * @typedef {object} Options
 * @property {string[]} filters  arguments for vitest: paths, `-t`
 * @property {string} [folder]   the repository or a copy of it
 * @property {boolean} [isQuiet] whether its output is kept instead of shown
 * @property {number} [limitMs]  past it, the run is killed
 */

/**
 * @param {Options} options
 * @returns {Promise<Run>} with one failure when vitest ended without a report
 */
export async function runVitest(options) {
  const place = mkdtempSync(join(tmpdir(), 'troupe-test-'));
  const report = join(place, 'report.json');
  const output = join(place, 'output.txt');
  const tidy = () => rmSync(place, { recursive: true, force: true });
  process.once('exit', tidy);
  try {
    const isLate = await run(options, report, options.isQuiet ? openSync(output, 'w') : 1);
    return {
      ...readReport(report),
      isLate,
      output: options.isQuiet ? readFileSync(output, 'utf8') : '',
    };
  } finally {
    process.off('exit', tidy);
    tidy();
  }
}

/**
 * Runs it in a process group of its own, which ends with it or with us.
 * @param {Options} options
 * @param {string} report  where the reporter writes
 * @param {number} output  a descriptor for both streams, so that failures stand where they belong
 * @returns {Promise<boolean>} whether it was killed at its limit
 */
function run({ filters, folder = root, limitMs }, report, output) {
  const program = join(folder, 'node_modules/vitest/vitest.mjs');
  const child = spawn(process.execPath, [program, 'run', ...filters], {
    cwd: folder,
    detached: true,
    env: { ...process.env, ...colours(output), TROUPE_TEST_REPORT: report },
    stdio: ['ignore', output, output],
  });
  let isLate = false;
  const endGroup = () => killGroup(child.pid);
  const atLimit = () => {
    isLate = true;
    endGroup();
  };
  process.once('exit', endGroup);
  const timer = limitMs === undefined ? undefined : setTimeout(atLimit, limitMs);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', () => {
      clearTimeout(timer);
      process.off('exit', endGroup);
      endGroup();
      resolve(isLate);
    });
  });
}

/**
 * Vitest colours what goes into a file, too, unless told not to.
 * @param {number} output
 */
function colours(output) {
  const isDecided = 'NO_COLOR' in process.env || 'FORCE_COLOR' in process.env;
  return isDecided || isatty(output) ? {} : { NO_COLOR: '1' };
}

/** @param {number | undefined} pid */
function killGroup(pid) {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // ESRCH: nothing is left of the group
  }
}

/**
 * @param {string} path
 * @returns {Report}
 */
function readReport(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    // Vitest ended before it had a report: it says why on its own output.
    return { passed: 0, failed: 1, skipped: 0, failures: [], brokenFiles: [] };
  }
}
