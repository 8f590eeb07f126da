// Owner: one host at a time steps a store, whatever names lead to it and whoever races for it.

import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { TroupeError } from '../../actors/index.ts';
import { openTroupe } from '../../hosts/embedded/index.ts';
import { machines } from '../calls/support/behaving.ts';
import { calls } from '../calls/support/calls.ts';
import { until } from '../kit/index.ts';
import {
  lockFilesOf,
  type Program,
  rowsOf,
  startHost,
  startProgram,
  storeForTest,
} from './support/process.ts';

interface HostFacts {
  readonly incarnation: string;
  readonly pid: number;
}

function hostsOf(file: string): HostFacts[] {
  return rowsOf<HostFacts>(file, 'SELECT incarnation, pid FROM hosts');
}

/** The error of a host that is refused; fails when it is not. */
async function refusal(opening: Promise<unknown>): Promise<TroupeError> {
  return opening.then(
    () => {
      throw new Error('the second host was not refused');
    },
    (error: TroupeError) => error,
  );
}

it('[V4] a second host is refused by any path to the store, and told who lives (E23)', async () => {
  const { file, folder } = storeForTest();
  const host = await startHost(file);
  const [first] = hostsOf(file);
  expect(first?.pid).toBe(host.pid);
  const aside = join(folder, 'aside');
  mkdirSync(aside);
  symlinkSync(file, join(aside, 'link.db'));
  symlinkSync(folder, join(aside, 'linked-folder'));

  const second = startProgram();
  await second.ask('chdir', aside);
  for (const path of [
    file,
    'link.db',
    '../troupe.db',
    'linked-folder/troupe.db',
    join(aside, 'link.db'),
  ]) {
    const error = await refusal(second.ask('open', { store: path }));
    expect({ path, code: error.code }).toEqual({ path, code: 'host_running' });
    expect(error.message).toContain(first?.incarnation);
    expect(error.message).toContain(String(host.pid));
  }
  expect(hostsOf(file)).toEqual([first]);
  expect(lockFilesOf(file)).toHaveLength(1);
  expect(lockFilesOf(join(aside, 'link.db'))).toEqual([]);
  await host.ask('spawn', 'reader', 'a', { acts: [{ do: 'answer', value: 1 }] });
  expect(await host.ask('watch', 'reader/a', 'done')).toEqual(['working', 'done']);
});

it('[V4] what a host makes beside its store lies beside the file itself, not beside a link to it (E23)', async () => {
  const { file, folder } = storeForTest();
  const first = await startHost(file);
  await first.ask('close');
  const link = join(folder, 'aside.db');
  symlinkSync(file, link);
  expect(await first.ask('open', { store: link })).toBe(file);
  expect(lockFilesOf(file)).toHaveLength(1);
  expect(lockFilesOf(link)).toEqual([]);
  const error = await refusal(startProgram().ask('open', { store: file }));
  expect(error).toMatchObject({ code: 'host_running' });
});

it('[V4] two hosts in one process: the second is refused, and its look does not drop the lock of the first', async () => {
  const { file } = storeForTest();
  const options = { store: file, machines, calls };
  const troupe = await openTroupe(options);
  for (let count = 0; count < 3; count++) {
    await expect(openTroupe(options)).rejects.toMatchObject({
      code: 'host_running',
      details: { pid: process.pid, liveness: 'alive' },
    });
  }
  // A lock that this process had dropped by closing a descriptor would let another process in.
  const other = startProgram();
  const error = await refusal(other.ask('open', { store: file }));
  expect(error).toMatchObject({ code: 'host_running' });
  await troupe.close();
  await other.ask('open', { store: file });
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

it('[V4, V1] when many race for the store of a dead host, one gets it, round after round (C12)', async () => {
  const { file } = storeForTest();
  let dead = await startHost(file);
  let racers = Array.from({ length: 4 }, () => startProgram());
  await Promise.all(racers.map((racer) => racer.ask('fatal')));
  for (let round = 0; round < 5; round++) {
    await dead.kill();
    const results = await Promise.all(
      racers.map((racer) =>
        racer.ask('open', { store: file }).then(
          () => 'open',
          ({ code }: TroupeError) => code,
        ),
      ),
    );
    expect(results.filter((result) => result === 'open')).toHaveLength(1);
    expect(new Set(results)).toEqual(new Set(['open', 'host_running']));
    const winner = racers[results.indexOf('open')] as Program;
    expect(hostsOf(file).map(({ pid }) => pid)).toEqual([winner.pid]);
    dead = winner;
    racers = [...racers.filter((racer) => racer !== winner), startProgram()];
    await racers.at(-1)?.ask('fatal');
  }
  expect(lockFilesOf(file)).toHaveLength(1);
});

it('[V4] a contender that was paused before it registered finds the other one, and takes nothing from it (C12)', async () => {
  const { file } = storeForTest();
  const dead = await startHost(file);
  await dead.kill();
  const paused = startProgram();
  const opening = refusal(paused.ask('open', { store: file, stopAt: 'open.lockTaken' }));
  await until(() => lockFilesOf(file).length === 2, { what: 'the paused contender’s lock' });
  const other = await startHost(file);
  const [row] = hostsOf(file);
  paused.signal('SIGCONT');
  const error = await opening;
  expect(error.code).toBe('host_running');
  expect(error.message).toContain(row?.incarnation);
  expect(lockFilesOf(file)).toEqual([`troupe.db.host-${row?.incarnation}`]);
  await other.ask('spawn', 'reader', 'a', { acts: [{ do: 'answer' }] });
  expect(await other.ask('watch', 'reader/a', 'done')).toEqual(['working', 'done']);
});

it('[V4] a contender that was paused after it registered is the host, suspended or not (C12)', async () => {
  const { file } = storeForTest();
  const dead = await startHost(file);
  await dead.kill();
  const paused = startProgram();
  const opening = paused.ask('open', { store: file, stopAt: 'open.registered' });
  await until(() => hostsOf(file).some(({ pid }) => pid === paused.pid));
  const other = startProgram();
  expect(await refusal(other.ask('open', { store: file }))).toMatchObject({ code: 'host_running' });
  paused.signal('SIGCONT');
  await opening;
  expect(hostsOf(file).map(({ pid }) => pid)).toEqual([paused.pid]);
});
