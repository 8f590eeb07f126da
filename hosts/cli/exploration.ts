// Exploration: what `troupe explore` is given: the machine of a module, and what the events file says may come to it.

import type { AnyStateMachine } from 'xstate';
import { z } from 'zod';
import type { AcceptableKind, ExploreOptions } from '../../test/kit/index.ts';
import { type AnyMachineDefinition, TroupeError } from '../embedded/index.ts';
import type { Config } from './config.ts';
import { UsageError } from './errors.ts';
import { readJson } from './json-argument.ts';
import { definitionsIn, importFile, isBareMachine } from './load-module.ts';

interface Exploration {
  readonly machine: AnyMachineDefinition | AnyStateMachine;
  readonly options: Pick<ExploreOptions, 'machines' | 'calls'>;
}

/**
 * Loads the module that is explored, with the machines and calls of it and of the configuration.
 * @throws {UsageError} when it is not there; {TroupeError} `loader_missing`, `module_invalid`.
 */
export async function loadExploration(path: string, config: Config): Promise<Exploration> {
  const exports = await importFile(path);
  const main = exports['default'];
  const [defined] = definitionsIn([main]).machines;
  const machine = defined ?? (isBareMachine(main) ? main : undefined);
  if (machine === undefined) {
    throw new TroupeError(
      'module_invalid',
      `${path} has no machine as its default export. Add: export default createMachine({ id: '…', … }), or what defineMachine makes of it.`,
      { details: { module: path } },
    );
  }
  const values = [...Object.values(exports), ...config.machines, ...config.calls];
  return { machine, options: definitionsIn(values) };
}

/** Written out, because the kit is loaded only when there is something to explore. */
const ACCEPTABLE_KINDS: Readonly<Record<AcceptableKind, AcceptableKind>> = {
  dead_end: 'dead_end',
  stray_timer: 'stray_timer',
  unhandled_error: 'unhandled_error',
};

const shape = z.strictObject({
  input: z.unknown().optional(),
  inputs: z.array(z.unknown()).min(1).optional(),
  events: z.array(z.looseObject({ type: z.string().min(1) })).optional(),
  results: z.record(z.string(), z.array(z.unknown())).optional(),
  errors: z.record(z.string(), z.array(z.unknown())).optional(),
  accepts: z.array(z.enum(ACCEPTABLE_KINDS)).optional(),
});

/** @throws {UsageError} when the file cannot be read or is of another form. */
export function readStimuli(file: string | undefined): ExploreOptions {
  if (file === undefined) return {};
  const parsed = shape.safeParse(readJson(`@${file}`, file));
  if (!parsed.success) {
    throw new UsageError(
      `${file} must hold { "input"?, "inputs"?, "events"?: [{ "type": … }], "results"?: { source: […] }, "errors"?: { source: […] }, "accepts"?: [kind] }: ${z.prettifyError(parsed.error).replaceAll('✖ ', '')}`,
    );
  }
  const { input, inputs, events, results, errors, accepts } = parsed.data;
  return {
    ...(input === undefined ? {} : { input }),
    ...(inputs === undefined ? {} : { inputs }),
    ...(events === undefined ? {} : { events }),
    ...(results === undefined ? {} : { results }),
    ...(errors === undefined ? {} : { errors }),
    ...(accepts === undefined ? {} : { accepts }),
  };
}
