// Owners: the hosts of one store, whatever names lead to it and whoever races to settle a dead one.

import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openTroupe } from '../../hosts/embedded/index.ts';
import { machines } from '../calls/support/behaving.ts';
import { calls } from '../calls/support/calls.ts';
import { until } from '../kit/index.ts';
import { lockFilesOf, rowsOf, startHost, startProgram, storeForTest } from './support/process.ts';

interface HostFacts {
  readonly incarnation: string;
  readonly pid: number;
}

function hostsOf(file: string): HostFacts[] {
  return rowsOf<HostFacts>(file, 'SELECT incarnation, pid FROM hosts');
}

it('[V5, V4] hosts that open one store by any path step it together (E23)', async () => {
  const { file, folder } = storeForTest();
  const host = await startHost(file);
  const aside = join(folder, 'aside');
  mkdirSync(aside);
  symlinkSync(file, join(aside, 'link.db'));
  symlinkSync(folder, join(aside, 'linked-folder'));
  const paths = ['link.db', '../troupe.db', 'linked-folder/troupe.db'];
  const others = paths.map(() => startProgram());
  for (const [index, other] of others.entries()) {
    await other.ask('chdir', aside);
    expect(await other.ask('open', { store: paths[index] })).toBe(file);
  }
  const pids = [host, ...others].map(({ pid }) => pid);
  expect(new Set(hostsOf(file).map(({ pid }) => pid))).toEqual(new Set(pids));
  expect(lockFilesOf(file)).toHaveLength(pids.length);
  expect(lockFilesOf(join(aside, 'link.db'))).toEqual([]);
  for (const [index, program] of [host, ...others].entries()) {
    await program.ask('spawn', 'reader', `a${index}`, { acts: [{ do: 'answer', value: 1 }] });
  }
  for (const [index, program] of [...others, host].entries()) {
    expect(await program.ask('watch', `reader/a${index}`, 'done')).toContain('done');
  }
});

it('[V4, V5] two hosts in one process: the look of one does not drop the lock of the other', async () => {
  const { file } = storeForTest();
  const options = { store: file, machines, calls };
  const first = await openTroupe(options);
  const second = await openTroupe(options);
  const other = startProgram();
  // A lock that this process had dropped by closing a descriptor would let another process see one of them dead.
  await other.ask('open', { store: file });
  expect(hostsOf(file)).toHaveLength(3);
  await first.close();
  expect(hostsOf(file).map(({ pid }) => pid)).toEqual([process.pid, other.pid]);
  await second.close();
  expect(hostsOf(file).map(({ pid }) => pid)).toEqual([other.pid]);
});

it('[V4] a host that dropped its own lock, as any descriptor of it that it closes does, is fenced by the next', async () => {
  const { file, folder } = storeForTest();
  const careless = await startHost(file);
  await careless.ask('spawn', 'actor', 'a', { acts: [{ do: 'block' }] });
  await careless.ask('touch', join(folder, lockFilesOf(file)[0] ?? ''));
  const next = await startHost(file);
  expect(hostsOf(file).map(({ pid }) => pid)).toEqual([next.pid]);
  const sent = careless.ask('send', 'actor/a', { type: 'PING' });
  await expect(sent).rejects.toMatchObject({ code: 'host_fenced' });
  expect(await careless.ask('fatal')).toBe('host_fenced');
  expect(await next.ask('get', 'actor/a')).toMatchObject({
    state: 'failed',
    context: { pings: 0, error: { code: 'interrupted', outcome: 'unknown' } },
  });
});

it('[V4] a host may be opened again when the one before has left or died', async () => {
  const { file } = storeForTest();
  const first = await startHost(file);
  await first.ask('close');
  expect(hostsOf(file)).toEqual([]);
  expect(lockFilesOf(file)).toEqual([]);
  const second = await startHost(file);
  await second.kill();
  expect(lockFilesOf(file)).toHaveLength(1);
  const third = await startHost(file);
  expect(hostsOf(file).map(({ pid }) => pid)).toEqual([third.pid]);
  expect(lockFilesOf(file)).toHaveLength(1);
});

