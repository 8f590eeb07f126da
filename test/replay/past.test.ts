// J3: what `at` shows of a revision is what the live actor showed then, and looking changes nothing.

import { expect, it } from 'vitest';
import { CHECKPOINT_REVISIONS } from '../../actors/limits.ts';
import { durable, refusal, start } from '../core/harness.ts';
import type { TestTroupe } from '../kit/index.ts';
import { changed, counter, dumpOf, log, work } from './machines.ts';

/** What both views tell of an actor. */
function shown(view: object): Readonly<Record<string, unknown>> {
  const fields = ['address', 'machine', 'version', 'parent', 'revision', 'status', 'state', 'tags'];
  const names = [...fields, 'context', 'output', 'error'];
  return Object.fromEntries(names.map((name) => [name, (view as Record<string, unknown>)[name]]));
}

/** Takes steps one by one, and keeps what the actor showed after each. */
async function watched(test: TestTroupe, address: string, moves: readonly (() => unknown)[]) {
  const seen = new Map<number, Readonly<Record<string, unknown>>>();
  for (const move of [() => {}, ...moves]) {
    await move();
    await test.clock.settle();
    const view = await test.troupe.get(address);
    seen.set(view.revision, shown(view));
  }
  return seen;
}

it('[J3] every revision is shown as the live actor showed it, across checkpoints and restarts', async () => {
  const definition = durable(counter);
  const test = await start({ machines: [definition] });
  const { address } = await test.troupe.spawn(definition, { id: '1' });
  const count = () => test.troupe.send(address, { type: 'COUNT' });
  const moves = Array.from({ length: CHECKPOINT_REVISIONS + 20 }, () => count);
  const seen = await watched(test, address, [
    ...moves,
    () => test.reopen(),
    () => test.clock.advance(60_000),
    () => test.troupe.send(address, { type: 'END' }),
  ]);
  expect(seen.size).toBe(CHECKPOINT_REVISIONS + 23);
  const before = dumpOf(test);
  for (const [revision, then] of seen) {
    expect(shown(await test.troupe.at(address, revision))).toEqual(then);
  }
  expect(dumpOf(test)).toEqual(before);
});

it('[J3] calls, children and timers that were open then are named, with the row that made the revision', async () => {
  const definition = durable(work);
  const test = await start({ machines: [definition, durable(log)] });
  const { address } = await test.troupe.spawn(definition, { id: '1' });
  const send = (type: string) => () => test.troupe.send(address, { type });
  const seen = await watched(test, address, [
    send('FETCH'),
    () => test.pool.newest('work.fetch').answer('found'),
    send('DIVIDE'),
    send('LEAVE'),
    send('WAIT'),
    () => test.clock.advance(1_000),
  ]);
  for (const [revision, then] of seen) {
    expect(shown(await test.troupe.at(address, revision))).toEqual(then);
  }
  const armed = await Promise.all(
    [2, 3, 4, 6, 7].map((revision) => test.troupe.at(address, revision)),
  );
  expect(armed.map(({ armings }) => armings)).toEqual([
    { timers: {}, calls: { fetch: 'fetch@2' }, actors: {} },
    { timers: {}, calls: {}, actors: {} },
    { timers: {}, calls: {}, actors: { part: 'work.part/1.part@4' } },
    {
      timers: { 'xstate.after.1000.work.waiting@6': 'xstate.after.1000.work.waiting' },
      calls: {},
      actors: {},
    },
    { timers: {}, calls: {}, actors: {} },
  ]);
  const [journal] = test.rows<{ seq: number; at: number }>(
    'SELECT * FROM journal WHERE actor = ? AND revision = 7',
    address,
  );
  expect(armed[4]).toMatchObject({
    seq: journal?.seq,
    atMs: journal?.at,
    event: { type: 'xstate.after.1000.work.waiting' },
  });
});

it('[J3] a revision that is none, or that this code does not lead to, is refused with what to do', async () => {
  const definition = durable(counter);
  const test = await start({ machines: [definition] });
  const { address } = await test.troupe.spawn(definition, { id: '1' });
  await test.troupe.send(address, { type: 'COUNT' });
  await test.clock.settle();
  for (const revision of [0, 3, 1.5, -1]) {
    const error = await refusal(test.troupe.at(address, revision), 'revision_unknown');
    expect(error).toMatchObject({ details: { address, first: 1, last: 2 } });
  }
  await refusal(test.troupe.at('counter/nobody', 1), 'actor_unknown');
  await test.reopen({ machines: [durable(changed)], host: false });
  expect(await test.troupe.at(address, 1)).toMatchObject({ state: 'even' });
  const error = await refusal(test.troupe.at(address, 2), 'replay_diverged');
  expect(error).toMatchObject({ details: { what: 'effects', revision: 2 } });
  expect(error.message).toContain(`troupe replay ${address}`);
  await test.reopen({ machines: [] });
  await refusal(test.troupe.at(address, 1), 'machine_unknown');
});

it('[J3] a checkpoint that cannot be read is said, and no other state is shown', async () => {
  const definition = durable(counter);
  const test = await start({ machines: [definition] });
  const { address } = await test.troupe.spawn(definition, { id: '1' });
  const events = Array.from({ length: CHECKPOINT_REVISIONS }, () => ({ type: 'COUNT' }));
  await Promise.all(events.map((event) => test.troupe.send(address, event)));
  await test.clock.settle();
  test.write(`UPDATE journal SET checkpoint = '{}' WHERE checkpoint IS NOT NULL`);
  await refusal(test.troupe.at(address, CHECKPOINT_REVISIONS), 'replay_diverged');
  expect(await test.troupe.at(address, CHECKPOINT_REVISIONS - 1)).toMatchObject({
    status: 'active',
  });
});
