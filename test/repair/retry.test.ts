// K6a: an operator's retry steps the message that parked an actor again, and what came since after it.

import { describe, expect, it } from 'vitest';
import { refusal } from '../core/harness.ts';
import { because, beside, broken, found, mend, send } from './support/ledger.ts';

describe('a retry', () => {
  it('[K6a] steps the message that parked the actor again', async () => {
    const test = await broken(['A']);
    await send(test, 'B', 'A');
    expect(await found(test)).toEqual({ status: 'stuck', revision: 2, heard: ['B'] });
    mend();
    await test.troupe.retry('ledger/1', because(2));
    await test.clock.settle();
    expect(await found(test)).toEqual({ status: 'active', revision: 3, heard: ['B', 'A'] });
    expect((await test.troupe.get('ledger/1')).messages).toEqual([]);
    expect(await test.troupe.stuck()).toEqual([]);
    await send(test, 'C');
    expect(await found(test)).toMatchObject({ heard: ['B', 'A', 'C'] });
  });

  it('[K6a, M2, T4] takes what came from inside meanwhile in its order, behind that message', async () => {
    const test = await broken(['A']);
    await send(test, 'A');
    await test.troupe.send('ledger/well', { type: 'LATER' });
    await test.clock.advance(1_000);
    await test.troupe.send('ledger/well', { type: 'TELL' });
    await test.clock.advance(10_000);
    expect(await found(test)).toMatchObject({ status: 'stuck', heard: [] });
    expect(await test.troupe.stuck()).toMatchObject([{ address: 'ledger/1', held: 3 }]);
    mend();
    await test.troupe.retry('ledger/1', because(1));
    await test.clock.settle();
    expect(await found(test)).toMatchObject({ heard: ['A', 'B', 'C'] });
  });

  it('[K6a, T1] fires a timer that came due meanwhile once, behind that message', async () => {
    const test = await broken(['A']);
    await send(test, 'TIME', 'A');
    await test.clock.advance(60_000);
    expect(await found(test)).toMatchObject({ status: 'stuck', heard: [] });
    mend();
    await test.troupe.retry('ledger/1', because(2));
    await test.clock.advance(60_000);
    expect(await found(test)).toEqual({ status: 'active', revision: 4, heard: ['A', 'timer'] });
  });

  it('[K6a] keeps a timer that is not due yet for its time', async () => {
    const test = await broken(['A']);
    await send(test, 'TIME', 'A');
    mend();
    await test.troupe.retry('ledger/1', because(2));
    await test.clock.advance(999);
    expect(await found(test)).toMatchObject({ heard: ['A'] });
    await test.clock.advance(1);
    expect(await found(test)).toMatchObject({ heard: ['A', 'timer'] });
  });

  it('[K6a] takes the answer that came meanwhile', async () => {
    const test = await broken(['A']);
    await send(test, 'CALL', 'A');
    test.pool.running[0]?.answer('done');
    await test.clock.advance(1_000);
    expect(await found(test)).toMatchObject({ status: 'stuck' });
    mend();
    await test.troupe.retry('ledger/1', because(2));
    await test.clock.settle();
    expect(await found(test)).toMatchObject({ status: 'active', heard: ['A', 'done'] });
  });

  it('[K6a] of a birth lets the actor be born, once, with its input', async () => {
    const test = await broken(['birth']);
    expect(await found(test)).toMatchObject({ status: 'stuck', revision: 0 });
    mend();
    await test.troupe.retry('ledger/1', because(0));
    await test.clock.settle();
    expect(await found(test)).toEqual({ status: 'active', revision: 1, heard: [] });
  });

  it('[K6a] of what is still broken parks the actor again, with all that it had', async () => {
    const test = await broken(['A']);
    await send(test, 'A');
    const before = test.rows('SELECT seq, event, held FROM messages');
    for (const _again of [1, 2, 3]) {
      await test.troupe.retry('ledger/1', because(1));
      await test.clock.settle();
    }
    expect(await found(test)).toEqual({ status: 'stuck', revision: 1, heard: [] });
    expect(test.rows('SELECT seq, event, held FROM messages')).toEqual(before);
    const kinds = (await test.troupe.journal('ledger/1')).map(({ kind }) => kind);
    expect(kinds).toEqual(['step', 'stuck', ...[1, 2, 3].flatMap(() => ['intervention', 'stuck'])]);
  });

  it.each([
    [
      'a damaged event',
      "UPDATE messages SET event = '{'",
      `UPDATE messages SET event = '{"type":"A"}'`,
    ],
    [
      'a damaged snapshot',
      "UPDATE actors SET armings = armings || 'x' WHERE id = 'ledger/1'",
      "UPDATE actors SET armings = substr(armings, 1, length(armings) - 1) WHERE id = 'ledger/1'",
    ],
  ])('[K6a, V8] after %s goes on once the row is mended', async (_what, damage, repair) => {
    const test = await broken(['A']);
    await send(test, 'A');
    mend();
    test.write(damage);
    await test.troupe.retry('ledger/1', because(1));
    await test.clock.settle();
    expect(await found(test)).toMatchObject({ status: 'stuck' });
    test.write(repair);
    await test.troupe.retry('ledger/1', because(1));
    await test.clock.settle();
    expect(await found(test)).toMatchObject({ status: 'active', heard: ['A'] });
  });

  it('[K6a] forgets the hosts that died in a message', async () => {
    const test = await broken(['A']);
    await send(test, 'A');
    test.write('UPDATE messages SET deaths = 2');
    await test.troupe.retry('ledger/1', because(1));
    await test.clock.settle();
    expect(test.rows('SELECT deaths FROM messages')).toEqual([{ deaths: 0 }]);
  });

  it('[K6a] lets an actor go on that could not even be parked', async () => {
    const test = await broken(['A']);
    test.write(`CREATE TRIGGER unparkable BEFORE UPDATE ON actors WHEN NEW.status = 'stuck'
      BEGIN SELECT raise(ABORT, 'no'); END`);
    await test.clock.advance(100);
    await send(test, 'A');
    expect(await found(test)).toMatchObject({ status: 'active', heard: [] });
    test.write('DROP TRIGGER unparkable');
    mend();
    await test.troupe.retry('ledger/1', because(1));
    await test.clock.settle();
    expect(await found(test)).toMatchObject({ status: 'active', heard: ['A'] });
  });

  it('[K6a] from a process without machines is stepped by the host, now or later', async () => {
    const test = await broken(['A']);
    await send(test, 'A');
    mend();
    const operator = await beside(test);
    expect(await operator.troupe.stuck()).toMatchObject([
      { address: 'ledger/1', reason: { code: 'machine_threw', event: 'A' }, state: 'open' },
    ]);
    await operator.troupe.retry('ledger/1', because(1));
    await test.clock.advance(1_000);
    expect(await found(test)).toMatchObject({ status: 'active', heard: ['A'] });
  });

  it('[K6a] while no host runs is stepped by the next one', async () => {
    const test = await broken(['A']);
    await send(test, 'A');
    await test.leave();
    mend();
    const operator = await beside(test);
    await operator.troupe.retry('ledger/1', because(1));
    await operator.leave();
    await test.reopen();
    expect(await found(test)).toMatchObject({ status: 'active', heard: ['A'] });
  });

  it('[K6a] is not taken twice', async () => {
    const test = await broken(['A']);
    await send(test, 'A');
    await test.leave();
    const operator = await beside(test);
    await operator.troupe.retry('ledger/1', because(1));
    const error = await refusal(operator.troupe.retry('ledger/1', because(1)), 'actor_not_stuck');
    expect(error.message).toContain('is not stuck');
    expect(operator.rows("SELECT 1 FROM journal WHERE kind = 'intervention'")).toHaveLength(1);
  });

  it('[K6a] of what has ended, or is well, is refused', async () => {
    const test = await broken([]);
    await refusal(test.troupe.retry('ledger/well', because(1)), 'actor_not_stuck');
    await test.troupe.stop('ledger/well', because(1));
    await refusal(test.troupe.retry('ledger/well', because(1)), 'actor_stopped');
  });
});

