// J5: an operator ends an actor as its parent would, and its parent learns it.

import { describe, expect, it } from 'vitest';
import { refusal } from '../core/harness.ts';
import { because, beside, broken, found, PART, send } from './support/ledger.ts';

const told = `ann has stopped ${PART}: it is mended`;

describe('a stop', () => {
  it('[J5, K5] ends a stuck actor: its mailbox is kept, its timers are gone', async () => {
    const test = await broken(['A']);
    await send(test, 'TIME', 'A');
    const { stopped, seq } = await test.troupe.stop('ledger/1', because(2));
    expect(stopped).toEqual(['ledger/1']);
    expect(await found(test)).toMatchObject({ status: 'stopped', revision: 2 });
    expect(test.rows('SELECT * FROM messages')).toEqual([]);
    expect(await test.troupe.undeliverable()).toMatchObject([
      { reason: 'actor_stopped', message: { event: { type: 'A' } } },
    ]);
    const journal = await test.troupe.journal('ledger/1');
    expect(journal.slice(-2)).toMatchObject([
      { seq, kind: 'intervention' },
      { kind: 'stopped', cause: seq },
    ]);
    await test.clock.advance(60_000);
    expect(await found(test)).toMatchObject({ status: 'stopped', revision: 2, heard: [] });
    await refusal(test.troupe.send('ledger/1', { type: 'B' }), 'actor_stopped');
    await refusal(test.troupe.stop('ledger/1', because(2)), 'actor_stopped');
  });

  it('[J5, K5] ends an active actor that this host has in memory', async () => {
    const test = await broken([]);
    await send(test, 'B');
    await test.troupe.stop('ledger/1', because(2));
    await refusal(test.troupe.send('ledger/1', { type: 'B' }), 'actor_stopped');
    expect(await found(test)).toEqual({ status: 'stopped', revision: 2, heard: ['B'] });
  });

  it('[J5, C7] aborts the call that runs, and nobody gets its answer', async () => {
    const test = await broken([]);
    await send(test, 'CALL');
    const [call] = test.pool.running;
    await test.troupe.stop('ledger/1', because(2));
    await test.clock.settle();
    expect(call?.isAborted).toBe(true);
    call?.answer('done');
    await test.clock.settle();
    // What it has done all the same is evidence.
    expect(test.rows('SELECT status FROM calls')).toEqual([{ status: 'done' }]);
    expect((await test.troupe.journal('ledger/1')).at(-1)).toMatchObject({ kind: 'late' });
    expect(await found(test)).toMatchObject({ status: 'stopped', heard: [] });
  });

  it('[J5, C7] from a process beside the host has the host abort the call', async () => {
    const test = await broken([]);
    await send(test, 'CALL');
    const [call] = test.pool.running;
    const operator = await beside(test);
    await operator.troupe.stop('ledger/1', because(2));
    expect(call?.isAborted).toBe(false);
    await test.clock.advance(1_000);
    expect(call?.isAborted).toBe(true);
    call?.throw({ code: 'ABORT_ERR', message: 'aborted' });
    await test.clock.settle();
    expect(test.rows('SELECT status FROM calls')).toEqual([{ status: 'cancelled' }]);
  });

  it('[J5] of a child ends all below it and is an error for the parent that waits', async () => {
    const test = await broken(['part']);
    await send(test, 'CHILD');
    await test.troupe.send(PART, { type: 'A' });
    await test.clock.settle();
    expect(await test.troupe.stuck()).toMatchObject([{ address: PART, revision: 1 }]);
    const { stopped } = await test.troupe.stop(PART, because(1));
    expect(stopped).toEqual([PART, 'leaf/1.part@2.leaf@1']);
    await test.clock.settle();
    expect(await test.troupe.get(PART)).toMatchObject({ status: 'stopped' });
    expect(await test.troupe.get('leaf/1.part@2.leaf@1')).toMatchObject({ status: 'stopped' });
    expect(await found(test)).toEqual({ status: 'active', revision: 3, heard: [told] });
  });

  it('[J5, C4] of a child that its parent has left is evidence, and moves nothing', async () => {
    const test = await broken(['A']);
    await send(test, 'CHILD', 'A');
    test.write(
      `UPDATE actors SET armings = json_set(armings, '$.actors', json('{}')) WHERE id = 'ledger/1'`,
    );
    await test.troupe.skip('ledger/1', because(2));
    await test.troupe.stop(PART, because(1));
    await test.clock.advance(1_000);
    expect(await found(test)).toMatchObject({ status: 'active', revision: 2, heard: [] });
    const journal = await test.troupe.journal('ledger/1');
    expect(journal.at(-1)).toMatchObject({ kind: 'late', sender: PART });
  });

  it('[J5, K5] of a child waits for its stuck parent', async () => {
    const test = await broken(['A']);
    await send(test, 'CHILD', 'A');
    await test.troupe.stop(PART, because(1));
    await test.clock.settle();
    expect((await test.troupe.get('ledger/1')).messages).toHaveLength(2);
    await test.troupe.skip('ledger/1', because(2));
    await test.clock.settle();
    expect(await found(test)).toMatchObject({ status: 'active', heard: [told] });
  });

  it('[J5] of an actor that could not be born', async () => {
    const test = await broken(['birth']);
    await test.troupe.stop('ledger/1', because(0));
    expect(await found(test)).toMatchObject({ status: 'stopped', revision: 0 });
    await test.reopen();
    expect(await found(test)).toMatchObject({ status: 'stopped', revision: 0 });
  });
});
