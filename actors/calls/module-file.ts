// Module file: finds a module whether its project is compiled or not, and what a thread needs to load it.

import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { TroupeError } from '../../persistence/index.ts';

const TWINS: readonly (readonly [RegExp, string])[] = [
  [/\.ts$/, '.js'],
  [/\.js$/, '.ts'],
  [/\.mts$/, '.mjs'],
  [/\.mjs$/, '.mts'],
];

/**
 * The URL of a module's file; `.ts` and `.js` stand for each other, so that one URL is right before and after tsc.
 * @throws {TroupeError} `call_module_missing`.
 */
export function findModule(url: string, of: string): string {
  if (existsSync(fileURLToPath(url))) return url;
  for (const [ending, twin] of TWINS) {
    const other = url.replace(ending, twin);
    if (other !== url && existsSync(fileURLToPath(other))) return other;
  }
  throw new TroupeError(
    'call_module_missing',
    `The module of ${of} is not there: ${fileURLToPath(url)}. Mend the URL in defineCall.`,
    { details: { module: url } },
  );
}

/**
 * What Node needs on its command line to load a module. TypeScript needs nothing from Node 22.18 on, and tsx before
 * that: the one of the module's own project. @throws {TroupeError} `loader_missing`.
 */
export function loaderArguments(url: string): readonly string[] {
  if (!/\.m?ts$/.test(url) || loadsTypeScript()) return [];
  try {
    const tsx = createRequire(url).resolve('tsx');
    return ['--import', pathToFileURL(tsx).href];
  } catch (error) {
    throw new TroupeError(
      'loader_missing',
      `${fileURLToPath(url)} is TypeScript, which this Node does not load by itself. Install tsx beside it (npm install --save-dev tsx), use Node 22.18 or later, or compile it.`,
      { cause: error },
    );
  }
}

function loadsTypeScript(): boolean {
  return Boolean((process.features as { readonly typescript?: unknown }).typescript);
}
