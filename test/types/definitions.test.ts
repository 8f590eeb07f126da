// Runs the compiler over definitions.ts: each expectation there must be met by an error, and nothing else be wrong.

import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

it('[C6] a call that does not fit the machine’s actor of its name does not compile', () => {
  const output = execFileSync('npx', ['tsc', '--noEmit', '-p', 'test/types/tsconfig.json'], {
    cwd: root,
    encoding: 'utf8',
  });
  expect(output).toBe('');
});
