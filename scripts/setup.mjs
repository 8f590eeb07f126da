// Setup: what the tests need of the system. Says what is missing and brings it (by apt-get, as
// root); where it may not, it fails at once with the line to type.

import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { isMain, readAll } from './lib/files.mjs';

/**
 * @typedef {object} Need
 * @property {string} name
 * @property {string} purpose       what the tests do with it
 * @property {() => boolean | Promise<boolean>} isThere
 * @property {string[]} [packages]  Debian packages that bring it
 * @property {string} [remedy]      what to do when no package brings it
 */

/** @type {Need[]} */
const needsOfTests = [
  {
    name: `Node.js ${leastNodeVersion().join('.')} or later`,
    purpose: 'everything',
    isThere: isNodeNewEnough,
    remedy: `install a newer Node.js; this one is ${process.versions.node}`,
  },
  {
    name: 'better-sqlite3, compiled for this Node.js',
    purpose: 'the store',
    isThere: canOpenDatabase,
    remedy: 'type: apt-get install -y g++ make python3 && npm rebuild better-sqlite3',
  },
  {
    name: 'strace',
    purpose: 'system calls that fail under a living host (V7, V8)',
    isThere: () => isOnPath('strace'),
    packages: ['strace'],
  },
  {
    name: 'sqlite3',
    purpose: 'a backup by another program (E23)',
    isThere: () => isOnPath('sqlite3'),
    packages: ['sqlite3'],
  },
];

/**
 * Brings what is missing.
 * @param {Need[]} [needs]
 * @returns {Promise<boolean>} whether the tests have all they need
 */
export async function setup(needs = needsOfTests) {
  const missing = [];
  for (const need of needs) if (!(await need.isThere())) missing.push(need);
  for (const need of missing) console.log(`setup: missing ${need.name} (for ${need.purpose})`);
  const beyondUs = missing.filter((need) => need.packages === undefined);
  for (const { name, remedy } of beyondUs) console.error(`setup: for ${name}: ${remedy}`);
  if (beyondUs.length > 0) return false;
  const packages = missing.flatMap((need) => need.packages ?? []);
  return packages.length === 0 || install(packages);
}

/** @param {string[]} packages */
function install(packages) {
  const command = `apt-get install -y --no-install-recommends ${packages.join(' ')}`;
  if (process.getuid?.() !== 0 || !isOnPath('apt-get')) {
    console.error(`setup: type: sudo ${command}`);
    return false;
  }
  console.log(`setup: installs ${packages.join(', ')} with apt-get, as root`);
  const script = `${command} || { apt-get update && ${command}; }`;
  const { status } = spawnSync('sh', ['-c', script], { stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) console.error(`setup: that failed; type: ${command}`);
  return status === 0;
}

/**
 * For a need that a program on the PATH meets.
 * @param {string} program
 */
export function isOnPath(program) {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.some((folder) => isExecutable(join(folder, program)));
}

/** @param {string} path */
function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false; // not there, or not for us
  }
}

/** @returns {number[]} from package.json's `engines` */
function leastNodeVersion() {
  const text = readAll(['package.json']).get('package.json') ?? '{}';
  const range = String(JSON.parse(text).engines.node);
  return range.replace('>=', '').split('.').map(Number);
}

function isNodeNewEnough() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const [leastMajor = 0, leastMinor = 0] = leastNodeVersion();
  return major > leastMajor || (major === leastMajor && minor >= leastMinor);
}

async function canOpenDatabase() {
  try {
    const { default: Database } = await import('better-sqlite3');
    new Database(':memory:').close();
    return true;
  } catch {
    return false; // not installed, or compiled for another Node.js
  }
}

if (isMain(import.meta.url)) process.exitCode = (await setup()) ? 0 : 1;
