// Simulation: what `troupe simulate` runs: the machines of a configuration in the world that it describes, or Troupe's own
// workload.

import { z } from 'zod';
import type { SimulateOptions, SimulationReport } from '../../test/kit/index.ts';
import { TroupeError } from '../embedded/index.ts';
import type { Config } from './config.ts';

/** Runs one seed. */
type RunSeed = (seed: number) => Promise<SimulationReport>;

/** What the command line says; it comes before the configuration. */
interface RunOptions {
  readonly steps?: number;
  readonly hosts?: number;
  readonly files?: boolean;
  readonly minutes?: number;
}

type Settings = Pick<SimulateOptions, 'world' | 'faults' | 'steps' | 'hosts'>;

/** @param signal Ends a run: it throws then. */
export async function seedRunner(
  config: Config,
  options: RunOptions,
  signal: AbortSignal,
): Promise<RunSeed> {
  // Loaded for this command alone: no other needs the kit.
  const { simulate, workload, FAULT_RATES } = await import('../../test/kit/index.ts');
  const { steps, hosts, files, minutes } = options;
  const said = {
    ...(steps === undefined ? {} : { steps }),
    ...(hosts === undefined ? {} : { hosts }),
    store: files === true ? ('file' as const) : ('memory' as const),
    signal,
  };
  const { machines, calls, simulation } = config;
  if (machines.length === 0) return (seed) => simulate({ ...workload(), ...said, seed });
  const shape = shapeOf(Object.keys(FAULT_RATES));
  if (minutes !== undefined) requireForgetful(simulation);
  return (seed) => simulate({ machines, calls, ...settingsOf(simulation, shape), ...said, seed });
}

function shapeOf(faults: readonly string[]): z.ZodType<Settings> {
  const rate = z.number().min(0).max(1).optional();
  const whole = z.int().min(1).optional();
  return z.strictObject({
    world: z.custom<Settings['world']>(isObject, 'is no object').optional(),
    faults: z.strictObject(Object.fromEntries(faults.map((name) => [name, rate]))).optional(),
    steps: whole,
    hosts: whole,
  }) as z.ZodType<Settings>;
}

/** A world remembers: each run gets its own, when the configuration makes one. */
function settingsOf(simulation: unknown, shape: z.ZodType<Settings>): Settings {
  const settings: unknown =
    typeof simulation === 'function' ? (simulation as () => unknown)() : simulation;
  const parsed = shape.safeParse(settings ?? {});
  if (parsed.success) return parsed.data;
  throw invalid(z.prettifyError(parsed.error).replaceAll('✖ ', ''));
}

/** Functions may remember what they did in an earlier run: then the line that repeats a later seed would not be true. */
function requireForgetful(simulation: unknown): void {
  if (!isObject(simulation)) return;
  const { calls, spawn } = (simulation as Settings).world ?? {};
  if (calls === undefined && spawn === undefined) return;
  throw invalid(
    'with functions in its world and several seeds it must be a function, so that each seed gets a world of its own',
  );
}

function invalid(why: string): TroupeError {
  return new TroupeError(
    'module_invalid',
    `simulation of the configuration is { world, faults, steps, hosts }, or a function that returns it: ${why}.`,
  );
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}
