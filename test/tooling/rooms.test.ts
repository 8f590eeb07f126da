import { expect, it } from 'vitest';
import { checkRooms } from '../../scripts/lib/room-check.mjs';
import { purity, rooms } from '../../scripts/rooms.mjs';

/** The breaches of a repository that has only these files, as `file:line problem`. */
function breachesIn(files: Record<string, string>): string[] {
  return checkRooms({ files: new Map(Object.entries(files)), rooms, purity }).map(
    ({ file, line, problem }) => `${file}:${line} ${problem}`,
  );
}

it('[rooms] names file, line, import and what the room may import', () => {
  const text = "import { z } from 'zod';\n\nimport { openStore } from '../persistence/store.ts';\n";
  expect(breachesIn({ 'machines/task.ts': text })).toEqual([
    'machines/task.ts:3 imports persistence/store.ts; machines may import machines itself, xstate, zod',
  ]);
});

it.each([
  ['a static import', "import { step } from '../actors/step.ts';"],
  ['an import for its effect', "import '../actors/step.ts';"],
  ['a type', "import type { Step } from '../actors/step.ts';"],
  ['a type in place', "export type Step = import('../actors/step.ts').Step;"],
  ['an export from', "export { step } from '../actors/step.ts';"],
  ['an export of all', "export * from '../actors/step.ts';"],
  ['a dynamic import', "export const load = () => import('../actors/step.ts');"],
  [
    'a partly computed import',
    'export const load = (name: string) => import(`../actors/${name}`);',
  ],
  ['a URL beside the file', "export const url = new URL('../actors/step.ts', import.meta.url);"],
  [
    'a chosen URL',
    "export const u = new URL(c ? './a.ts' : '../actors/step.js', import.meta.url);",
  ],
  ['a resolved path', "export const path = import.meta.resolve('../actors/step.ts');"],
  ['a require', "export const { step } = require('../actors/step.ts');"],
])('[rooms] sees %s', (_name, text) => {
  const [breach, ...more] = breachesIn({ 'persistence/bad.ts': text });
  expect(breach).toContain('persistence/bad.ts:1 imports actors/');
  expect(more).toEqual([]);
});

it.each([
  ['persistence/bad.ts', "import 'pino';", 'imports pino'],
  ['actors/bad.ts', "import 'node:child_process';", 'imports node:child_process'],
  ['actors/bad.ts', "import 'better-sqlite3';", 'imports better-sqlite3'],
  ['adapters/bad.ts', "import '../actors/index.ts';", 'imports actors/index.ts'],
  ['inspector/bad.ts', "import '../hosts/control.ts';", 'imports hosts/control.ts'],
  ['hosts/bad.ts', "import('../test/kit/index.ts');", 'imports test/kit/index.ts'],
  ['hosts/cli/bad.ts', "import '../../test/kit/index.ts';", 'imports test/kit/index.ts'],
  ['hosts/cli/bad.ts', "import('../../test/core/a.ts');", 'imports test/core/a.ts'],
  ['examples/a/bad.ts', "import '../../hosts/embedded/open.ts';", 'imports hosts/embedded/open.ts'],
  ['test/kit/bad.ts', "import 'vitest';", 'imports vitest'],
  ['persistence/bad.ts', "import 'fs';", 'imports fs; write node:fs'],
  ['lib/bad.ts', 'export {};', 'lies in no room'],
  ['actors/bad.ts', 'export const = 1;', 'Unexpected'],
])('[rooms] refuses in %s: %s', (file, text, problem) => {
  expect(breachesIn({ [file]: text })).toEqual([expect.stringContaining(problem)]);
});

it('[rooms] lets each room import what its line names', () => {
  const files = {
    'machines/task.ts': "import { setup } from 'xstate';\nimport './other.ts';",
    'persistence/store.ts': "import Database from 'better-sqlite3';\nimport 'node:fs/promises';",
    'actors/loop.ts': "import '../persistence/index.ts';\nimport 'node:timers/promises';",
    'hosts/cli/main.ts': "await import('../../test/kit/index.ts');\nimport '../embedded/index.ts';",
    'examples/a/main.ts': "import '../../hosts/embedded/index.ts';\nimport './machine.ts';",
    'test/core/a.test.ts': "import 'vitest';\nimport '../../actors/loop.ts';",
    'vitest.config.ts': "import 'vitest/config';",
  };
  expect(breachesIn(files)).toEqual([]);
});

it('[rooms] keeps the step pure, also through what it imports', () => {
  const files = {
    'actors/step.ts': "import { loop } from './loop.ts';",
    'actors/loop.ts': "import { now } from './now.ts';",
    'actors/now.ts': "import { performance } from 'node:util';",
    'actors/step-types.ts': "import type { Loop } from './loop.ts';",
    'actors/step/clock.ts': "import type { Timer } from 'node:timers';",
  };
  expect(breachesIn(files)).toEqual([
    'actors/step.ts:1 must stay pure, and imports actors/loop.ts -> actors/now.ts -> node:util',
    'actors/step/clock.ts:1 must stay pure, and imports node:timers',
  ]);
});
