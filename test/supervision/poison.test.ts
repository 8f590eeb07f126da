// Poison: a message whose step ends its host ends two of them, and no third.

import { closeSync, fstatSync, openSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { sendTo, setup } from 'xstate';
import { defineMachine, type SendReceipt } from '../../actors/index.ts';
import { openTroupe } from '../../hosts/embedded/index.ts';
import { noteFileOf, stepNoteFiles, takeHostLock } from '../../persistence/index.ts';
import { effectMachine, machines, openForTest } from '../calls/support/calls.ts';
import { type TestTroupe, until } from '../kit/index.ts';
import { type Deed, type DoEvent, deadly, passing } from './support/deadly.ts';
import {
  type Exit,
  type Program,
  rowsOf,
  startHost,
  startProgram,
  storeForTest,
} from './support/process.ts';
import type { Opening } from './support/program.ts';

/** Short enough to be waited for, long enough for a step that is well. */
const watchdog = { limitMs: 600, lookMs: 50 };

interface Waiting {
  readonly seq: number;
  readonly held: number;
  readonly deaths: number;
}

function waiting(file: string, actor: string): Waiting[] {
  return rowsOf<Waiting>(
    file,
    `SELECT seq, held, deaths FROM messages WHERE actor = '${actor}' ORDER BY seq`,
  );
}

function doing(deed: Deed): DoEvent {
  return { type: 'DO', deed };
}

type SentEvent = DoEvent | { readonly type: 'PASS'; readonly to: string; readonly event: DoEvent };

interface Prepared {
  readonly file: string;
  readonly folder: string;
  /** Sends beside a host: when it settles the message is on disk, and no group has stepped it. */
  readonly send: (to: string, event: SentEvent) => Promise<SendReceipt>;
}

/** A store with actors that have been born. */
async function storeWith(...ids: readonly string[]): Promise<Prepared> {
  const { file, folder } = storeForTest();
  const first = await openTroupe({ store: file, machines: [deadly, passing] });
  for (const id of ids) await first.spawn(deadly, { id });
  await first.spawn(passing, { id: 'p' });
  await first.close();
  const client = await openTroupe({ store: file });
  onTestFinished(() => client.close());
  return {
    file,
    folder,
    send: (to, event) => client.send(to, event),
  };
}

interface Life extends Exit {
  readonly stderr: string;
}

/** A host that does not live long. @returns how it ended. */
async function shortLived(file: string, opening: Omit<Opening, 'store'> = {}): Promise<Life> {
  const host = startProgram();
  const opened = host.ask('open', { store: file, watchdog, ...opening });
  const [exit] = await Promise.all([host.exited, opened.catch(() => {})]);
  return { ...exit, stderr: host.stderr() };
}

const KILLED = { code: null, signal: 'SIGKILL' };

async function taken(host: Program, actor: string): Promise<number> {
  const { context } = await host.ask<{ context: { taken: number } }>('get', actor);
  return context.taken;
}

const deeds = [
  ['kill', KILLED, 'abort', { code: null, signal: 'SIGABRT' }],
  ['exit', { code: 3, signal: null }, 'loop', KILLED],
] as const;

it.each(deeds)(
  '[V3] two hosts that a message ended (%s, %o, %s, %o) are enough: its actor is parked, the message kept, and all others go on',
  async (first, firstEnd, second, secondEnd) => {
    const { file, folder, send } = await storeWith('a', 'b');
    await send('deadly/b', doing({ do: 'nothing' }));
    const inTurn = {
      do: 'inTurn',
      deeds: [{ do: first }, { do: second }],
      file: join(folder, 'turn'),
    } as const;
    const { seq } = await send('deadly/a', doing(inTurn));
    expect(await shortLived(file)).toMatchObject(firstEnd);
    expect(waiting(file, 'deadly/a')).toEqual([{ seq, held: 0, deaths: 0 }]);
    const { stderr, ...end } = await shortLived(file);
    expect(end).toEqual(secondEnd);
    expect(stderr.includes(`message ${seq} to deadly/a has been in its step`)).toBe(
      second === 'loop',
    );
    expect(waiting(file, 'deadly/a')).toEqual([{ seq, held: 0, deaths: 1 }]);

    const host = await startHost(file, { watchdog });
    expect(await host.ask('get', 'deadly/a')).toMatchObject({
      status: 'stuck',
      revision: 1,
      context: { taken: 0 },
      stuck: { code: 'message_poisoned', messageSeq: seq, event: 'DO' },
    });
    expect(waiting(file, 'deadly/a')).toEqual([{ seq, held: 1, deaths: 2 }]);
    await expect(send('deadly/a', doing({ do: 'nothing' }))).rejects.toMatchObject({
      code: 'actor_stuck',
    });
    // The first of the two was in the groups that were lost with their hosts.
    await send('deadly/b', doing({ do: 'nothing' }));
    await until(async () => (await taken(host, 'deadly/b')) === 2);
    expect(rowsOf(file, "SELECT actor, message FROM journal WHERE kind = 'stuck'")).toEqual([
      { actor: 'deadly/a', message: seq },
    ]);
    expect(statSync(inTurn.file).size).toBe(2);
  },
);

it('[V3] deaths in different messages do not add up, and one that did not repeat itself is forgotten', async () => {
  const { file, folder, send } = await storeWith('a');
  for (const name of ['one', 'two']) {
    const once = { do: 'inTurn', deeds: [{ do: 'kill' }], file: join(folder, name) } as const;
    await send('deadly/a', doing(once));
  }
  for (let count = 0; count < 2; count++) expect(await shortLived(file)).toMatchObject(KILLED);
  const host = await startHost(file);
  expect(await host.ask('get', 'deadly/a')).toMatchObject({
    status: 'active',
    context: { taken: 2 },
  });
  expect(waiting(file, 'deadly/a')).toEqual([]);
});

it('[V3] a host that dies between its steps and their commit counts for no message', async () => {
  const { file, send } = await storeWith('a');
  const { seq } = await send('deadly/a', doing({ do: 'nothing' }));
  const killAt = { boundary: 'group.beforeCommit', count: 1 } as const;
  for (let count = 0; count < 2; count++) {
    expect(await shortLived(file, { killAt })).toMatchObject(KILLED);
    expect(waiting(file, 'deadly/a')).toEqual([{ seq, held: 0, deaths: 0 }]);
  }
  const host = await startHost(file);
  expect(await host.ask('get', 'deadly/a')).toMatchObject({ context: { taken: 1 } });
});

it('[V3] a message from another actor parks its actor too, though its first group was lost with it', async () => {
  const { file, send } = await storeWith('a');
  await send('passing/p', { type: 'PASS', to: 'deadly/a', event: doing({ do: 'kill' }) });
  const isStuck = () => rowsOf(file, "SELECT 1 FROM actors WHERE status = 'stuck'").length > 0;
  let deaths = 0;
  while (!isStuck()) {
    const host = startProgram();
    host.ask('open', { store: file }).catch(() => {});
    let isDead = false;
    void host.exited.then(() => {
      isDead = true;
      deaths++;
    });
    await until(() => isDead || isStuck());
  }
  // Where both steps were in one group, the first death had no name.
  expect([2, 3]).toContain(deaths);
  expect(rowsOf(file, 'SELECT id, status, revision FROM actors ORDER BY id')).toEqual([
    { id: 'deadly/a', status: 'stuck', revision: 1 },
    { id: 'passing/p', status: 'active', revision: 2 },
  ]);
});

it('[V3] after a death in a message that its own group had written, such messages are committed before they are stepped', async () => {
  const seen: unknown[] = [];
  const relay = passingOn('relay', () => {});
  const target = passingOn('target', () => {
    const [host] = test.rows<{ incarnation: string }>('SELECT incarnation FROM hosts');
    const noted = stepNoteFiles(test.file).read(host?.incarnation ?? '');
    const committed = test.rows<{ seq: number }>(
      "SELECT seq FROM messages WHERE machine = 'target'",
    );
    seen.push({ ...noted, isThere: committed.some(({ seq }) => seq === noted?.seq) });
  });
  const test = await openForTest({ machines: [relay, target] });
  await test.troupe.spawn(target, { id: '1' });
  const { address } = await test.troupe.spawn(relay, { id: '1' });
  await test.clock.settle();
  await test.troupe.send(address, { type: 'HI' });
  await test.clock.settle();
  // The relay's message, the first of several that are new: none of them can be named.
  expect(seen).toEqual([{ seq: 3, isNew: true, isThere: false }]);

  await test.leave();
  leaveDead(test, numbers(MARK, -4, 4));
  await test.reopen();
  await test.troupe.send(address, { type: 'HI' });
  await test.clock.settle();
  expect(seen.slice(1)).toEqual([{ seq: 6, isNew: false, isThere: true }]);
  expect(await test.troupe.get('target/1')).toMatchObject({ revision: 3 });
});

/** Passes HI on to the target, and looks in a guard. */
function passingOn(id: 'relay' | 'target', look: () => void) {
  const guard = (): boolean => {
    look();
    return true;
  };
  return defineMachine({
    version: 1,
    machine: setup({ types: { events: {} as { type: 'HI' } } }).createMachine({
      id,
      on: {
        HI: {
          guard,
          actions:
            id === 'relay' ? sendTo(({ system }) => system.get('target/1'), { type: 'HI' }) : [],
        },
      },
    }),
  });
}

it('[V3] a host that leaves removes its note, and the next one removes that of a dead host', async () => {
  const { file } = storeForTest();
  const dead = await startHost(file);
  const [first] = rowsOf<{ incarnation: string }>(file, 'SELECT incarnation FROM hosts');
  const note = noteFileOf(file, first?.incarnation ?? '');
  expect(statSync(note).size).toBe(24);
  await dead.kill();
  const host = await startHost(file);
  expect(statSync(note, { throwIfNoEntry: false })).toBeUndefined();
  const [second] = rowsOf<{ incarnation: string }>(file, 'SELECT incarnation FROM hosts');
  expect(statSync(noteFileOf(file, second?.incarnation ?? '')).size).toBe(24);
  await host.ask('close');
  expect(
    statSync(noteFileOf(file, second?.incarnation ?? ''), { throwIfNoEntry: false }),
  ).toBeUndefined();
});

it('[V3] a note that is closed touches no other file that has got its number', () => {
  const { file, folder } = storeForTest();
  const note = stepNoteFiles(file).open('HOST');
  note.write({ seq: 5, isNew: false });
  note.close();
  const other = join(folder, 'other');
  const descriptor = openSync(other, 'w');
  note.close();
  note.write({ seq: 6, isNew: false });
  note.clear();
  expect(fstatSync(descriptor).size).toBe(0);
  closeSync(descriptor);
  expect(stepNoteFiles(file).read('HOST')).toEqual({ seq: 5, isNew: false });
});

const WAITS = 7;
const HELD = 8;
const GONE = 9;

/** Leaves a note with these numbers, as a host that died would. */
function numbers(...values: readonly number[]): Buffer {
  return Buffer.from(new Float64Array(values).buffer);
}

const MARK = 0x53746570;

/** What a host leaves that died. */
function leaveDead(test: TestTroupe, note: Buffer | undefined): void {
  const lock = takeHostLock(test.file, 'DEAD');
  lock.unlock();
  test.write(
    "INSERT INTO hosts(incarnation, lock_file, inode, schema, pid, started_at) VALUES ('DEAD', ?, ?, 3, 1, 0)",
    lock.file,
    lock.inode,
  );
  if (note !== undefined) writeFileSync(noteFileOf(test.file, 'DEAD'), note);
}

const notes = [
  ['a whole note counts', numbers(MARK, WAITS, -WAITS), [1, 0]],
  ['no note counts nothing', undefined, [0, 0]],
  ['an empty note counts nothing', Buffer.alloc(0), [0, 0]],
  ['a note of zeros counts nothing', Buffer.alloc(24), [0, 0]],
  ['a torn note counts nothing', numbers(MARK, WAITS), [0, 0]],
  ['a note of two steps counts nothing', numbers(MARK, WAITS, -HELD), [0, 0]],
  ['a file of somebody else counts nothing', numbers(1, WAITS, -WAITS), [0, 0]],
  ['a note between steps counts nothing', numbers(MARK, 0, -0), [0, 0]],
  ['a message that was stepped meanwhile counts nothing', numbers(MARK, GONE, -GONE), [0, 0]],
  ['the message of a stuck actor counts nothing', numbers(MARK, HELD, -HELD), [0, 0]],
  ['a message that was lost with its group counts nothing', numbers(MARK, -WAITS, WAITS), [0, 0]],
] as const;

it.each(notes)('[V3] of a dead host, %s', async (_what, note, deaths) => {
  const test = await openForTest({ machines });
  const { address } = await test.troupe.spawn(effectMachine, { id: 'a' });
  await test.clock.settle();
  await test.leave();
  // Messages of a machine that the next host does not bring: it counts, and leaves them where they are.
  for (const [seq, held] of [
    [WAITS, 0],
    [HELD, 1],
  ]) {
    test.write(
      `INSERT INTO messages(seq, actor, machine, event, kind, ready_at, held) VALUES (?, ?, 'actor', '{"type":"PING"}', 'event', 0, ?)`,
      seq,
      address,
      held,
    );
  }
  leaveDead(test, note);
  await test.reopen({ machines: [machines[0] as never] });
  expect(test.rows('SELECT deaths FROM messages ORDER BY seq')).toEqual(
    deaths.map((count) => ({ deaths: count })),
  );
  expect(test.rows("SELECT 1 FROM hosts WHERE incarnation = 'DEAD'")).toEqual([]);
  // Read once: a host that comes later finds nothing more to count.
  await test.reopen();
  expect(test.rows('SELECT sum(deaths) AS deaths FROM messages')).toEqual([
    { deaths: deaths[0] + deaths[1] },
  ]);
});

it('[V3] the watchdog leaves steps alone that take long together, and none of them too long', async () => {
  const { file, send } = await storeWith('a');
  const host = await startHost(file, { watchdog: { limitMs: 1_000, lookMs: 25 } });
  const spins = 6;
  for (let count = 0; count < spins; count++) {
    await send('deadly/a', doing({ do: 'spin', ms: 300 }));
  }
  await until(async () => (await taken(host, 'deadly/a')) === spins);
});

it('[V3] a process that was suspended in a step for longer than the limit is not ended when it wakes', async () => {
  const { file, folder, send } = await storeWith('a');
  const limits = { limitMs: 2_000, lookMs: 50 };
  const host = await startHost(file, { watchdog: limits });
  const [row] = rowsOf<{ incarnation: string }>(file, 'SELECT incarnation FROM hosts');
  const gate = join(folder, 'gate');
  await send('deadly/a', doing({ do: 'await', file: gate }));
  await until(() => stepNoteFiles(file).read(row?.incarnation ?? '') !== undefined);
  // Long enough for the watchdog to see the step, and after the pause for one that goes by the clock to end it.
  await hasPassed(400);
  host.signal('SIGSTOP');
  await hasPassed(limits.limitMs + 500);
  host.signal('SIGCONT');
  await hasPassed(400);
  writeFileSync(gate, '');
  await until(async () => (await taken(host, 'deadly/a')) === 1);
});

it('[V3] a watchdog alone keeps no process alive', async () => {
  const program = startProgram();
  await program.ask('watchAlone');
  expect(await program.exited).toEqual({ code: 0, signal: null });
});

/** Waits until time has passed: what a clock would count. */
async function hasPassed(ms: number): Promise<void> {
  const untilMs = performance.now() + ms;
  await until(() => performance.now() > untilMs, { what: `${ms} ms` });
}
