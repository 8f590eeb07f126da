// K6a: a skip lets a stuck actor go on without the message that parked it, and keeps that message.

import { describe, expect, it } from 'vitest';
import { refusal } from '../core/harness.ts';
import { because, beside, broken, found, mend, PART, send } from './support/ledger.ts';

describe('a skip', () => {
  it('[K6a] goes on without the message, which is kept as undeliverable', async () => {
    const test = await broken(['A']);
    await send(test, 'A');
    await test.troupe.send('ledger/well', { type: 'TELL' });
    await test.clock.settle();
    const [stuck] = await test.troupe.stuck();
    const { undeliverable } = await test.troupe.skip('ledger/1', because(1));
    await test.clock.settle();
    expect(await found(test)).toEqual({ status: 'active', revision: 2, heard: ['B'] });
    expect(await test.troupe.undeliverable()).toMatchObject([
      {
        seq: undeliverable,
        address: 'ledger/1',
        reason: 'skipped',
        message: { seq: stuck?.reason?.messageSeq, event: { type: 'A' }, kind: 'event' },
      },
    ]);
  });

  it('[K6a] of one message meets the next one that fails', async () => {
    const test = await broken(['A']);
    await Promise.all([1, 2, 3].map(() => test.troupe.send('ledger/1', { type: 'A' })));
    await send(test);
    for (const left of [2, 1, 0]) {
      await test.troupe.skip('ledger/1', because(1));
      await test.clock.settle();
      expect((await test.troupe.get('ledger/1')).messages).toHaveLength(left);
    }
    expect(await found(test)).toMatchObject({ status: 'active', heard: [] });
    await refusal(test.troupe.skip('ledger/1', because(1)), 'actor_not_stuck');
  });

  it('[K6a, J5] of the message that was seen is not taken for the next one', async () => {
    const test = await broken(['A']);
    await Promise.all([1, 2].map(() => test.troupe.send('ledger/1', { type: 'A' })));
    await send(test);
    const [stuck] = await test.troupe.stuck();
    const seen = { ...because(1), message: stuck?.reason?.messageSeq };
    await test.troupe.skip('ledger/1', seen);
    await test.clock.settle();
    const error = await refusal(test.troupe.skip('ledger/1', seen), 'revision_conflict');
    expect(error.message).toContain(`not on ${seen.message} as you saw it`);
    expect(await test.troupe.undeliverable()).toHaveLength(1);
  });

  it('[K6a] of a birth is refused, and says how to stop the actor', async () => {
    const test = await broken(['birth']);
    const forced = { ...because(0), evenIfAwaited: true };
    const error = await refusal(test.troupe.skip('ledger/1', forced), 'message_refused');
    expect(error.message).toContain('troupe stop ledger/1');
    expect(await found(test)).toMatchObject({ status: 'stuck', revision: 0 });
  });

  it.each([
    ['the answer of a call', 'CALL', 'done'],
    ['a timer', 'TIME', 'timer'],
    ['the end of a child', 'CHILD', 'ended'],
  ])(
    '[K6a] of %s that the machine waits for is refused, unless it is meant',
    async (_what, type, fault) => {
      const test = await broken([fault]);
      await send(test, type);
      test.pool.running[0]?.answer('done');
      await test.clock.advance(1_000);
      if (type === 'CHILD') await test.troupe.send(PART, { type: 'END' });
      await test.clock.settle();
      expect(await found(test)).toMatchObject({ status: 'stuck', revision: 2 });
      const error = await refusal(test.troupe.skip('ledger/1', because(2)), 'message_awaited');
      expect(error.message).toContain('--even-if-awaited');
      expect(await test.troupe.undeliverable()).toEqual([]);

      await test.troupe.skip('ledger/1', { ...because(2), evenIfAwaited: true });
      await send(test, 'LEAVE', 'A');
      expect(await found(test)).toEqual({ status: 'active', revision: 4, heard: ['A'] });
    },
  );

  it('[K6a] of an answer whose arming is hidden by damage is refused', async () => {
    const test = await broken(['timer']);
    await send(test, 'TIME');
    await test.clock.advance(1_000);
    test.write("UPDATE actors SET armings = '{' WHERE id = 'ledger/1'");
    await refusal(test.troupe.skip('ledger/1', because(2)), 'message_awaited');
  });

  it('[K6a] of a damaged event keeps its text', async () => {
    const test = await broken(['A']);
    await send(test, 'A');
    test.write(`UPDATE messages SET event = '{"type":'`);
    await test.troupe.skip('ledger/1', because(1));
    await test.clock.settle();
    expect(await found(test)).toMatchObject({ status: 'active' });
    expect(await test.troupe.undeliverable()).toMatchObject([{ message: { event: '{"type":' } }]);
  });

  it('[K6a] of a message that somebody has removed is refused; a retry then takes the rest', async () => {
    const test = await broken(['A']);
    await send(test, 'A');
    test.write('DELETE FROM messages WHERE event LIKE \'%"A"%\'');
    await test.troupe.send('ledger/well', { type: 'TELL' });
    await test.clock.settle();
    await refusal(test.troupe.skip('ledger/1', because(1)), 'message_unknown');
    await test.troupe.retry('ledger/1', because(1));
    await test.clock.settle();
    expect(await found(test)).toMatchObject({ status: 'active', heard: ['B'] });
  });

  it('[K6a] from a process without machines is stepped on by the host', async () => {
    const test = await broken(['A']);
    await send(test, 'A');
    const operator = await beside(test);
    await operator.troupe.skip('ledger/1', because(1));
    mend();
    await test.clock.advance(1_000);
    await send(test, 'B');
    expect(await found(test)).toMatchObject({ status: 'active', heard: ['B'] });
  });
});
