// J4: a fork begins as its source was, acts on nothing outside unless asked to, and replays like any actor.

import { describe, expect, it } from 'vitest';
import type { ForkOptions, Troupe } from '../../actors/index.ts';
import { CHECKPOINT_REVISIONS } from '../../actors/limits.ts';
import { durable, refusal, start } from '../core/harness.ts';
import type { TestTroupe } from '../kit/index.ts';
import { counter, dumpOf, log, work } from './machines.ts';

const SOURCE = 'work/source';
const FORK = 'work/fork';
const WHO = { by: 'ann', reason: 'to see' };

/** A source that has taken these events; answers of its calls come as asked for. */
async function worked(...types: readonly string[]): Promise<TestTroupe> {
  const machines = [durable(work), durable(log)];
  const test = await start({ machines });
  await test.troupe.spawn(durable(log), { id: 'all' });
  await test.troupe.spawn(durable(work), { id: 'source' });
  for (const type of types) await send(test, SOURCE, type);
  return test;
}

async function send({ troupe, clock }: TestTroupe, address: string, type: string): Promise<void> {
  await troupe.send(address, { type });
  await clock.settle();
}

async function fork(test: TestTroupe, options: Partial<ForkOptions> & { revision: number }) {
  const made = await test.troupe.fork(SOURCE, { id: 'fork', ...WHO, ...options });
  await test.clock.settle();
  return made;
}

const equal = async (troupe: Troupe, address: string) =>
  expect(await troupe.replay(address)).toMatchObject({ divergence: undefined });

describe('the source', () => {
  it('[J4] is not touched: its journal gets the row of the intervention, nothing else changes', async () => {
    const test = await worked('FETCH', 'NUDGE');
    const before = dumpOf(test);
    expect(await fork(test, { revision: 2 })).toEqual({ address: FORK, revision: 2 });
    const after = dumpOf(test);
    const isOfFork = (row: unknown) =>
      Object.values(row as object).includes(FORK) || (row as { actor?: string }).actor === FORK;
    const added: unknown[] = [];
    for (const table of ['actors', 'messages', 'journal', 'calls', 'undeliverable', 'receipts']) {
      const old = new Set((before[table] as unknown[]).map((row) => JSON.stringify(row)));
      const rows = (after[table] as unknown[]).filter((row) => !isOfFork(row));
      added.push(...rows.filter((row) => !old.has(JSON.stringify(row))));
      expect(rows.length - (before[table] as unknown[]).length).toBe(table === 'journal' ? 1 : 0);
    }
    expect(added).toEqual([expect.objectContaining({ actor: SOURCE, kind: 'intervention' })]);
    const [{ event } = { event: '' }] = added as { event: string }[];
    expect(JSON.parse(event)).toEqual({ type: 'troupe.fork', ...WHO, revision: 2, fork: FORK });
    await equal(test.troupe, SOURCE);
  });

  it('[J4] goes on by itself, and the fork by itself', async () => {
    const test = await worked('FETCH');
    await fork(test, { revision: 1 });
    await send(test, FORK, 'WAIT');
    test.pool.newest('work.fetch').answer('mine');
    await test.clock.settle();
    expect(await test.troupe.get(SOURCE)).toMatchObject({
      state: 'idle',
      context: { answer: 'mine' },
    });
    expect(await test.troupe.get(FORK)).toMatchObject({
      state: 'waiting',
      context: { answer: null },
    });
  });
});

