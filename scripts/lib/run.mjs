// Run: a program in a child process, to its end.

import { spawnSync } from 'node:child_process';
import { root } from './files.mjs';

const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;

/** @typedef {{ limitMs?: number }} RunOptions  `limitMs`: past it, it is killed */

/**
 * @param {string[]} args
 * @param {string} [folder] where it runs; the repository when absent
 * @param {RunOptions} [options]
 */
export function runNode(args, folder, options) {
  return runProgram(process.execPath, args, folder, options);
}

/**
 * @param {string} program
 * @param {string[]} args
 * @param {string} [folder]
 * @param {RunOptions} [options]
 * @returns {{ succeeded: boolean, stdout: string, stderr: string }}
 */
export function runProgram(program, args, folder = root, { limitMs } = {}) {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: OUTPUT_BYTES_MAX,
    killSignal: 'SIGKILL',
    ...(limitMs === undefined ? {} : { timeout: limitMs }),
  });
  return { succeeded: status === 0, stdout, stderr: error === undefined ? stderr : error.message };
}
