// Patches: what the commands share that try a folder of patches, each of which breaks the code on purpose.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './files.mjs';

/**
 * Reads every patch of a folder, in the order of their names.
 * @template T
 * @param {string} folder  a path from the root
 * @param {(file: string, text: string) => T} read
 * @returns {T[]}
 */
export function readPatches(folder, read) {
  const files = readdirSync(join(root, folder)).filter((file) => file.endsWith('.patch'));
  return files.sort().map((file) => read(file, readFileSync(join(root, folder, file), 'utf8')));
}

/**
 * @param {string} folder  a path from the root
 * @param {string} name    without `.patch`
 */
export function pathOfPatch(folder, name) {
  return join(root, folder, `${name}.patch`);
}

/**
 * Reads `--json`, one option that takes a number from 1, and which patches are wanted.
 * @param {string[]} args
 * @param {string} option
 * @param {number} usual  when it is not given
 */
export function readPatchArgs(args, option, usual) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { json: { type: 'boolean' }, [option]: { type: 'string', default: String(usual) } },
  });
  const number = Number(values[option]);
  if (!Number.isInteger(number) || number < 1) {
    throw new Error(`--${option} takes a whole number from 1`);
  }
  return { wanted: positionals, number, isJson: values['json'] === true };
}
