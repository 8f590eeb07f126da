// K2: a step and all that it orders is one transaction.

import { describe, expect, it } from 'vitest';
import { assign, createMachine, fromPromise, raise, sendTo, setup, spawnChild } from 'xstate';
import type { TestTroupe } from '../kit/index.ts';
import { durable, refusal, start } from './harness.ts';

const kid = createMachine({ id: 'kid' });
const peer = createMachine({ id: 'peer', on: { HI: {} } });

/** One event that orders every kind of effect that is a row. */
const orderer = setup({
  types: { context: {} as { count: number } },
  actors: { kid, job: fromPromise(async () => 'done') },
}).createMachine({
  id: 'orderer',
  context: { count: 0 },
  on: {
    GO: {
      actions: [
        assign({ count: ({ context }) => context.count + 1 }),
        sendTo(({ system }) => system.get('peer/1'), { type: 'HI' }),
        raise({ type: 'LATER' }, { delay: 1_000, id: 'later' }),
        spawnChild('kid', { id: 'kid' }),
        spawnChild('job', { id: 'job' }),
      ],
    },
    COUNT: { actions: assign({ count: ({ context }) => context.count + 1 }) },
  },
});

const machines = [durable(orderer), durable(peer)];

async function started(options: Parameters<typeof start>[0] = {}): Promise<TestTroupe> {
  const test = await start({ machines, ...options });
  await test.troupe.spawn(durable(orderer), { id: '1' });
  await test.troupe.spawn(durable(peer), { id: '1' });
  await test.clock.settle();
  return test;
}

/** All that a step of GO leaves in the store. */
function traces({ rows }: Pick<TestTroupe, 'rows'>): Record<string, unknown> {
  const [found] = rows(`SELECT
    (SELECT revision FROM actors WHERE id = 'orderer/1') AS revision,
    (SELECT json_extract(snapshot, '$.context.count') FROM actors WHERE id = 'orderer/1') AS count,
    (SELECT count(*) FROM journal WHERE actor = 'orderer/1' AND revision = 2) AS journal,
    (SELECT count(*) FROM journal WHERE actor = 'peer/1' AND revision = 2) AS peer,
    (SELECT count(*) FROM messages WHERE kind = 'timer') AS timers,
    (SELECT count(*) FROM messages WHERE event LIKE '%GO%') AS go,
    (SELECT count(*) FROM calls) AS calls,
    (SELECT count(*) FROM actors WHERE parent = 'orderer/1') AS kids`);
  return found ?? {};
}

const NOTHING = { revision: 1, count: 0, journal: 0, peer: 0, timers: 0, calls: 0, kids: 0 };
const ALL = { revision: 2, count: 1, journal: 1, peer: 1, timers: 1, go: 0, calls: 1, kids: 1 };

describe('a step', () => {
  it('[K2] is seen from outside as a whole or not at all', async () => {
    const seen: unknown[] = [];
    let look = (): void => {};
    const test = await started({
      boundary: (point) => {
        if (point === 'group.beforeCommit' || point === 'group.committed') look();
      },
    });
    look = () => seen.push(traces(test));
    await test.troupe.send('orderer/1', { type: 'GO' });
    expect(seen.slice(0, 2)).toEqual([{ ...NOTHING, go: 0 }, ALL]);
  });

  it.each([
    ['the timer', 'messages', "NEW.kind = 'timer'"],
    ['the child', 'actors', 'NEW.parent IS NOT NULL'],
    ['the call', 'calls', '1'],
    ['the journal row', 'journal', "NEW.kind = 'step' AND NEW.actor = 'orderer/1'"],
  ])('[K2] leaves nothing when %s cannot be written', async (_what, table, when) => {
    const test = await started();
    test.write(
      `CREATE TRIGGER broken BEFORE INSERT ON ${table} WHEN ${when} BEGIN SELECT RAISE(ABORT, 'broken'); END`,
    );
    await test.troupe.send('orderer/1', { type: 'GO' });
    await test.clock.settle();
    expect(traces(test)).toEqual({ ...NOTHING, go: 1 });
    expect(test.pool.started).toEqual([]);
    expect(await test.troupe.get('orderer/1')).toMatchObject({
      status: 'stuck',
      context: { count: 0 },
      stuck: { code: 'assertion_failed', message: 'broken', event: 'GO' },
    });
    // The others of the same host go on.
    await test.troupe.send('peer/1', { type: 'HI' });
    expect(await test.troupe.get('peer/1')).toMatchObject({ status: 'active', revision: 2 });
  });
});

describe('a group that is lost', () => {
  /** A host whose commits fail while `isBroken`, as those of a disk that does not answer. */
  async function failing(): Promise<TestTroupe & { breakStorage(isBroken: boolean): void }> {
    let isBroken = false;
    const test = await started({
      boundary: (point) => {
        if (!isBroken || point !== 'group.beforeCommit') return;
        throw Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR' });
      },
    });
    return Object.assign(test, {
      breakStorage: (broken: boolean) => {
        isBroken = broken;
      },
    });
  }

  it('[K2] takes each of its writes with it', async () => {
    const test = await failing();
    test.breakStorage(true);
    const error = await refusal(
      test.troupe.send('orderer/1', { type: 'GO' }),
      'storage_unavailable',
    );
    expect(error).toMatchObject({ outcome: 'notWritten' });
    expect(traces(test)).toEqual({ ...NOTHING, go: 0 });
    expect(test.pool.started).toEqual([]);
    test.breakStorage(false);
    await test.clock.advance(1_000);
    expect(traces(test)).toEqual({ ...NOTHING, go: 0 });
  });

  it('[K2] leaves no actor in memory that is ahead of the store', async () => {
    const test = await failing();
    await test.troupe.send('orderer/1', { type: 'COUNT' });
    test.breakStorage(true);
    await refusal(test.troupe.send('orderer/1', { type: 'COUNT' }), 'storage_unavailable');
    test.breakStorage(false);
    await test.clock.advance(1_000);
    await test.troupe.send('orderer/1', { type: 'COUNT' });
    await test.clock.settle();
    expect(await test.troupe.get('orderer/1')).toMatchObject({
      status: 'active',
      revision: 3,
      context: { count: 2 },
    });
  });

  it('[K2] is stepped again, once, when the storage is back', async () => {
    const test = await failing();
    await test.troupe.send('orderer/1', { type: 'GO' });
    test.breakStorage(true);
    // LATER is due; its step is lost again and again.
    await test.clock.advance(5_000);
    expect(traces(test)).toEqual(ALL);
    test.breakStorage(false);
    await test.clock.advance(5_000);
    expect(traces(test)).toMatchObject({ revision: 3, timers: 0 });
  });
});
