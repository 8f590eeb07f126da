// Patches: what the commands share that try a folder of patches, each of which breaks the code on purpose.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { isMain, root } from './files.mjs';

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
    throw new Error(`--${option} takes a number from 1`);
  }
  return { wanted: positionals, number, isJson: values['json'] === true };
}

/**
 * Runs a script's command, when it was started itself: exit 0 when it returns true, 1 when not or when it throws.
 * A signal ends it at once, with what it has begun.
 * @param {string} url  the script's `import.meta.url`
 * @param {(args: string[]) => Promise<boolean>} command
 */
export async function runCommand(url, command) {
  if (!isMain(url)) return;
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(130));
  try {
    process.exitCode = (await command(process.argv.slice(2))) ? 0 : 1;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
