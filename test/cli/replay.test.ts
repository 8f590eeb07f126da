// replay, show --at and fork from the command line: what they print, and how they exit.

import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { PastActor, Replay } from '../../hosts/embedded/index.ts';
import { openTroupe } from '../../hosts/embedded/index.ts';
import { type TemporaryStore, temporaryStore, until } from '../kit/index.ts';
import ticket, { part } from './modules/ticket.ts';
import { endAll, moduleFile, troupe } from './support/cli.ts';

let place: TemporaryStore;

/** A store that a host has left: an open ticket, a closed one, and one with a part. */
beforeAll(async () => {
  place = temporaryStore();
  const host = await openTroupe({ store: place.file, machines: [ticket, part] });
  await host.spawn(ticket, { id: 'open' });
  await host.spawn(ticket, { id: 'divided', input: { withChild: true } });
  const { address } = await host.spawn(ticket, { id: 'closed' });
  await host.send(address, { type: 'CLOSE', by: 'ann' });
  const isClosed = async () => (await host.get(address)).status === 'done';
  await until(isClosed, { what: 'the end of the ticket' });
  await host.close();
});

afterAll(() => {
  endAll();
  place.remove();
});

const withMachines = (...args: string[]) =>
  troupe([...args, '--store', place.file, '--config', moduleFile('machines.ts')]);

/** Changes the store as a foreign program would, for the time of some work. */
async function tampered<T>(change: string, undo: string, work: () => Promise<T>): Promise<T> {
  const connection = new Database(place.file);
  try {
    connection.exec(change);
    return await work();
  } finally {
    connection.exec(undo);
    connection.close();
  }
}

const miscounted = <T>(work: () => Promise<T>) =>
  tampered(
    `UPDATE actors SET snapshot = json_set(snapshot, '$.context.by', 'bob') WHERE id = 'ticket/closed'`,
    `UPDATE actors SET snapshot = json_set(snapshot, '$.context.by', 'ann') WHERE id = 'ticket/closed'`,
    work,
  );

it('[J2] replay says that an actor is equal to its journal, beside nobody and beside no terminal', async () => {
  expect(await withMachines('replay', 'ticket/closed')).toEqual({
    code: 0,
    stdout: 'ticket/closed is equal to its journal: 2 steps and 0 checkpoints from its birth\n',
    stderr: '',
  });
  const json = await withMachines('replay', 'ticket/closed', '--json');
  expect(JSON.parse(json.stdout) as Replay).toEqual({
    address: 'ticket/closed',
    from: 0,
    revision: 2,
    steps: 2,
    checkpoints: 0,
    mended: [],
  });
});

it('[J2] replay exits with 6 at a divergence, and shows it as a diff', async () => {
  const { text, json, all } = await miscounted(async () => ({
    text: await withMachines('replay', 'ticket/closed'),
    json: await withMachines('replay', 'ticket/closed', '--json'),
    all: await withMachines('replay', '--all'),
  }));
  expect(text).toMatchObject({ code: 6, stderr: '' });
  expect(text.stdout).toMatch(
    /^ticket\/closed differs from its journal at row \d+, revision 2, in snapshot; equal from its birth for 2 steps\n {2}\$\.context\.by\n {4}journal {2}"bob"\n {4}replay {3}"ann"\n$/,
  );
  expect(json.code).toBe(6);
  expect(JSON.parse(json.stdout) as Replay).toMatchObject({
    divergence: { what: 'snapshot', differences: [{ path: '$.context.by' }] },
  });
  expect(all.code).toBe(6);
  expect(all.stdout).toContain('ticket/closed differs from its journal');
  expect(all.stdout).toMatch(/^4 actors with \d+ steps replayed, 1 differ$/m);
});

it('[J2] replay --all replays every actor, and says of which it does not know the machine', async () => {
  const all = await withMachines('replay', '--all');
  expect(all).toMatchObject({ code: 0, stderr: '' });
  expect(all.stdout).toMatch(/^4 actors with \d+ steps replayed, 0 differ\n$/);
  const json = await withMachines('replay', '--all', '--json');
  const replays = json.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Replay);
  expect(replays.map(({ address }) => address)).toEqual([
    'subtask/divided.part@1',
    'ticket/closed',
    'ticket/divided',
    'ticket/open',
  ]);
  const unknown = await troupe(['replay', '--all', '--store', place.file]);
  expect(unknown.code).toBe(1);
  expect(unknown.stdout).toBe(
    '0 actors with 0 steps replayed, 0 differ, 4 could not be replayed\n',
  );
  expect(unknown.stderr).toContain("Machine 'ticket' of ticket/open is not registered");
});

