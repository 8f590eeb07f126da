// Settings: the options of a simulation, checked, with their defaults.

import type { AnyMachineDefinition } from '../../../actors/index.ts';
import { TroupeError } from '../../../actors/index.ts';
import { parseBy } from '../../../actors/issues.ts';
import type { Registry } from '../../../actors/registry/index.ts';
import { FAULT_RATES, type FaultRates } from './faults.ts';
import { HOSTS_MAX, type SimulatedWorld, type SimulateOptions, STEPS } from './options.ts';

export type Settings = Required<Omit<SimulateOptions, 'seed' | 'faults' | 'world'>> & {
  readonly seed: string;
  readonly rates: FaultRates;
  readonly world: SimulatedWorld;
};

/** @throws {TroupeError} `invalid_option` with what is possible instead. */
export function settingsOf(options: SimulateOptions, registry: Registry): Settings {
  const { machines, calls = [], faults = {}, script = [], world = {} } = options;
  const { steps = STEPS, hosts = 1, store = 'memory' } = options;
  if (machines.length === 0) refuse('machines is empty. Name at least one.');
  requireWhole('steps', steps);
  requireWhole('hosts', hosts, HOSTS_MAX);
  requireKnown('store', store, ['memory', 'file']);
  requireRates(faults);
  for (const { fault, occasion } of script) {
    requireKnown('script: fault', fault, Object.keys(FAULT_RATES));
    requireWhole(`script: the occasion of ${fault}`, occasion);
  }
  requireWorld(world, registry);
  const spawn = world.spawn ?? spawnOf(machines);
  const rates = { ...FAULT_RATES, ...faults };
  const seed = String(options.seed);
  return { seed, machines, calls, rates, script, steps, hosts, store, world: { ...world, spawn } };
}

function requireRates(faults: Partial<FaultRates>): void {
  for (const [name, rate] of Object.entries(faults)) {
    requireKnown('faults: fault', name, Object.keys(FAULT_RATES));
    if (!(rate >= 0 && rate <= 1)) refuse(`faults: ${name} is ${rate}. It is a rate from 0 to 1.`);
  }
}

function requireWorld({ actorsMax, events = {}, calls = {} }: SimulatedWorld, registry: Registry) {
  if (actorsMax !== undefined) requireWhole('world.actorsMax', actorsMax);
  const { machines } = registry;
  for (const name of Object.keys(events)) {
    requireKnown('world.events: machine', name, [...machines.keys()]);
  }
  const specs = [...machines.values()].flatMap((machine) => [...machine.calls.values()]);
  for (const name of Object.keys(calls)) {
    requireKnown(
      'world.calls: call',
      name,
      specs.map(({ key }) => key),
    );
  }
}

function spawnOf(machines: readonly AnyMachineDefinition[]): NonNullable<SimulatedWorld['spawn']> {
  const bare = machines.filter(
    ({ schemas: { input } }) => input === undefined || 'data' in parseBy(input, undefined),
  );
  if (bare.length === 0) {
    refuse(
      'Every machine takes an input. Say in world.spawn which actors there are: (random) => ({ machine, input }).',
    );
  }
  return (random) => ({ machine: random.pick(bare) });
}

function requireWhole(name: string, value: number, max = Number.MAX_SAFE_INTEGER): void {
  if (Number.isSafeInteger(value) && value >= 1 && value <= max) return;
  const range = max === Number.MAX_SAFE_INTEGER ? 'from 1' : `from 1 to ${max}`;
  refuse(`${name} is ${value}. It is a whole number ${range}.`);
}

function requireKnown(what: string, name: string, known: readonly string[]): void {
  if (known.includes(name)) return;
  const list =
    known.length === 0 ? 'There are none.' : `Known are: ${[...new Set(known)].join(', ')}.`;
  refuse(`${what} '${name}' is unknown. ${list}`);
}

function refuse(message: string): never {
  throw new TroupeError('invalid_option', message);
}
