// Copy: the repository in a temporary folder, where a patch harms nobody. It has what git tracks
// or would track, and the same node_modules.

import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { root } from './files.mjs';

/**
 * @param {string} prefix  of the folder's name: who makes it
 * @returns {string} the copy's folder; it is removed when this process ends
 */
export function makeCopy(prefix) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), prefix)));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  for (const path of pathsOfRepository()) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    cpSync(join(root, path), join(folder, path));
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

/** Tracked files and new ones that are not ignored; what was deleted is left out. */
function pathsOfRepository() {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '-z'];
  const { status, stdout, stderr } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(`git ls-files: ${stderr.trim()}`);
  return stdout.split('\0').filter((path) => path !== '' && existsSync(join(root, path)));
}

/**
 * Runs something while a patch is in a copy.
 * @template T
 * @param {string} folder
 * @param {string} patch the patch's path
 * @param {() => T | Promise<T>} run
 * @param {(why: string) => T} refused  called instead when the patch does not apply
 * @returns {Promise<T>}
 */
export async function whilePatched(folder, patch, run, refused) {
  const refusal = applyPatch(folder, patch, { isReversed: false });
  if (refusal !== undefined) return refused(`does not apply: ${refusal}`);
  const result = await run();
  const stuck = applyPatch(folder, patch, { isReversed: true });
  if (stuck !== undefined) throw new Error(`${patch} cannot be taken back: ${stuck}`);
  return result;
}

/**
 * Applies a patch to a copy.
 * @param {string} folder
 * @param {string} patch the patch's path
 * @param {{ isReversed: boolean }} options
 * @returns {string | undefined} why it does not apply
 */
function applyPatch(folder, patch, { isReversed }) {
  const args = ['apply', ...(isReversed ? ['--reverse'] : []), patch];
  // Without the ceiling, git would look for a repository above the temporary folder.
  const env = { ...process.env, GIT_CEILING_DIRECTORIES: dirname(folder) };
  const { status, stderr } = spawnSync('git', args, { cwd: folder, env, encoding: 'utf8' });
  return status === 0 ? undefined : stderr.trim();
}