it('[J2] replay wants one actor or all, and that it is there', async () => {
  expect(await withMachines('replay')).toMatchObject({ code: 2, stdout: '' });
  expect(await withMachines('replay', 'ticket/open', '--all')).toMatchObject({ code: 2 });
  const nobody = await withMachines('replay', 'ticket/nobody');
  expect(nobody).toMatchObject({ code: 3, stdout: '' });
});

it('[J3] show --at shows an actor as it was, and exits with 3 for a revision that is none', async () => {
  const first = await withMachines('show', 'ticket/closed', '--at', '1');
  expect(first).toMatchObject({ code: 0, stderr: '' });
  expect(first.stdout).toMatch(/^ticket\/closed at revision 1$/m);
  expect(first.stdout).toMatch(/^status {5}active$/m);
  expect(first.stdout).toMatch(/^state {6}open$/m);
  expect(first.stdout).toMatch(/^timers {5}xstate\.after\.3600000\.ticket\.open@1$/m);
  const json = await withMachines('show', 'ticket/closed', '--at', '2', '--json');
  expect(JSON.parse(json.stdout) as PastActor).toMatchObject({
    revision: 2,
    status: 'done',
    output: { by: 'ann' },
    event: { type: 'CLOSE' },
  });
  const none = await withMachines('show', 'ticket/closed', '--at', '3', '--json');
  expect(none).toMatchObject({ code: 3, stdout: '' });
  expect(JSON.parse(none.stderr)).toMatchObject({ code: 'revision_unknown' });
  const unknown = await troupe(['show', 'ticket/closed', '--at', '1', '--store', place.file]);
  expect(unknown).toMatchObject({ code: 1, stdout: '' });
});

it('[J4] fork prints the address of the new actor, which show tells to be stubbed', async () => {
  const why = ['--revision', '1', '--reason', 'what if', '--by', 'ann'];
  const fork = await withMachines('fork', 'ticket/closed', ...why, '--id', 'again');
  expect(fork).toEqual({
    code: 0,
    stdout: 'ticket/again\n',
    stderr: 'troupe: It begins at revision 1: troupe show ticket/again\n',
  });
  const shown = await withMachines('show', 'ticket/again');
  expect(shown.stdout).toMatch(/^status {5}active\n {11}a stubbed fork/m);
  expect(shown.stdout).toMatch(/^timers {5}3600000\.ticket\.open in/m);
  const replay = await withMachines('replay', 'ticket/again', '--json');
  expect(JSON.parse(replay.stdout)).toMatchObject({ from: 1, steps: 0 });
});

it('[J4] fork --live makes one that acts, and an id that is taken is refused', async () => {
  const why = ['--revision', '1', '--reason', 'what if', '--by', 'ann'];
  const live = await withMachines('fork', 'ticket/closed', ...why, '--live', '--json');
  const { address } = JSON.parse(live.stdout) as { address: string };
  const view = await withMachines('show', address, '--json');
  expect(JSON.parse(view.stdout)).toMatchObject({ isStubbed: false, state: 'open' });
  const taken = await withMachines('fork', 'ticket/closed', ...why, '--id', 'open');
  expect(taken).toMatchObject({ code: 4, stdout: '' });
});

it('[J5] fork wants a revision and a reason', async () => {
  const noReason = await withMachines('fork', 'ticket/closed', '--revision', '1');
  expect(noReason).toMatchObject({ code: 2, stdout: '' });
  const noRevision = await withMachines('fork', 'ticket/closed', '--reason', 'why');
  expect(noRevision).toMatchObject({ code: 2, stdout: '' });
  const blank = await withMachines('fork', 'ticket/closed', '--revision', '1', '--reason', ' ');
  expect(blank).toMatchObject({ code: 2, stdout: '' });
});
