// Config: troupe.config.{js,ts}, which names a store and what it runs, so that no command has to.

import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { TroupeError } from '../embedded/index.ts';
import { type Definitions, definitionsIn, importFile, isBareMachine } from './load-module.ts';

export interface Config extends Definitions {
  /** Where it was read from; undefined when there is none. */
  readonly file: string | undefined;
  /** Absolute path. */
  readonly store: string | undefined;
  /** What `troupe simulate` is told, as it stands there. */
  readonly simulation: unknown;
}

const NAMES = ['troupe.config.js', 'troupe.config.mjs', 'troupe.config.ts', 'troupe.config.mts'];

const EMPTY: Config = {
  file: undefined,
  store: undefined,
  simulation: undefined,
  machines: [],
  calls: [],
};

const shape = z.strictObject({
  store: z.string().min(1).optional(),
  machines: z.array(z.unknown()).default([]),
  calls: z.array(z.unknown()).default([]),
  /** Of `troupe simulate`: `{ world, faults, steps, hosts }`, or a function that makes one for each run. */
  simulation: z.unknown().optional(),
  /** Of a later version: taken and not looked at. */
  adapters: z.unknown().optional(),
});

/**
 * Reads the named configuration, else the one in this folder, else none.
 * @throws {UsageError} when the named one is not there; {TroupeError} `module_invalid`, `loader_missing`.
 */
export async function loadConfig(named: string | undefined): Promise<Config> {
  const file = named ?? NAMES.find((name) => existsSync(name));
  if (file === undefined) return EMPTY;
  const { default: exported } = await importFile(file);
  if (isBareMachine(exported) || definitionsIn([exported]).machines.length > 0) {
    throw invalid(file, 'this is a machine itself; write a file that has it in machines: [it]');
  }
  const parsed = shape.safeParse(exported);
  if (!parsed.success) {
    throw invalid(file, z.prettifyError(parsed.error).replaceAll('✖ ', ''));
  }
  const { store, machines, calls, simulation } = parsed.data;
  const definitions = definitionsIn([...machines, ...calls]);
  if (
    definitions.machines.length !== machines.length ||
    definitions.calls.length !== calls.length
  ) {
    throw invalid(
      file,
      'machines takes what defineMachine returns, calls what defineCall returns, each once',
    );
  }
  return { ...definitions, file, simulation, store: store && resolve(dirname(file), store) };
}

function invalid(file: string, why: string): TroupeError {
  return new TroupeError(
    'module_invalid',
    `${file} must export default { store, machines, calls, simulation }: ${why}.`,
    { details: { module: file } },
  );
}