describe('the birth', () => {
  it('[J4] the fork is as its source was, and its first row tells who, when, why and from where', async () => {
    const test = await worked('FETCH', 'NUDGE');
    await fork(test, { revision: 2 });
    const past = await test.troupe.at(SOURCE, 2);
    const made = await test.troupe.get(FORK);
    expect(made).toMatchObject({
      status: 'active',
      revision: 2,
      state: past.state,
      tags: past.tags,
      context: past.context,
      isStubbed: true,
    });
    const [birth] = await test.troupe.journal(FORK);
    expect(birth).toMatchObject({
      kind: 'intervention',
      revision: 2,
      event: { type: 'troupe.fork', ...WHO, revision: 2, source: SOURCE },
      cause: past.seq,
      effects: [{ kind: 'call', incarnation: 'fetch@2', source: 'fetch' }],
      state: 'fetching',
    });
    expect(await test.troupe.at(FORK, 2)).toMatchObject({ state: 'fetching', revision: 2 });
    await refusal(test.troupe.at(FORK, 1), 'revision_unknown');
  });

  it('[J4] it replays from its birth and from later checkpoints, and so does a fork of a fork', async () => {
    const test = await start({ machines: [durable(counter)] });
    await test.troupe.spawn(durable(counter), { id: 'source' });
    const count = (address: string, events: number) =>
      Promise.all(
        Array.from({ length: events }, () => test.troupe.send(address, { type: 'COUNT' })),
      ).then(() => test.clock.settle());
    await count('counter/source', CHECKPOINT_REVISIONS + 6);
    const first = await test.troupe.fork('counter/source', { ...WHO, revision: 105 });
    await count(first.address, CHECKPOINT_REVISIONS);
    expect(await test.troupe.replay(first.address)).toMatchObject({
      divergence: undefined,
      from: 105,
      steps: CHECKPOINT_REVISIONS,
      checkpoints: 1,
    });
    expect(await test.troupe.replay(first.address, { from: 200 })).toMatchObject({
      divergence: undefined,
      from: 200,
      steps: 5,
    });
    // Its timer was armed by the source, and is told by the birth of the first fork.
    const second = await test.troupe.fork(first.address, { ...WHO, revision: 105 });
    expect(await test.troupe.get(second.address)).toMatchObject({ timers: [{ kind: 'timer' }] });
    await test.clock.advance(60_000);
    expect(await test.troupe.get(second.address)).toMatchObject({ state: 'frozen', revision: 106 });
    expect(await test.troupe.replay(second.address)).toMatchObject({
      divergence: undefined,
      steps: 1,
    });
  });

  it('[J4] a process beside the host can fork, and the host steps the fork', async () => {
    const test = await worked();
    const beside = await start({
      store: test.file,
      machines: [durable(work)],
      host: false,
      clock: test.clock,
    });
    await beside.troupe.fork(SOURCE, { ...WHO, id: 'fork', revision: 1 });
    await beside.troupe.send(FORK, { type: 'WAIT' });
    await test.clock.advance(1_100);
    expect(await test.troupe.get(FORK)).toMatchObject({ state: 'late', revision: 3 });
    await equal(test.troupe, FORK);
  });
});

describe('timers', () => {
  it('[J4] a timer has the time left that it had at that revision', async () => {
    const test = await worked('WAIT');
    await test.clock.advance(400);
    await send(test, SOURCE, 'NUDGE');
    await test.clock.advance(10_000);
    expect(await test.troupe.get(SOURCE)).toMatchObject({ state: 'late' });
    const nowMs = test.clock.now();
    await fork(test, { revision: 3 });
    expect(await test.troupe.get(FORK)).toMatchObject({
      state: 'waiting',
      timers: [{ readyAtMs: nowMs + 600 }],
    });
    await test.clock.advance(599);
    expect(await test.troupe.get(FORK)).toMatchObject({ state: 'waiting' });
    await test.reopen();
    await test.clock.advance(1);
    expect(await test.troupe.get(FORK)).toMatchObject({ state: 'late', revision: 4 });
    await equal(test.troupe, FORK);
  });
});

