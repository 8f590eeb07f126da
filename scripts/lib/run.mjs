// Run: a program in a child process, to its end.

import { spawnSync } from 'node:child_process';
import { root } from './files.mjs';

const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;

/**
 * @param {string[]} args
 * @param {string} [folder] where it runs; the repository when absent
 */
export function runNode(args, folder) {
  return runProgram(process.execPath, args, folder);
}

/**
 * @param {string} program
 * @param {string[]} args
 * @param {string} [folder]
 * @returns {{ succeeded: boolean, stdout: string, stderr: string }}
 */
export function runProgram(program, args, folder = root) {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: OUTPUT_BYTES_MAX,
  });
  return { succeeded: status === 0, stdout, stderr: error === undefined ? stderr : error.message };
}
