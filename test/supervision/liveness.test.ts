// Liveness: only a lock proves anything, and it proves what it should.

import { copyFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { HOST_PROBE_MS } from '../../actors/limits.ts';
import { lockFileOf } from '../../persistence/index.ts';
import { calls, effectMachine, machines, openForTest } from '../calls/support/calls.ts';
import { until } from '../kit/index.ts';
import {
  lockFilesOf,
  type Program,
  rowsOf,
  startHost,
  startProgram,
  storeForTest,
  write,
} from './support/process.ts';

const CLAIMED = "SELECT 1 FROM calls WHERE status = 'claimed'";

function onlyLock(folder: string, file: string): string {
  const [name, ...more] = lockFilesOf(file);
  if (name === undefined || more.length > 0)
    throw new Error(`not one lock file: ${name}, ${more.join()}`);
  return join(folder, name);
}

/** True when another process that opens the store as a host leaves the row of this one where it is. */
async function isTakenAsAlive(file: string, host: Program, other = startProgram()) {
  await other.ask('open', { store: file });
  const rows = rowsOf(file, `SELECT 1 FROM hosts WHERE pid = ${host.pid}`);
  await other.ask('close');
  return rows.length === 1;
}

it('[V4] a suspended host is alive, however long it sleeps, and goes on when it wakes (E26)', async () => {
  const { file } = storeForTest();
  const host = await startHost(file);
  await host.ask('spawn', 'reader', 'a', { acts: [{ do: 'answer', value: 1 }] });
  await host.ask('watch', 'reader/a', 'done');
  host.signal('SIGSTOP');
  const other = startProgram();
  for (let count = 0; count < 5; count++) {
    expect(await isTakenAsAlive(file, host, other)).toBe(true);
  }
  host.signal('SIGCONT');
  await host.ask('spawn', 'reader', 'b', { acts: [{ do: 'answer', value: 2 }] });
  expect(await host.ask('watch', 'reader/b', 'done')).toEqual(['working', 'done']);
  host.signal('SIGSTOP');
  await host.kill();
  expect(await isTakenAsAlive(file, host, other)).toBe(false);
});

it('[V4] the age and the process id of a host prove nothing', async () => {
  const { file } = storeForTest();
  const host = await startHost(file);
  const other = startProgram();
  const [row] = rowsOf<{ pid: number }>(file, 'SELECT * FROM hosts');
  // A number that no process has.
  write(file, 'UPDATE hosts SET started_at = 0, pid = 99999999');
  expect(await isTakenAsAlive(file, { ...host, pid: 99_999_999 }, other)).toBe(true);
  await host.kill();
  // Nor does it keep a dead one alive that its number belongs to a living process now.
  write(file, `UPDATE hosts SET pid = ${process.pid}`);
  expect(row?.pid).toBe(host.pid);
  expect(await isTakenAsAlive(file, { ...host, pid: process.pid }, other)).toBe(false);
});

it('[V4] a missing lock file proves nothing, even of a host that is dead; its calls stay claimed', async () => {
  const { file, folder } = storeForTest();
  const host = await startHost(file);
  await host.ask('spawn', 'actor', 'a', { acts: [{ do: 'block' }] });
  await until(() => rowsOf(file, CLAIMED).length === 1);
  const lock = onlyLock(folder, file);
  await host.kill();
  const aside = join(folder, 'aside');
  renameSync(lock, aside);
  expect(await isTakenAsAlive(file, host)).toBe(true);
  expect(rowsOf(file, CLAIMED)).toHaveLength(1);
  renameSync(aside, lock);
  expect(await isTakenAsAlive(file, host)).toBe(false);
  expect(rowsOf(file, CLAIMED)).toEqual([]);
});

it('[V4] the row of a host that nothing proves dead may be removed by hand: its calls are settled by those that live', async () => {
  const { file, folder } = storeForTest();
  const host = await startHost(file);
  await host.ask('spawn', 'actor', 'a', { acts: [{ do: 'block' }] });
  await until(() => rowsOf(file, CLAIMED).length === 1);
  const lock = onlyLock(folder, file);
  await host.kill();
  rmSync(lock);
  const living = await startHost(file);
  expect(rowsOf(file, CLAIMED)).toHaveLength(1);
  write(file, `DELETE FROM hosts WHERE pid = ${host.pid}`);
  await until(() => rowsOf(file, CLAIMED).length === 0, { what: 'the call to be settled' });
  expect(await living.ask('watch', 'actor/a', 'failed')).toContain('failed');
});

it('[V4] a lock file that was replaced by a copy proves nothing', async () => {
  const { file, folder } = storeForTest();
  const host = await startHost(file);
  const lock = onlyLock(folder, file);
  await host.kill();
  const kept = join(folder, 'kept');
  renameSync(lock, kept);
  copyFileSync(kept, lock);
  expect(await isTakenAsAlive(file, host)).toBe(true);
  rmSync(lock);
  renameSync(kept, lock);
  expect(await isTakenAsAlive(file, host)).toBe(false);
});

it('[V4] what a prober opens and closes beside the store drops no lock of the host', async () => {
  const { file, folder } = storeForTest();
  const host = await startHost(file);
  const [prober, other] = [startProgram(), startProgram()];
  await prober.ask('open', { store: file, as: 'client' });
  for (const touched of [onlyLock(folder, file), file, `${file}-wal`, `${file}-shm`]) {
    await prober.ask('touch', touched);
    expect({ touched, isAlive: await isTakenAsAlive(file, host, other) }).toEqual({
      touched,
      isAlive: true,
    });
  }
  await host.ask('spawn', 'reader', 'a', { acts: [{ do: 'answer' }] });
  expect(await host.ask('watch', 'reader/a', 'done')).toEqual(['working', 'done']);
});

it('[V4] a Troupe that its program has forgotten still holds its lock', async () => {
  const { file } = storeForTest();
  const host = await startHost(file);
  await host.ask('spawn', 'actor', 'a', { acts: [{ do: 'block' }] });
  await host.ask('forget');
  const other = startProgram();
  for (let count = 0; count < 3; count++) {
    await host.ask('collectGarbage');
    expect(await isTakenAsAlive(file, host, other)).toBe(true);
  }
});

it('[V4] a host that was opened by a relative path keeps its lock when its program goes elsewhere', async () => {
  const { file, folder } = storeForTest();
  const host = startProgram();
  await host.ask('chdir', folder);
  expect(await host.ask('open', { store: 'troupe.db' })).toBe(file);
  await host.ask('chdir', '/');
  await host.ask('spawn', 'reader', 'a', { acts: [{ do: 'answer' }] });
  expect(await host.ask('watch', 'reader/a', 'done')).toEqual(['working', 'done']);
  expect(await isTakenAsAlive(file, host)).toBe(true);
});

const losses = [
  ['lock file is gone', (file: string, host: string) => rmSync(lockFileOf(file, host))],
  [
    'lock file is another one',
    (file: string, host: string) => {
      const lock = lockFileOf(file, host);
      copyFileSync(lock, `${lock}.copy`);
      renameSync(`${lock}.copy`, lock);
    },
  ],
] as const;

it.each(losses)('[V4] a host whose %s stops before its next commit', async (_what, lose) => {
  const fatal: string[] = [];
  const test = await openForTest({
    machines,
    calls,
    onFatal: (error) => fatal.push((error as { code?: string }).code ?? error.message),
  });
  const { address } = await test.troupe.spawn(effectMachine, { id: 'a' });
  await test.clock.settle();
  const [{ incarnation } = { incarnation: '' }] = test.rows<{ incarnation: string }>(
    'SELECT incarnation FROM hosts',
  );
  lose(test.file, incarnation);
  const before = test.rows('SELECT * FROM journal');
  await expect(test.troupe.send(address, { type: 'PING' })).rejects.toMatchObject({
    code: 'host_fenced',
    outcome: 'notWritten',
  });
  expect(fatal).toEqual(['host_fenced']);
  await expect(test.troupe.send(address, { type: 'PING' })).rejects.toMatchObject({
    code: 'host_fenced',
  });
  test.pool.newest('act').answer(1);
  await test.clock.advance(100);
  expect(test.rows('SELECT * FROM journal')).toEqual(before);
  expect(test.rows('SELECT 1 FROM messages')).toEqual([]);
});

it('[V4] a host whose row was deleted stops before its next commit, and starts nothing', async () => {
  const fatal: string[] = [];
  const test = await openForTest({
    machines,
    calls,
    onFatal: (error) => fatal.push((error as { code?: string }).code ?? error.message),
  });
  const { address } = await test.troupe.spawn(effectMachine, { id: 'a' });
  await test.clock.settle();
  test.write("DELETE FROM hosts; UPDATE calls SET status = 'unknown'");
  await expect(test.troupe.spawn(effectMachine, { id: 'b' })).rejects.toMatchObject({
    code: 'host_fenced',
    outcome: 'notWritten',
  });
  test.pool.newest('act').answer('late');
  await test.clock.advance(100);
  expect(fatal).toEqual(['host_fenced']);
  expect(test.pool.started).toHaveLength(1);
  expect(await test.troupe.get(address)).toMatchObject({ revision: 1, state: 'working' });
  expect(test.rows('SELECT 1 FROM actors')).toHaveLength(1);
  expect(test.rows('SELECT status FROM calls')).toEqual([{ status: 'unknown' }]);
});

it('[V4] a fenced host finds out by itself, although it has nothing to write', async () => {
  const fatal: string[] = [];
  const test = await openForTest({
    machines,
    calls,
    onFatal: (error) => fatal.push((error as { code?: string }).code ?? error.message),
  });
  test.write('DELETE FROM hosts');
  await test.clock.advance(HOST_PROBE_MS);
  expect(fatal).toEqual(['host_fenced']);
});

it('[V4] a fenced host finds out by itself when the answer of a call comes in', async () => {
  const fatal: string[] = [];
  const test = await openForTest({
    machines,
    calls,
    onFatal: (error) => fatal.push((error as { code?: string }).code ?? error.message),
  });
  await test.troupe.spawn(effectMachine, { id: 'a' });
  await test.clock.settle();
  test.write('DELETE FROM hosts');
  test.pool.newest('act').answer(1);
  await until(() => fatal.length > 0);
  expect(fatal).toEqual(['host_fenced']);
  expect(test.rows('SELECT status FROM calls')).toEqual([{ status: 'claimed' }]);
});