describe('stubbed', () => {
  it('[J4] no call runs: open ones and later ones wait, are shown, and an operator answers them', async () => {
    const test = await worked('FETCH');
    expect(test.pool.started).toHaveLength(1);
    await fork(test, { revision: 2 });
    const call = { id: `${FORK}#fetch@2`, status: 'stubbed', attempt: 0 };
    expect(await test.troupe.get(FORK)).toMatchObject({ calls: [call] });
    // Longer than any claim limit, and with another host.
    await test.clock.advance(120_000);
    await test.reopen();
    await test.troupe.answer(call.id, { output: { by: 'hand' } });
    await test.clock.settle();
    expect(await test.troupe.get(FORK)).toMatchObject({
      state: 'idle',
      context: { answer: { by: 'hand' } },
    });
    await send(test, FORK, 'FETCH');
    const error = { code: 'gone', message: 'It is gone.' };
    await test.troupe.answer(`${FORK}#fetch@4`, { error });
    await test.clock.settle();
    expect(await test.troupe.get(FORK)).toMatchObject({
      state: 'idle',
      context: { failure: { ...error, outcome: 'unknown' } },
      calls: [{ status: 'done' }, { status: 'unknown' }],
    });
    expect(test.pool.started.filter(({ callId }) => callId.startsWith(FORK))).toEqual([]);
    await equal(test.troupe, FORK);
  });

  it('[J4] a stubbed call that its state leaves was never started, and is answered no more', async () => {
    const test = await worked('FETCH');
    await fork(test, { revision: 2 });
    await refusal(test.troupe.answer(`${FORK}#nothing@2`, { output: 1 }), 'call_unknown');
    await refusal(test.troupe.answer(`${SOURCE}#fetch@2`, { output: 1 }), 'call_not_stubbed');
    await refusal(test.troupe.answer(`${FORK}#fetch@2`, { output: () => 1 }), 'invalid_answer');
    await send(test, FORK, 'ABANDON');
    expect(await test.troupe.get(FORK)).toMatchObject({
      state: 'idle',
      calls: [{ status: 'notStarted' }],
    });
    await refusal(test.troupe.answer(`${FORK}#fetch@2`, { output: 1 }), 'call_not_stubbed');
  });

  it('[J4] custom actions do not run, and what it sends to others is kept as undeliverable', async () => {
    const noted: string[] = [];
    const noting = work.provide({ actions: { note: ({ self }) => void noted.push(self.id) } });
    const test = await start({ machines: [durable(noting), durable(log)] });
    await test.troupe.spawn(durable(log), { id: 'all' });
    await test.troupe.spawn(durable(noting), { id: 'source' });
    await test.clock.settle();
    await fork(test, { revision: 1 });
    for (const address of [SOURCE, FORK]) await send(test, address, 'TELL');
    expect(noted).toEqual([SOURCE]);
    expect(await test.troupe.get('log/all')).toMatchObject({ revision: 2 });
    const kept = await test.troupe.undeliverable();
    expect(kept).toMatchObject([
      { address: 'log/all', reason: 'stubbed', message: { sender: FORK, event: { type: 'TOLD' } } },
      {
        address: 'log/all',
        reason: 'stubbed',
        message: { kind: 'timer', event: { type: 'REMIND' } },
      },
    ]);
    await equal(test.troupe, FORK);
  });

  it('[J4] what it spawns is stubbed, too, and the two talk to each other', async () => {
    const test = await worked();
    await fork(test, { revision: 1 });
    await send(test, FORK, 'DIVIDE');
    const part = 'work.part/fork.part@2';
    expect(await test.troupe.get(part)).toMatchObject({
      isStubbed: true,
      state: 'open',
      calls: [{ id: `${part}#check@1`, status: 'stubbed' }],
    });
    await test.troupe.answer(`${part}#check@1`, { output: 'checked' });
    await test.clock.settle();
    await send(test, FORK, 'CLOSE');
    expect(await test.troupe.get(part)).toMatchObject({ status: 'done' });
    expect(await test.troupe.get(FORK)).toMatchObject({ state: 'idle' });
    for (const address of [FORK, part]) await equal(test.troupe, address);
    expect(test.pool.started).toEqual([]);
  });

  it('[J4] children are not forked: those of the source hear nothing, and the fork waits for none', async () => {
    const test = await worked('DIVIDE');
    await fork(test, { revision: 2 });
    expect((await test.troupe.at(FORK, 2)).armings.actors).toEqual({
      part: 'work.part/fork.part@2',
    });
    await send(test, FORK, 'CLOSE');
    await send(test, FORK, 'LEAVE');
    expect(await test.troupe.get(FORK)).toMatchObject({ state: 'idle' });
    expect(await test.troupe.get('work.part/source.part@2')).toMatchObject({
      status: 'active',
      revision: 1,
    });
    expect(await test.troupe.list({ machine: 'work.part' })).toHaveLength(1);
    await equal(test.troupe, FORK);
  });

  it('[J4] the fork of a child tells the parent of its source nothing', async () => {
    const test = await worked('DIVIDE');
    const child = 'work.part/source.part@2';
    const made = await test.troupe.fork(child, { ...WHO, id: 'fork', revision: 1 });
    await test.troupe.answer(`${made.address}#check@1`, { output: 'checked' });
    await test.clock.settle();
    await send(test, made.address, 'CLOSE');
    expect(await test.troupe.get(made.address)).toMatchObject({ status: 'done', parent: SOURCE });
    expect(await test.troupe.get(SOURCE)).toMatchObject({ state: 'divided', revision: 2 });
    expect(await test.troupe.undeliverable()).toMatchObject([
      { address: SOURCE, reason: 'stubbed' },
    ]);
  });
});

