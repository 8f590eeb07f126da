// K9: whole trees of actors are stopped and made anew together.

import { describe, expect, it } from 'vitest';
import { createMachine, fromPromise, setup, spawnChild, stopChild } from 'xstate';
import { defineMachine } from '../../actors/index.ts';
import { durable, lives, start } from './harness.ts';

const leaf = createMachine({ id: 'leaf', after: { 10_000: { actions: () => {} } } });
const branch = setup({ actors: { leaf, job: fromPromise(async () => 1) } }).createMachine({
  id: 'branch',
  entry: [
    spawnChild('leaf', { id: 'a' }),
    spawnChild('leaf', { id: 'b' }),
    spawnChild('job', { id: 'j' }),
  ],
});
const tree = setup({ actors: { branch } }).createMachine({
  id: 'tree',
  initial: 'growing',
  states: {
    growing: {
      entry: spawnChild('branch', { id: 'left' }),
      invoke: { id: 'right', src: 'branch' },
      on: {
        CUT: { actions: stopChild('left') },
        AGAIN: { target: 'growing', reenter: true },
        REST: 'resting',
      },
      after: { 60_000: 'resting' },
    },
    resting: {},
  },
});
const forest = [
  durable(tree),
  // A read: a restart runs it again instead of ending the branch with it.
  defineMachine({ machine: branch, version: 1, promises: { job: { class: 'read' } } }),
  durable(leaf),
];

describe('stopping', () => {
  it.each(lives)('[K9] a child stops all below it, and no more, %s', async (_name, life) => {
    const test = await start({ machines: forest });
    await test.troupe.spawn(durable(tree), { id: '1' });
    await life(test);
    await test.troupe.send('tree/1', { type: 'CUT' });
    await life(test);
    const stopped = await test.troupe.list({ status: 'stopped' });
    expect(stopped.map(({ address }) => address)).toEqual([
      'branch/1.left@1',
      'leaf/1.left@1.a@1',
      'leaf/1.left@1.b@1',
    ]);
    expect(test.rows("SELECT actor FROM messages WHERE kind = 'timer' ORDER BY actor")).toEqual([
      { actor: 'leaf/1.right@1.a@1' },
      { actor: 'leaf/1.right@1.b@1' },
      { actor: 'tree/1' },
    ]);
    expect(
      (await test.troupe.get('branch/1.left@1')).calls.map(({ status }) => status),
    ).not.toContain('claimed');
    await test.troupe.send('tree/1', { type: 'REST' });
    expect((await test.troupe.list({ status: 'active' })).map(({ address }) => address)).toEqual([
      // The left branch was spawned, so it is not of the state; it was cut before.
      'tree/1',
    ]);
  });

  it.each(lives)(
    '[K9, T2] re-entering makes a new child, timer and call, %s',
    async (_name, life) => {
      const test = await start({ machines: forest });
      await test.troupe.spawn(durable(tree), { id: '1' });
      await life(test);
      await test.troupe.send('tree/1', { type: 'AGAIN' });
      await life(test);
      const active = await test.troupe.list({ machine: 'branch', status: 'active' });
      expect(active.map(({ address }) => address)).toEqual(['branch/1.left@2', 'branch/1.right@2']);
      const { timers } = await test.troupe.get('tree/1');
      expect(timers).toHaveLength(1);
      expect(new Set(test.pool.started.map(({ callId }) => callId))).toContain(
        'branch/1.right@2#j@1',
      );
      const rights = await test.troupe.list({ machine: 'branch' });
      expect(rights.map(({ address, status }) => [address, status])).toEqual([
        ['branch/1.left@1', 'stopped'],
        ['branch/1.left@2', 'active'],
        ['branch/1.right@1', 'stopped'],
        ['branch/1.right@2', 'active'],
      ]);
    },
  );
});
