// Load module: imports a user's module, TypeScript through its own project's tsx, and finds what it registers.

import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AnyStateMachine } from 'xstate';
import {
  type AnyCallDefinition,
  type AnyMachineDefinition,
  TroupeError,
} from '../embedded/index.ts';
import { UsageError } from './errors.ts';

export interface Definitions {
  readonly machines: readonly AnyMachineDefinition[];
  readonly calls: readonly AnyCallDefinition[];
}

export interface RunnableModule extends Definitions {
  /** The default export. */
  readonly main: AnyMachineDefinition;
}

/**
 * Imports the module that `troupe run` names.
 * @throws {UsageError} when it is not there; {TroupeError} `loader_missing`, `module_invalid`.
 */
export async function loadRunnable(path: string): Promise<RunnableModule> {
  const exports = await importFile(path);
  const definitions = definitionsIn(Object.values(exports));
  const main = exports['default'];
  if (isMachine(main)) return { ...definitions, main };
  const others = definitions.machines.map(({ name }) => name).join(', ');
  throw new TroupeError(
    'module_invalid',
    `${path} has no machine as its default export${others === '' ? '' : ` (it exports ${others})`}. Add: export default defineMachine({ machine, version: 1 });`,
    { details: { module: path } },
  );
}

/** Everything that `defineMachine` and `defineCall` made among some values, each once. */
export function definitionsIn(values: readonly unknown[]): Definitions {
  return {
    machines: [...new Set(values.filter(isMachine))],
    calls: [...new Set(values.filter(isCall))],
  };
}

/** By their form: a module may bring a copy of Troupe of its own. */
function isMachine(value: unknown): value is AnyMachineDefinition {
  return isDefinition(value, 'machine');
}

function isCall(value: unknown): value is AnyCallDefinition {
  return isDefinition(value, 'call');
}

/** A machine of XState, by its form: a module may bring a copy of XState of its own. */
export function isBareMachine(value: unknown): value is AnyStateMachine {
  return (
    typeof value === 'object' && value !== null && 'root' in value && 'implementations' in value
  );
}

function isDefinition(value: unknown, kind: string): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    'kind' in value &&
    value.kind === kind &&
    'name' in value &&
    typeof value.name === 'string'
  );
}

/** @throws {UsageError} when it is not there; {TroupeError} `loader_missing`, `module_invalid`. */
export async function importFile(path: string): Promise<Readonly<Record<string, unknown>>> {
  const file = resolve(path);
  if (!existsSync(file)) throw new UsageError(`there is no module ${path}`);
  if (/\.m?ts$/.test(file) && !loadsTypeScript()) await registerTypeScript(file);
  try {
    return (await import(pathToFileURL(file).href)) as Readonly<Record<string, unknown>>;
  } catch (error) {
    // An error with a code of Troupe's own says more than that the module did not load.
    if (error instanceof Error && error.name === 'TroupeError') throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new TroupeError('module_invalid', `${path} does not load: ${why}`, {
      cause: error,
      details: { module: path },
    });
  }
}

/** Node strips types by itself from 22.18 on. */
function loadsTypeScript(): boolean {
  return Boolean((process.features as { readonly typescript?: unknown }).typescript);
}

async function registerTypeScript(file: string): Promise<void> {
  let tsx: string;
  try {
    tsx = createRequire(file).resolve('tsx');
  } catch (error) {
    throw new TroupeError(
      'loader_missing',
      `${file} is TypeScript, which this Node does not load by itself. Install tsx in its project (npm install --save-dev tsx), use Node 22.18 or later, or compile it and run the .js.`,
      { cause: error, details: { module: file } },
    );
  }
  // Its main module registers it, as `node --import tsx` does.
  await import(pathToFileURL(tsx).href);
}