describe('live', () => {
  it('[J4] asked to, it orders the open calls once more under keys of its own, and acts as any actor', async () => {
    const test = await worked('FETCH');
    await fork(test, { revision: 2, calls: 'live' });
    expect(test.pool.started.map(({ callId }) => callId)).toEqual([
      `${SOURCE}#fetch@2`,
      `${FORK}#fetch@2`,
    ]);
    test.pool.newest('work.fetch').answer('again');
    await test.clock.settle();
    await send(test, FORK, 'TELL');
    expect(await test.troupe.get(FORK)).toMatchObject({
      isStubbed: false,
      context: { answer: 'again' },
    });
    expect(await test.troupe.get('log/all')).toMatchObject({ revision: 2 });
    await equal(test.troupe, FORK);
  });

  it('[J4] from beside the host its calls are found and run', async () => {
    const test = await worked('FETCH');
    const beside = await start({
      store: test.file,
      machines: [durable(work)],
      host: false,
      clock: test.clock,
    });
    await beside.troupe.fork(SOURCE, { ...WHO, id: 'fork', revision: 2, calls: 'live' });
    await test.clock.advance(100);
    expect(test.pool.newest('work.fetch').callId).toBe(`${FORK}#fetch@2`);
  });
});

describe('refused', () => {
  it('[J4] an address that is taken, an end, a revision that is none, no reason: nothing is written', async () => {
    const test = await worked('WAIT');
    const ended = await test.troupe.spawn(durable(work), { id: 'ended' });
    await send(test, ended.address, 'END');
    const before = dumpOf(test);
    const options = { ...WHO, revision: 1 };
    const { troupe } = test;
    await refusal(troupe.fork(SOURCE, { ...options, id: 'ended' }), 'actor_exists');
    await refusal(troupe.fork(ended.address, { ...options, revision: 2 }), 'actor_final');
    await refusal(troupe.fork(SOURCE, { ...options, revision: 9 }), 'revision_unknown');
    await refusal(troupe.fork(SOURCE, { ...options, revision: 0 }), 'revision_unknown');
    await refusal(troupe.fork(SOURCE, { ...options, reason: ' ' }), 'invalid_intervention');
    await refusal(troupe.fork(SOURCE, { ...options, id: 'a b' }), 'invalid_address');
    await refusal(troupe.fork('work/nobody', options), 'actor_unknown');
    const { meta: _meta, ...rest } = dumpOf(test);
    expect(rest).toEqual({ ...before, meta: undefined });
  });

  it('[J4] a journal that was cut before its timers were armed is said to be incomplete', async () => {
    const test = await start({ machines: [durable(work)] });
    await test.troupe.spawn(durable(work), { id: 'source' });
    const nudges = Array.from({ length: CHECKPOINT_REVISIONS }, () => ({ type: 'NUDGE' }));
    const events = [{ type: 'WAIT' }, ...nudges];
    await Promise.all(events.map((event) => test.troupe.send(SOURCE, event)));
    await test.clock.settle();
    test.write('DELETE FROM journal WHERE revision < 100');
    await equal(test.troupe, SOURCE);
    const error = await refusal(
      test.troupe.fork(SOURCE, { ...WHO, revision: 101 }),
      'journal_incomplete',
    );
    expect(error.message).toContain('xstate.after.1000.work.waiting@2');
  });
});
