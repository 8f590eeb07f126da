// Checked spawn: who is born in a simulation, refused where no host would let them be born. The author's mistakes must not
// look like the engine's.

import { parseBy } from '../../../actors/issues.ts';
import { explainFinding, inspectJson } from '../../../actors/json.ts';
import type { RegisteredMachine, Registry } from '../../../actors/registry/index.ts';
import { anything, refuse, requireForms, shown } from '../forms.ts';
import type { SimulatedWorld } from './options.ts';

type Spawn = NonNullable<SimulatedWorld['spawn']>;

/** The same, that throws {TroupeError} `invalid_option` for what it must not answer. */
export function checkedSpawn(spawn: Spawn, registry: Registry): Spawn {
  return (random) => {
    const born = spawn(random);
    requireForms('world.spawn()', born, { machine: anything, input: anything });
    requireInput(born.input, machineOf(born.machine, registry));
    return born;
  };
}

function machineOf(machine: unknown, { machines }: Registry): RegisteredMachine {
  const { name } = Object(machine) as { readonly name?: unknown };
  const known = typeof name === 'string' ? machines.get(name) : undefined;
  if (known !== undefined) return known;
  const said = typeof name === 'string' && name !== '' ? name : shown(machine);
  return refuse(
    `world.spawn() names as its machine ${said}. It is what defineMachine returns, and one of machines: ${[...machines.keys()].join(', ')}.`,
  );
}

function requireInput(input: unknown, { name, schemas }: RegisteredMachine): void {
  const parsed = schemas.input === undefined ? { data: input } : parseBy(schemas.input, input);
  if ('why' in parsed) {
    refuse(`world.spawn() gives ${name} an input that does not fit its schema: ${parsed.why}.`);
  }
  const finding = inspectJson(parsed.data);
  if (!finding.ok) {
    refuse(
      `world.spawn() gives ${name} an input that is no JSON: ${explainFinding(finding, 'it')}.`,
    );
  }
}
