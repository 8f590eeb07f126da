// Support: a folder of somebody who has installed Troupe, and the blocks of code that they copy.

import { mkdirSync, mkdtempSync, readFileSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A text of this repository. */
export function textOf(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

/** The blocks of one language in a text, in order. */
export function blocksOf(text: string, language: string): string[] {
  const fences = text.matchAll(/```(\w+)\n([\s\S]*?)```/g);
  return [...fences].flatMap(([, name, block]) => (name === language ? [block ?? ''] : []));
}

/** An empty folder in which `troupe` and some packages of ours can be imported. The caller removes it. */
export function newcomersFolder(packages: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-readme-'));
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, '@types'), { recursive: true });
  symlinkSync(root, join(modules, 'troupe'));
  for (const name of packages) symlinkSync(join(root, 'node_modules', name), join(modules, name));
  return folder;
}
