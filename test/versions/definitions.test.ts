// G1: a chart belongs to a version. What is the same chart in other words is taken, another chart is refused.

import { describe, expect, it } from 'vitest';
import { type AnyStateMachine, assign, createMachine, raise, setup } from 'xstate';
import { defineMachine, type StoredActor } from '../../actors/index.ts';
import { durable, refusal, registered, start } from '../core/harness.ts';
import { openTestTroupe, type TestTroupe } from '../kit/index.ts';

const lamp = createMachine({
  id: 'lamp',
  initial: 'off',
  context: { pressed: 0 },
  states: {
    off: { on: { PRESS: { target: 'on', actions: 'note' } } },
    on: { after: { 1_000: 'off' }, on: { PRESS: 'off' } },
  },
});

async function stored(machine: AnyStateMachine = lamp): Promise<TestTroupe> {
  const test = await start({ machines: [durable(machine)] });
  await test.troupe.spawn(durable(machine), { id: '1' });
  await test.leave();
  return test;
}

const digestOf = (machine: AnyStateMachine) => registered(machine).definition.digest;

describe('the digest of a definition', () => {
  const states = (lamp.config as unknown as { readonly states: { off: object; on: object } })
    .states;
  const withOff = (off: object) =>
    createMachine({ ...lamp.config, states: { ...states, off } } as never) as AnyStateMachine;
  const withOn = (on: object) =>
    createMachine({ ...lamp.config, states: { ...states, on } } as never) as AnyStateMachine;

  it.each<[string, AnyStateMachine]>([
    ['a new state', createMachine({ ...lamp.config, states: { ...states, broken: {} } } as never)],
    ['another initial state', createMachine({ ...lamp.config, initial: 'on' } as never)],
    ['another target', withOff({ on: { PRESS: { target: 'off', actions: 'note' } } })],
    ['another event', withOff({ on: { PUSH: { target: 'on', actions: 'note' } } })],
    ['another action', withOff({ on: { PRESS: { target: 'on', actions: 'log' } } })],
    ['a guard', withOff({ on: { PRESS: { target: 'on', actions: 'note', guard: 'isFree' } } })],
    ['another delay', withOn({ after: { 2_000: 'off' }, on: { PRESS: 'off' } })],
    ['an invoke', withOn({ ...states.on, invoke: { id: 'shine', src: 'shine' } })],
    ['a tag', withOn({ ...states.on, tags: 'person' })],
    ['a final state', withOn({ type: 'final' })],
    [
      'an entry action',
      withOn({ ...states.on, entry: raise({ type: 'X' }, { delay: 5, id: 'x' }) }),
    ],
    [
      'an eventless transition',
      withOn({ ...states.on, always: { guard: 'isLate', target: 'off' } }),
    ],
  ])('[G1] is another one with %s', (_what, changed) => {
    const known = changed.provide({
      actors: { shine: createMachine({ id: 'shine' }) },
    } as never) as AnyStateMachine;
    expect(digestOf(known)).not.toBe(digestOf(lamp));
  });

  it('[G1] does not see comments, formatting, descriptions, meta, or the order in which states are written', () => {
    const same = createMachine({
      // A comment.
      id: 'lamp',
      description: 'A lamp with a button.',
      initial: 'off',
      context: { pressed: 0 },
      states: {
        on: { on: { PRESS: { target: 'off' } }, after: { 1_000: { target: 'off' } } },
        off: { meta: { x: 1 }, on: { PRESS: [{ target: 'on', actions: ['note'] }] } },
      },
    });
    expect(digestOf(same)).toBe(digestOf(lamp));
  });

  it('[G1] does not see the source text of functions, which every compiler writes in its own way', () => {
    const machineOf = (count: (n: number) => number, guard: () => boolean) =>
      setup({ types: { context: {} as { n: number } } }).createMachine({
        id: 'counter',
        context: { n: 0 },
        on: { ADD: { guard, actions: assign({ n: ({ context }) => count(context.n) }) } },
      });
    const a = machineOf(
      (n) => n + 1,
      () => true,
    );
    const b = machineOf(
      function add(n) {
        return n + 1;
      },
      function isFree() {
        return true;
      },
    );
    expect(digestOf(b)).toBe(digestOf(a));
  });
});

