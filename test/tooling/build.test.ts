import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../../scripts/lib/files.mjs';

it('[build] prepare, which the first npx in a folder runs, leaves the dist of running hosts alone', () => {
  const stamp = join(root, 'dist/.built');
  const before = statSync(stamp);
  execFileSync('npm', ['run', '--silent', 'prepare'], { cwd: root });
  expect(statSync(stamp)).toMatchObject({ ino: before.ino, mtimeMs: before.mtimeMs });
});