describe('stuck', () => {
  it('[K6a] lists who waits for an operator: why, on what, since when', async () => {
    const test = await broken(['A']);
    expect(await test.troupe.stuck()).toEqual([]);
    await test.clock.advance(5_000);
    await send(test, 'A');
    const sinceMs = test.clock.now();
    await test.clock.advance(5_000);
    expect(await test.troupe.stuck()).toMatchObject([
      {
        address: 'ledger/1',
        revision: 1,
        status: 'stuck',
        state: 'open',
        sinceMs,
        held: 1,
        reason: { code: 'machine_threw', message: 'cannot note A', event: 'A', state: 'open' },
      },
    ]);
    expect(await test.troupe.stuck({ machine: 'part' })).toEqual([]);
    expect(await test.troupe.stuck({ after: 'ledger/1' })).toEqual([]);
  });

  it('[K6a] lists an actor whose reason is damaged', async () => {
    const test = await broken(['A']);
    await send(test, 'A');
    test.write("UPDATE actors SET error = '{' WHERE status = 'stuck'");
    expect(await test.troupe.stuck()).toMatchObject([{ reason: undefined, held: 1 }]);
    await refusal(test.troupe.skip('ledger/1', because(1)), 'message_unknown');
    mend();
    await test.troupe.retry('ledger/1', because(1));
    await test.clock.settle();
    expect(await found(test)).toMatchObject({ heard: ['A'] });
  });
});