describe('a host whose machine has changed under its version', () => {
  const changed = createMachine({
    id: 'lamp',
    initial: 'off',
    context: { pressed: 0 },
    states: {
      off: { on: { PRESS: { target: 'on', actions: 'note' } } },
      on: { on: { PRESS: 'off' } },
    },
  });

  it('[G1] is refused with the first difference and the mend, and nothing has changed', async () => {
    const test = await stored();
    const before = test.rows('SELECT * FROM meta');
    const opening = openTestTroupe({ store: test.file, machines: [durable(changed)] });
    const error = await refusal(opening, 'machine_changed');
    expect(error.message).toContain("'lamp.on entry' is gone");
    expect(error.message).toContain('Raise the version');
    expect(error.message).toContain('migrations[1]');
    expect(error.message).toContain('dev: true');
    expect(test.rows('SELECT * FROM meta')).toEqual(before);
    expect(test.rows('SELECT * FROM hosts')).toEqual([]);
    await test.reopen();
  });

  it('[G1] is taken with dev, which keeps the new chart instead', async () => {
    const test = await stored();
    await test.reopen({ machines: [durable(changed)], dev: true });
    await test.troupe.send('lamp/1', { type: 'PRESS' });
    expect(await test.troupe.get('lamp/1')).toMatchObject({ state: 'on' });
    await test.reopen({ dev: false });
    await test.leave();
    await refusal(
      openTestTroupe({ store: test.file, machines: [durable(lamp)] }),
      'machine_changed',
    );
  });

  it('[G1] is taken where no actor was ever stepped by the old chart', async () => {
    const test = await start({ machines: [durable(lamp)] });
    await test.reopen({ machines: [durable(changed)] });
    await test.troupe.spawn(durable(changed), { id: '1' });
    await test.leave();
    await refusal(
      openTestTroupe({ store: test.file, machines: [durable(lamp)] }),
      'machine_changed',
    );
  });

  it('[G1] also when it is a child that only its parent names; the error names the parent', async () => {
    const parentOf = (child: AnyStateMachine) =>
      setup({ actors: { part: child } }).createMachine({
        id: 'whole',
        initial: 'on',
        states: { on: { invoke: { id: 'part', src: 'part' } } },
      });
    const test = await stored(parentOf(lamp));
    const opening = openTestTroupe({ store: test.file, machines: [durable(parentOf(changed))] });
    const error = await refusal(opening, 'machine_changed');
    expect(error.message).toContain("Machine 'whole.part'");
    expect(error.message).toContain("machine 'whole', which brings 'whole.part'");
  });

  it('[G1] a damaged stored definition says nothing and is written anew', async () => {
    const test = await stored();
    test.write("UPDATE meta SET value = '{' WHERE key LIKE 'definition:%'");
    await test.reopen();
    const [row] = test.rows<{ value: string }>(
      "SELECT value FROM meta WHERE key = 'definition:lamp@1'",
    );
    expect(JSON.parse(row?.value ?? '')).toMatchObject({ format: 1, digest: digestOf(lamp) });
  });
});

describe('a definition', () => {
  it.each<[string, number, Record<number, unknown>]>([
    ['have a gap', 4, { 1: () => ({}), 3: () => ({}) }],
    ['do not reach the version', 3, { 1: () => ({}) }],
    ['lead beyond the version', 2, { 1: () => ({}), 2: () => ({}) }],
    ['begin before 1', 2, { 0: () => ({}), 1: () => ({}) }],
    ['are no functions', 2, { 1: 'x' }],
  ])('[G2] is refused whose migrations %s', (_what, version, migrations) => {
    const define = () => defineMachine({ machine: lamp, version, migrations: migrations as never });
    expect(define).toThrow(expect.objectContaining({ code: 'invalid_definition' }));
  });

  it('[G2] may leave out versions that nobody has any more', () => {
    const migrations = { 3: (stored: StoredActor) => stored };
    expect(defineMachine({ machine: lamp, version: 4, migrations })).toMatchObject({ version: 4 });
  });
});
