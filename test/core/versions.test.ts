// G1: a stored actor names its machine and version; only a host that brings both steps it (E05).

import { describe, expect, it } from 'vitest';
import { createMachine } from 'xstate';
import { defineMachine } from '../../actors/index.ts';
import { openTestTroupe, type TestTroupe } from '../kit/index.ts';
import { durable, refusal, start } from './harness.ts';

const photos = createMachine({
  id: 'photos',
  initial: 'a',
  states: { a: { on: { GO: 'b' } }, b: { type: 'final' } },
});
const music = createMachine({
  id: 'music',
  initial: 'x',
  states: { x: { on: { GO: 'y' } }, y: {} },
});
const versionOf = (version: number) => defineMachine({ machine: photos, version });

async function stored(): Promise<TestTroupe> {
  const test = await start({ machines: [versionOf(2)] });
  await test.troupe.spawn(versionOf(2), { id: '1' });
  await test.leave();
  return test;
}

describe('E05: a store whose actor is in another version', () => {
  it.each([1, 3, 99])(
    '[G1] is refused by a host that brings version %d, and stays as it is',
    async (version) => {
      const test = await stored();
      const before = test.rows('SELECT * FROM actors');
      const error = await refusal(
        openTestTroupe({ store: test.file, machines: [versionOf(version)] }),
        'machine_version',
      );
      expect(error.message).toContain('photos/1 is stored in version 2');
      expect(error.message).toContain(`brings version ${version}`);
      expect(error).toMatchObject({ details: { stored: 2, registered: version } });
      expect(test.rows('SELECT * FROM actors')).toEqual(before);
      expect(test.rows('SELECT * FROM hosts')).toEqual([]);
      const troupe = await test.reopen();
      await troupe.send('photos/1', { type: 'GO' });
      expect(await troupe.get('photos/1')).toMatchObject({ status: 'done' });
    },
  );

  it('[G1] is no hindrance when that actor has ended', async () => {
    const test = await stored();
    await test.reopen();
    await test.troupe.send('photos/1', { type: 'GO' });
    await test.reopen({ machines: [versionOf(3)] });
    await test.troupe.spawn(versionOf(3), { id: '2' });
    expect(await test.troupe.get('photos/2')).toMatchObject({ version: 3 });
  });
});

describe('E05: a host that does not know the machine', () => {
  it('[G1] leaves its actors alone, and their messages for one that does', async () => {
    const test = await stored();
    const other = await start({ store: test.file, clock: test.clock, machines: [durable(music)] });
    await other.troupe.spawn(durable(music), { id: '1' });
    await other.troupe.send('photos/1', { type: 'GO' });
    await other.troupe.send('music/1', { type: 'GO' });
    expect(await other.troupe.get('music/1')).toMatchObject({ state: 'y' });
    expect(await other.troupe.get('photos/1')).toMatchObject({ status: 'active', state: 'a' });
    await refusal(other.troupe.spawn(versionOf(2), { id: '2' }), 'machine_unknown');
    await other.leave();
    await test.reopen();
    expect(await test.troupe.get('photos/1')).toMatchObject({ status: 'done', state: 'b' });
  });

  it('[G1] a machine of the same name with other states parks what it cannot read', async () => {
    const test = await stored();
    const other = createMachine({
      id: 'photos',
      initial: 'c',
      states: { c: { on: { GO: 'd' } }, d: {} },
    });
    const impostor = defineMachine({ machine: other, version: 2 });
    await test.reopen({ machines: [impostor] });
    await test.troupe.send('photos/1', { type: 'GO' });
    const before = await test.troupe.get('photos/1');
    expect(before).toMatchObject({ status: 'stuck', state: 'a', stuck: { code: 'state_unknown' } });
    expect(before.stuck?.message).toContain('migrate, or bring the state back');
  });
});
