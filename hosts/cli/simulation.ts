// Simulation: what `troupe simulate` runs: the machines of a configuration in the world that it describes, or Troupe's own
// workload.

import { z } from 'zod';
import type { SimulateOptions, SimulationReport } from '../../test/kit/index.ts';
import { TroupeError } from '../embedded/index.ts';
import type { Config } from './config.ts';

/** Runs one seed. */
export type RunSeed = (seed: number) => Promise<SimulationReport>;

const rate = z.number().min(0).max(1);

const shape = z.strictObject({
  world: z.custom<SimulateOptions['world']>(isObject, 'is no object').optional(),
  faults: z.record(z.string(), rate).optional(),
  steps: z.int().min(1).optional(),
});

/** What the command line says; it comes before the configuration. */
export interface Asked {
  readonly steps?: number;
  readonly files?: boolean;
}

export async function seedRunner(config: Config, asked: Asked): Promise<RunSeed> {
  // Loaded for this command alone: no other needs the kit.
  const { simulate, workload } = await import('../../test/kit/index.ts');
  const said = {
    ...(asked.steps === undefined ? {} : { steps: asked.steps }),
    store: asked.files === true ? ('file' as const) : ('memory' as const),
  };
  const { machines, calls } = config;
  if (machines.length === 0) return (seed) => simulate({ ...workload(), ...said, seed });
  return (seed) => {
    const { world, faults, steps: usual } = settingsOf(config);
    return simulate({
      machines,
      calls,
      ...(world ? { world } : {}),
      ...(faults ? { faults } : {}),
      ...(usual ? { steps: usual } : {}),
      ...said,
      seed,
    });
  };
}

/** A world remembers: each run gets its own, when the configuration makes one. */
function settingsOf({ simulation }: Config): z.infer<typeof shape> {
  const settings: unknown =
    typeof simulation === 'function' ? (simulation as () => unknown)() : simulation;
  const parsed = shape.safeParse(settings ?? {});
  if (parsed.success) return parsed.data;
  throw new TroupeError(
    'module_invalid',
    `simulation of the configuration is { world, faults, steps }, or a function that returns it: ${z.prettifyError(parsed.error).replaceAll('✖ ', '')}.`,
  );
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}
