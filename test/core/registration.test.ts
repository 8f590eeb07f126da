// K8: what a machine may not hold is refused when it is registered, with the state's path and the mend.

import { existsSync } from 'node:fs';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import {
  type AnyStateMachine,
  createMachine,
  fromCallback,
  fromObservable,
  fromPromise,
  raise,
  sendTo,
  setup,
  spawnChild,
} from 'xstate';
import { type AnyMachineDefinition, defineMachine } from '../../actors/index.ts';
import { openTestTroupe } from '../kit/index.ts';
import { durable, place, refusal, registered, start } from './harness.ts';

const job = fromPromise(async () => 'done');
const kid = createMachine({ id: 'kid' });
const named = setup({
  actors: {
    job,
    kid,
    listen: fromCallback(() => {}),
    watch: fromObservable(() => ({ subscribe: () => ({ unsubscribe: () => {} }) })),
  },
});

/** A machine whose state `home.work` does one thing at its entry. */
function entering(action: unknown): AnyStateMachine {
  return named.createMachine({
    id: 'm',
    initial: 'home',
    states: { home: { initial: 'work', states: { work: { entry: action as never } } } },
  });
}

/** A machine whose state `home.work` is made so. */
function working(state: object): AnyStateMachine {
  return named.createMachine({
    id: 'm',
    initial: 'home',
    states: { home: { initial: 'work', states: { work: state, rest: {} } } },
  });
}

/** Tries to open a host with a machine. @returns the message of the refusal. */
async function refused(definition: AnyMachineDefinition): Promise<string> {
  const { file } = place();
  const error = await refusal(
    openTestTroupe({ store: file, machines: [definition] }),
    'machine_refused',
  );
  // Nothing was made for a host that never was.
  expect(existsSync(file)).toBe(false);
  return error.message;
}

it.each([
  ['a callback that is spawned', entering(spawnChild('listen', { id: 'x' }))],
  ['an observable that is spawned', entering(spawnChild('watch', { id: 'x' }))],
  ['a callback of a state', working({ invoke: { id: 'x', src: 'listen' } })],
  ['an inline callback', working({ invoke: { id: 'x', src: fromCallback(() => {}) } })],
  ['snapshots of an observable', working({ invoke: { id: 'x', src: 'watch', onSnapshot: {} } })],
])('[K9a] registration takes %s', (_what, machine) => {
  const classes = [...registered(machine).calls.values()].map((spec) => spec.class);
  expect(classes).toContain('listener');
});

