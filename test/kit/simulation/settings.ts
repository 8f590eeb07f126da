// Settings: the options of a simulation, checked, with their defaults.

import type { AnyMachineDefinition } from '../../../actors/index.ts';
import { parseBy } from '../../../actors/issues.ts';
import type { Registry } from '../../../actors/registry/index.ts';
import {
  aFunction,
  aList,
  anObject,
  anything,
  aSignal,
  aText,
  callDefinitions,
  definitions,
  eachOf,
  eitherOf,
  type Forms,
  refuse,
  requireForm,
  requireForms,
  requireKnown,
  wholeNumber,
} from '../forms.ts';
import { checkedSpawn } from './checked-spawn.ts';
import { FAULT_RATES, type FaultRates } from './faults.ts';
import { HOSTS_MAX, type SimulatedWorld, type SimulateOptions, STEPS } from './options.ts';
import { requireEvents } from './world-events.ts';

export type Settings = Required<Omit<SimulateOptions, 'seed' | 'faults' | 'world' | 'signal'>> & {
  readonly seed: string;
  readonly rates: FaultRates;
  readonly world: SimulatedWorld;
};

const aRate = {
  is: (value: unknown) => typeof value === 'number' && value >= 0 && value <= 1,
  words: 'a rate from 0 to 1',
};

const FORMS: Readonly<Record<keyof SimulateOptions, Forms[string]>> = {
  seed: eitherOf(aText, { is: Number.isFinite, words: 'a number' }),
  machines: definitions,
  calls: callDefinitions,
  world: anObject,
  faults: anObject,
  script: aList,
  steps: wholeNumber(),
  hosts: wholeNumber(HOSTS_MAX),
  store: aText,
  signal: aSignal,
};

const WORLD_FORMS: Readonly<Record<keyof SimulatedWorld, Forms[string]>> = {
  spawn: aFunction,
  events: eachOf(aList, 'an object with a list of events for each machine'),
  calls: eachOf(aFunction, 'an object with a function for each call'),
  actorsMax: wholeNumber(),
};

const FAULT_NAMES = Object.keys(FAULT_RATES);
const FAULT_FORMS: Forms = Object.fromEntries(FAULT_NAMES.map((name) => [name, aRate]));
const anOccasion = wholeNumber();

/** The faults that a report names are taken as they stand there. */
const SCRIPT_FORMS: Forms = {
  fault: anything,
  occasion: anOccasion,
  passedMs: anything,
  where: anything,
};

/**
 * Before anything is made of them.
 * @throws {TroupeError} `invalid_option` with what is possible instead.
 */
export function requireOptions(options: SimulateOptions): void {
  requireForms('', options, FORMS);
  const { seed, machines, world, faults, script = [], store } = options;
  requireForm('seed', seed, FORMS.seed);
  requireForm('machines', machines, FORMS.machines);
  if (machines.length === 0) refuse('machines is empty. Name at least one.');
  if (store !== undefined) requireKnown('store', store, ['memory', 'file']);
  if (world !== undefined) requireForms('world', world, WORLD_FORMS);
  if (faults !== undefined) requireForms('faults', faults, FAULT_FORMS);
  for (const [index, scripted] of script.entries()) {
    requireForms(`script[${index}]`, scripted, SCRIPT_FORMS);
    requireKnown(`script[${index}]: fault`, scripted.fault, FAULT_NAMES);
    requireForm(`script[${index}].occasion`, scripted.occasion, anOccasion);
  }
}

/** @throws {TroupeError} `invalid_option` with what is possible instead. */
export function settingsOf(options: SimulateOptions, registry: Registry): Settings {
  const { machines, calls = [], faults = {}, script = [], world = {} } = options;
  const { steps = STEPS, hosts = 1, store = 'memory' } = options;
  requireEvents(world.events ?? {}, registry);
  requireCalls(world.calls ?? {}, registry);
  const spawn = checkedSpawn(world.spawn ?? spawnOf(machines), registry);
  const rates = { ...FAULT_RATES, ...faults };
  const seed = String(options.seed);
  return { seed, machines, calls, rates, script, steps, hosts, store, world: { ...world, spawn } };
}

function requireCalls(calls: object, { machines }: Registry): void {
  const specs = [...machines.values()].flatMap((machine) => [...machine.calls.values()]);
  const known = specs.map(({ key }) => key);
  for (const name of Object.keys(calls)) requireKnown('world.calls: call', name, known);
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
