// Rooms: what each folder may import. `npm run rooms` reads every import of every source file and
// names each one that its room does not allow. This table is the only place where that is decided.

import { isMain, readAll, sourceFiles } from './lib/files.mjs';
import { checkRooms } from './lib/room-check.mjs';

/** @type {import('./lib/room-check.mjs').Room[]} */
export const rooms = [
  { folder: 'machines', rooms: [], packages: ['xstate', 'zod'] },
  { folder: 'persistence', rooms: [], packages: ['better-sqlite3', 'zod', 'node:*'] },
  {
    folder: 'actors',
    rooms: ['persistence'],
    packages: [
      'xstate',
      'zod',
      'piscina',
      'pino',
      'node:async_hooks',
      'node:crypto',
      'node:events',
      'node:module',
      'node:fs',
      'node:path',
      'node:timers',
      'node:url',
      'node:util',
      'node:worker_threads',
    ],
  },
  { folder: 'adapters', rooms: ['machines'], packages: ['zod', 'node:*'] },
  {
    folder: 'hosts',
    rooms: ['machines', 'persistence', 'actors', 'adapters', 'inspector', 'package.json'],
    packages: ['xstate', 'zod', 'commander', 'pino', 'node:*'],
  },
  {
    folder: 'hosts/cli',
    rooms: ['hosts', 'machines', 'persistence', 'actors', 'adapters', 'inspector', 'package.json'],
    lazyRooms: ['test/kit'],
    packages: ['xstate', 'zod', 'commander', 'pino', 'node:*'],
  },
  {
    folder: 'inspector',
    rooms: ['persistence', 'actors'],
    packages: ['xstate', '@xstate/store', '@statelyai/inspect', 'zod', 'node:*'],
  },
  {
    folder: 'examples',
    rooms: ['hosts/embedded/index.ts', 'machines/index.ts', 'adapters/index.ts'],
    packages: ['xstate', 'zod', 'node:*'],
  },
  // The kit is shipped, so it must do with the packages of a plain install.
  {
    folder: 'test/kit',
    rooms: ['machines', 'persistence', 'actors', 'adapters', 'hosts', 'inspector'],
    packages: ['better-sqlite3', 'commander', 'pino', 'piscina', 'xstate', 'zod', 'node:*'],
  },
  { folder: 'test', rooms: ['*'], packages: ['*'] },
  { folder: 'bench', rooms: ['*'], packages: ['*'] },
  { folder: 'scripts', rooms: ['*'], packages: ['*'] },
];

/**
 * Files that decide alike everywhere (K1): whose path starts so neither imports these packages nor
 * reaches, through what it imports at run time, a file that does.
 * @type {import('./lib/room-check.mjs').Purity}
 */
export const purity = {
  paths: ['machines/', 'actors/step'],
  without: ['node:*', 'better-sqlite3', 'piscina', 'pino', 'commander'],
};

/** @returns {boolean} whether every import is allowed */
function main() {
  const files = readAll(sourceFiles());
  const breaches = checkRooms({ files, rooms, purity });
  for (const breach of breaches) {
    console.error(`${breach.file}:${breach.line}  ${breach.problem}`);
  }
  if (breaches.length === 0) console.log(`rooms: ${files.size} files import only what they may`);
  return breaches.length === 0;
}

if (isMain(import.meta.url)) process.exitCode = main() ? 0 : 1;
