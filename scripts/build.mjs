// Build: dist from scratch, as plain unbundled modules. `dist/.built` keeps the digest of the
// sources, so that the test command knows whether dist is theirs.
//
// `--stale` leaves a dist that is of these sources alone. `prepare` asks for that, because npm also
// runs it for the first `npx troupe` in a folder: a host that runs from dist must keep its modules.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { isMain, readAll, root, sourceFiles } from './lib/files.mjs';

const settings = ['package.json', 'tsconfig.json', 'tsconfig.build.json'];

/** @returns {boolean} whether it compiled; the compiler's complaints go to stderr */
export function build() {
  const dist = join(root, 'dist');
  const fresh = mkdtempSync(join(root, '.dist-'));
  try {
    if (!compile(fresh)) return false;
    makeExecutable(join(fresh, 'hosts/cli/main.js'));
    writeFileSync(join(fresh, '.built'), digestOfSources());
    rmSync(dist, { recursive: true, force: true });
    renameSync(fresh, dist);
    chmodSync(dist, 0o755);
    return true;
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/** @param {string} folder */
function compile(folder) {
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const args = [compiler, '-p', 'tsconfig.build.json', '--outDir', folder];
  return spawnSync(process.execPath, args, { cwd: root, stdio: ['ignore', 2, 2] }).status === 0;
}

/** Whether dist was built from the sources as they are. */
export function isBuilt() {
  const stamp = join(root, 'dist/.built');
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === digestOfSources();
}

/** Builds dist when it is not of the sources as they are. @returns {boolean} whether it is then */
export function buildStale() {
  return isBuilt() || build();
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

if (isMain(import.meta.url)) {
  const run = process.argv.includes('--stale') ? buildStale : build;
  process.exitCode = run() ? 0 : 1;
}