it('[V4, V1] when many race for the store of a dead host, one settles it and all of them serve, round after round (C12)', async () => {
  const { file } = storeForTest();
  const racers = Array.from({ length: 4 }, () => startProgram());
  await Promise.all(racers.map((racer) => racer.ask('fatal')));
  for (let round = 0; round < 3; round++) {
    const dead = await startHost(file);
    await dead.ask('spawn', 'actor', `a${round}`, { acts: [{ do: 'block' }] });
    await until(() => rowsOf(file, "SELECT 1 FROM calls WHERE status = 'claimed'").length === 1);
    await dead.kill();
    await Promise.all(racers.map((racer) => racer.ask('open', { store: file })));
    const living = new Set(racers.map(({ pid }) => pid));
    expect(new Set(hostsOf(file).map(({ pid }) => pid))).toEqual(living);
    const answers = `SELECT 1 FROM journal WHERE actor = 'actor/a${round}' AND event LIKE '%"interrupted"%'`;
    await until(() => rowsOf(file, answers).length > 0);
    expect(rowsOf(file, answers)).toHaveLength(1);
    await Promise.all(racers.map((racer) => racer.ask('close')));
  }
  expect(lockFilesOf(file)).toEqual([]);
});

it('[V4, V5] a host that dies is settled by a living one, without any start', async () => {
  const { file } = storeForTest();
  const living = await startHost(file);
  const dying = await startHost(file);
  await dying.ask('spawn', 'actor', 'a', { acts: [{ do: 'block' }] });
  await dying.ask('spawn', 'actor', 'b', { acts: [{ do: 'block' }] });
  const claimed = `SELECT host FROM calls WHERE status = 'claimed' AND host IN (SELECT incarnation FROM hosts WHERE pid = ${dying.pid})`;
  await until(() => rowsOf(file, "SELECT 1 FROM calls WHERE status = 'claimed'").length === 2);
  const ofDying = rowsOf(file, claimed).length;
  await dying.kill();
  await until(() => hostsOf(file).length === 1, { what: 'the dead host to be settled' });
  await until(() => lockFilesOf(file).length === 1, { what: 'its lock file to be removed' });
  const unknown = rowsOf(file, "SELECT 1 FROM calls WHERE status = 'unknown'");
  expect(unknown).toHaveLength(ofDying);
  expect(await living.ask('list')).toHaveLength(2);
});

it('[V4] a contender that was paused before it registered finds the other one, and takes nothing from it (C12)', async () => {
  const { file } = storeForTest();
  const dead = await startHost(file);
  await dead.kill();
  const paused = startProgram();
  const opening = paused.ask('open', { store: file, stopAt: 'open.lockTaken' });
  await until(() => lockFilesOf(file).length === 2, { what: 'the paused contender’s lock' });
  const other = await startHost(file);
  const [row] = hostsOf(file);
  expect(row?.pid).toBe(other.pid);
  paused.signal('SIGCONT');
  await opening;
  expect(new Set(hostsOf(file).map(({ pid }) => pid))).toEqual(new Set([other.pid, paused.pid]));
  await other.ask('spawn', 'reader', 'a', { acts: [{ do: 'answer' }] });
  expect(await other.ask('watch', 'reader/a', 'done')).toContain('done');
});

it('[V4] a contender that was paused after it registered is a host, suspended or not (C12)', async () => {
  const { file } = storeForTest();
  const dead = await startHost(file);
  await dead.kill();
  const paused = startProgram();
  const opening = paused.ask('open', { store: file, stopAt: 'open.registered' });
  await until(() => hostsOf(file).some(({ pid }) => pid === paused.pid));
  const other = await startHost(file);
  expect(new Set(hostsOf(file).map(({ pid }) => pid))).toEqual(new Set([paused.pid, other.pid]));
  paused.signal('SIGCONT');
  await opening;
  expect(hostsOf(file)).toHaveLength(2);
});
