// List files: the regular files of a folder and of the folders below it, in the order of their names.

import { readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { CallFailure, callFunction } from '../../../adapters/index.ts';
import type { listFiles } from '../calls.ts';
import { traced } from './traced.ts';

/** So that the archive's context stays well below the limit of a snapshot. */
const FILES_MAX = 5_000;

interface Found {
  readonly path: string;
  readonly bytes: number;
}

export default callFunction<typeof listFiles>((input, context) =>
  traced({ call: 'listFiles', file: input.folder, input, context }, async () => {
    const files: Found[] = [];
    await visit(input.folder, '', resolve(input.target), files);
    return { files: files.sort((a, b) => (a.path < b.path ? -1 : 1)) };
  }),
);

/** Symbolic links are not followed, and the target, if it lies inside, is left out. */
async function visit(root: string, below: string, target: string, found: Found[]): Promise<void> {
  const folder = join(root, below);
  if (resolve(folder) === target) return;
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) await visit(root, path, target, found);
    if (!entry.isFile()) continue;
    if (found.length === FILES_MAX) throw tooMany(root);
    found.push({ path, bytes: (await stat(join(root, path))).size });
  }
}

function tooMany(root: string): CallFailure {
  return new CallFailure(
    'too_many_files',
    `${root} has more than ${FILES_MAX} files. Archive its folders one by one.`,
    { outcome: 'failed' },
  );
}
