// Build: dist from scratch, as plain unbundled modules. `dist/.built` keeps the digest of the
// sources, so that the test command knows whether dist is theirs.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMain, readAll, root, sourceFiles } from './lib/files.mjs';

const settings = ['package.json', 'tsconfig.json', 'tsconfig.build.json'];

/** @returns {boolean} whether it compiled; the compiler's complaints go to stderr */
export function build() {
  const dist = join(root, 'dist');
  rmSync(dist, { recursive: true, force: true });
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const { status } = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.build.json'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) return false;
  makeExecutable(join(dist, 'hosts/cli/main.js'));
  writeFileSync(join(dist, '.built'), digestOfSources());
  return true;
}

/** Whether dist was built from the sources as they are. */
export function isBuilt() {
  const stamp = join(root, 'dist/.built');
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === digestOfSources();
}

/** @param {string} path */
function makeExecutable(path) {
  if (existsSync(path)) chmodSync(path, 0o755);
}

function digestOfSources() {
  const hash = createHash('sha256');
  const files = readAll([...settings, ...sourceFiles().filter(isCompiled)]);
  for (const [path, text] of files) hash.update(`${path}\0${text}\0`);
  return hash.digest('hex');
}

/** @param {string} path */
function isCompiled(path) {
  const isTestOnly = path.startsWith('test/') && !path.startsWith('test/kit/');
  return path.includes('/') && !path.startsWith('scripts/') && !isTestOnly;
}

if (isMain(import.meta.url)) process.exitCode = build() ? 0 : 1;
