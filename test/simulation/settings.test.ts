// Settings: what a simulation is told is checked before it begins, and what its world does while it runs.

import { expect, it } from 'vitest';
import { createMachine, fromPromise, setup } from 'xstate';
import { z } from 'zod';
import { defineCall, defineMachine, TroupeError } from '../../actors/index.ts';
import { NO_FAULTS, simulate } from '../kit/index.ts';

const lamp = defineMachine({
  version: 1,
  machine: createMachine({
    id: 'lamp',
    initial: 'off',
    states: { off: { on: { ON: 'on' } }, on: { on: { OFF: 'off' } } },
  }),
});

const asking = defineMachine({
  version: 1,
  machine: setup({ actors: { look: fromPromise(async () => 1) } }).createMachine({
    id: 'asking',
    initial: 'on',
    states: {
      on: { invoke: { id: 'l', src: 'look', onDone: 'off', onError: 'off' } },
      off: { type: 'final' },
    },
  }),
});

const door = defineMachine({
  version: 1,
  machine: createMachine({ id: 'door', on: { OPEN: {} } }),
  schemas: {
    input: z.object({ height: z.number() }),
    events: z.object({ type: z.literal('OPEN'), by: z.string() }),
  },
});

async function refusal(options: unknown): Promise<string> {
  try {
    const told = { seed: 1, machines: [lamp], steps: 10, ...(options as object) };
    await simulate(told);
  } catch (error) {
    if (error instanceof TroupeError) return `${error.code}: ${error.message}`;
    throw error;
  }
  return 'nothing was refused';
}

it.each([
  ['no machine', { machines: [] }, 'machines is empty'],
  ['steps below 1', { steps: -5 }, 'steps is -5. It is a whole number from 1.'],
  ['no host', { hosts: 0 }, 'hosts is 0. It is a whole number from 1 to 8.'],
  ['another store', { store: 'disk' }, "store 'disk' is unknown. Known are: memory, file."],
  ['an unknown fault', { faults: { crahs: 0.1 } }, "'crahs' is unknown. Known are: crash,"],
  ['a rate that is none', { faults: { crash: 7 } }, 'crash is 7. It is a rate from 0 to 1.'],
  ['an unknown fault of a script', { script: [{ fault: 'crahs', occasion: 1 }] }, "'crahs'"],
  [
    'an occasion below 1',
    { script: [{ fault: 'crash', occasion: 0 }] },
    'script[0].occasion is 0. It is a whole',
  ],
  ['events of nobody', { world: { events: { lmap: [] } } }, "'lmap' is unknown. Known are: lamp."],
  [
    'a call of nobody',
    { world: { calls: { look: () => 1 } } },
    "'look' is unknown. There are none",
  ],
  ['room for nobody', { world: { actorsMax: 0 } }, 'world.actorsMax is 0'],
  ['an unknown option', { seeds: 3 }, "option 'seeds' is unknown. Known are: seed, machines,"],
  ['no seed', { seed: undefined }, 'seed is undefined. It is a text or a number.'],
  [
    'what is no list of machines',
    { machines: lamp },
    'It is a list of what defineMachine returns.',
  ],
  ['no machines at all', { machines: undefined }, 'machines is undefined.'],
  [
    'an unknown part of the world',
    { world: { evnts: {} } },
    "world: 'evnts' is unknown. Known are:",
  ],
  [
    'an event without a type',
    { world: { events: { lamp: [{ type: 'ON' }, 'OFF'] } } },
    "world.events.lamp[1] is 'OFF'. It is an event: { type: '…', … }",
  ],
  [
    'an event that the machine would refuse',
    { machines: [door], world: { events: { door: [{ type: 'OPEN' }] } } },
    'world.events.door[0] does not fit the events of door, which would refuse it: by:',
  ],
  [
    'an event that is no JSON',
    { world: { events: { lamp: [{ type: 'ON', at: new Date() }] } } },
    'world.events.lamp[0] is no JSON: it.at is a Date.',
  ],
  [
    'a new actor of nobody',
    { world: { spawn: () => ({ machine: 'lamp' }) } },
    "world.spawn() names as its machine 'lamp'. It is what defineMachine returns, and one of machines: lamp.",
  ],
  [
    'a new actor of another machine',
    { world: { spawn: () => ({ machine: door }) } },
    'world.spawn() names as its machine door.',
  ],
  ['nobody', { world: { spawn: () => undefined } }, 'world.spawn() is undefined. It is an object.'],
  [
    'an input that the machine would refuse',
    { machines: [door], world: { spawn: () => ({ machine: door, input: { height: '2' } }) } },
    'world.spawn() gives door an input that does not fit its schema: height:',
  ],
])('[simulate] refuses %s and says what is possible', async (_what, options, why) => {
  const told = await refusal(options);
  expect(told).toMatch(/^invalid_option: /);
  expect(told).toContain(why);
});

it('[simulate] spawns only what takes no input when it is not told what to spawn', async () => {
  const schemas = { input: z.object({ name: z.string() }) };
  const machine = createMachine({ id: 'form' });
  const form = defineMachine({ version: 1, machine, schemas });
  expect(await refusal({ machines: [form] })).toContain('Every machine takes an input.');
  const machines = [form, lamp];
  const report = await simulate({ seed: 1, machines, faults: NO_FAULTS, steps: 8 });
  expect(report.findings).toEqual([]);
  expect(report.actors).toEqual({ active: 8 });
});

it.each([
  ['a promise', async () => 1, 'answers with a promise'],
  ['what is no JSON', () => new Date(), 'no JSON: it is a Date.'],
])('[simulate] refuses a call of the world that answers with %s', async (_what, look, why) => {
  const told = await refusal({
    machines: [asking],
    faults: NO_FAULTS,
    world: { calls: { 'asking.look': look } },
  });
  expect(told).toMatch(/^invalid_option: world\.calls\.asking\.look: /);
  expect(told).toContain(why);
});

it('[simulate] says of a call whose every answer its schema refuses that it is so', async () => {
  const look = defineCall({
    name: 'look',
    module: new URL('./modules/look.mjs', import.meta.url),
    class: 'read',
    input: z.unknown(),
    output: z.number(),
  });
  const machines = [defineMachine({ version: 1, machine: asking.machine, calls: [look] })];
  const answering = (answer: unknown) => {
    const world = { calls: { look: () => answer } };
    return simulate({ seed: 1, machines, faults: NO_FAULTS, steps: 12, world });
  };
  const refused = await answering('7');
  expect(refused.findings).toEqual([]);
  const note = /^Every answer of look was refused by its schema \(.*number.*\)\. .*world\.calls/;
  expect(refused.notes).toEqual([expect.stringMatching(note)]);
  expect((await answering(7)).notes).toEqual([]);
});

it('[simulate] says of an event that no state knows that it moves nobody', async () => {
  const events = { lamp: [{ type: 'ON' }, { type: 'OF' }] };
  const report = await simulate({ seed: 1, machines: [lamp], world: { events }, steps: 20 });
  expect(report.notes).toEqual(['No state of lamp knows OF: look at world.events.lamp[1].']);
});

it('[simulate] a signal ends it with its reason', async () => {
  const ending = new AbortController();
  const world = {
    spawn: () => {
      ending.abort(new Error('enough'));
      return { machine: lamp };
    },
  };
  const run = simulate({ seed: 1, machines: [lamp], world, signal: ending.signal });
  await expect(run).rejects.toThrow('enough');
});