describe('registration refuses', () => {
  it.each([
    ['a spawnChild without id', entering(spawnChild('job')), "id: '…'"],
    [
      'a source that is not registered',
      entering(spawnChild('nobody' as never, { id: 'x' })),
      "'nobody'",
    ],
    ['spawned logic itself', entering(spawnChild(job as never, { id: 'x' })), 'setup({ actors })'],
    ['syncSnapshot', entering(spawnChild('kid', { id: 'x', syncSnapshot: true })), 'sendTo'],
    ['a target that is not registered', entering(sendTo('nobody', { type: 'HI' })), "'nobody'"],
    ['an infinite delay', entering(raise({ type: 'X' }, { delay: Infinity })), 'Infinity ms'],
    ['a delay that is no number', entering(raise({ type: 'X' }, { delay: NaN })), 'NaN ms'],
    ['a negative delay', entering(raise({ type: 'X' }, { delay: -1 })), '-1 ms'],
    [
      'a delay of over a thousand years',
      entering(raise({ type: 'X' }, { delay: 1e15 })),
      '31556952000000 ms',
    ],
    [
      'a delayed send without end',
      entering(sendTo('#_parent', { type: 'X' }, { delay: Infinity })),
      'Infinity ms',
    ],
  ])('[K8] %s, with path and mend', async (_what, machine, mend) => {
    const message = await refused(durable(machine));
    expect(message).toContain('m.home.work entry');
    expect(message).toContain(mend);
  });

  it.each([
    ['an unknown source', { invoke: { id: 'x', src: 'nobody' } }, "invoke 'x'", "'nobody'"],
    ['onSnapshot', { invoke: { id: 'x', src: 'kid', onSnapshot: {} } }, "invoke 'x'", 'sendTo'],
    ['a negative after', { after: { [-5]: 'rest' } }, 'entry', '-5 ms'],
    ['an infinite after', { after: { Infinity: 'rest' } }, 'entry', 'Infinity ms'],
  ])('[K8] %s of a state, with path and mend', async (_what, state, place, mend) => {
    const message = await refused(durable(working(state)));
    expect(message).toContain(`m.home.work ${place}`);
    expect(message).toContain(mend);
  });

  it.each([
    ['entry', { entry: spawnChild('job') }],
    ['exit', { exit: spawnChild('job') }],
    ['on GO', { on: { GO: { actions: spawnChild('job') } } }],
    ['always', { always: { target: 'rest', actions: spawnChild('job') } }],
    ['initial', { initial: { target: 'in', actions: spawnChild('job') }, states: { in: {} } }],
    [
      'on xstate.after.5.m.home.work',
      { after: { 5: { target: 'rest', actions: spawnChild('job') } } },
    ],
    [
      'on xstate.done.actor.x',
      { invoke: { id: 'x', src: 'job', onDone: { actions: spawnChild('job') } } },
    ],
  ])('[K8] it looks at actions in %s', async (place, state) => {
    expect(await refused(durable(working(state)))).toContain(
      `m.home.work ${place}: spawnChild has no id`,
    );
  });

  it('[K8] built-in actions also behind a name', async () => {
    const machine = setup({ actors: { job }, actions: { go: spawnChild('job') } }).createMachine({
      id: 'm',
      entry: 'go',
    });
    expect(await refused(durable(machine))).toContain('m entry: spawnChild has no id');
  });

  it('[K8] everything at once, one line each', async () => {
    const message = await refused(
      durable(
        working({
          entry: [spawnChild('job'), sendTo('nobody', { type: 'X' })],
          after: { [-1]: 'rest' },
        }),
      ),
    );
    expect(message.split('\n')).toHaveLength(4);
  });

  it('[K8] what a child machine holds, under its own name', async () => {
    const bad = createMachine({ id: 'bad', entry: sendTo('nobody', { type: 'HI' }) });
    const parent = setup({ actors: { bad } }).createMachine({
      id: 'parent',
      invoke: { id: 'b', src: 'bad' },
    });
    expect(await refused(durable(parent))).toContain("Machine 'bad'");
  });
});

const chatty = setup({ actions: { ring: () => {} } }).createMachine({
  id: 'chatty',
  entry: ['ring', () => {}],
  on: { GO: { actions: function shout() {} } },
});

describe('custom actions', () => {
  it('[K8] are listed as notifications', async () => {
    const { troupe } = await start({ machines: [durable(chatty)] });
    const [listed] = troupe.machines();
    const text = JSON.stringify(listed);
    for (const found of [
      "Action 'ring'",
      'chatty entry',
      "Action 'shout'",
      'chatty on GO',
      'An inline function',
    ]) {
      expect(text).toContain(found);
    }
  });

  it('[K8] are refused by strict, each with path and mend', async () => {
    const message = await refused(defineMachine({ machine: chatty, version: 1, strict: true }));
    expect(message.split('\n')).toHaveLength(4);
    expect(message).toContain("chatty entry: Action 'ring'");
    expect(message).toContain('make it an invoke');
  });

  it('[K8] strict takes a machine of built-in actions only', async () => {
    const quiet = working({ entry: [raise({ type: 'X' }), spawnChild('job', { id: 'job' })] });
    const { troupe } = await start({
      machines: [defineMachine({ machine: quiet, version: 1, strict: true })],
    });
    expect(troupe.machines().map(({ name }) => name)).toContain('m');
  });
});

describe('an invoke without a name', () => {
  it('[K8] keeps the one that XState gives it, with a warning', async () => {
    const lines: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line: string) => lines.push(line) });
    const machine = working({
      invoke: [{ src: 'job' }, { id: 'inline', src: fromPromise(async () => 1) }],
    });
    const { troupe, pool } = await start({ machines: [durable(machine)], log });
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      {
        machine: 'm',
        path: 'm.home.work invoke 0',
        msg: expect.stringContaining("'0.m.home.work'") as string,
      },
      {
        machine: 'm',
        path: 'm.home.work invoke 1',
        msg: expect.stringContaining('named source') as string,
      },
    ]);
    await troupe.spawn(durable(machine), { id: '1' });
    expect(pool.started.map(({ callId }) => callId)).toEqual([
      'm/1#0.m.home.work@1',
      'm/1#inline@1',
    ]);
  });
});
