// Files: where the repository is and which source files it has.

import { readdirSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository's root folder. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

const skippedFolders = new Set(['node_modules', 'dist', 'coverage']);
const sourceName = /\.(ts|tsx|mts|mjs|js)$/;

/**
 * Every source file below a folder, by its path from the root, sorted. Folders whose name starts
 * with a dot are left out.
 * @param {string} [folder] a path from the root; the root itself when absent
 * @returns {string[]}
 */
export function sourceFiles(folder = '') {
  return filesBelow(folder).filter((path) => sourceName.test(path));
}

/**
 * @param {string[]} paths
 * @returns {Map<string, string>} path to text
 */
export function readAll(paths) {
  return new Map(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]));
}

/**
 * @param {string} folder
 * @returns {string[]}
 */
export function filesBelow(folder) {
  const entries = readdirSync(join(root, folder), { withFileTypes: true });
  return entries.flatMap((entry) => pathsOf(folder, entry)).sort();
}

/**
 * @param {string} folder
 * @param {import('node:fs').Dirent} entry
 */
function pathsOf(folder, entry) {
  const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
  if (!entry.isDirectory()) return [path];
  return skippedFolders.has(entry.name) || entry.name.startsWith('.') ? [] : filesBelow(path);
}

/**
 * Whether a script was started itself, rather than imported.
 * @param {string} url the script's `import.meta.url`
 */
export function isMain(url) {
  return process.argv[1] !== undefined && fileURLToPath(url) === realpathSync(process.argv[1]);
}
