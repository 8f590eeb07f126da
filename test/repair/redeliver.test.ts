// K5, M3: what had nowhere to go can be sent again, once.

import { describe, expect, it } from 'vitest';
import { refusal } from '../core/harness.ts';
import type { TestTroupe } from '../kit/index.ts';
import { because, beside, broken, found, mend, PART, send } from './support/ledger.ts';

/** A ledger that has skipped what it could not take, and could take it now. */
async function skipped(type: string, fault: string): Promise<TestTroupe> {
  const test = await broken([fault]);
  await send(test, type);
  test.pool.running[0]?.answer('done');
  await test.clock.advance(1_000);
  const { revision } = await found(test);
  await test.troupe.skip('ledger/1', { ...because(revision), evenIfAwaited: true });
  await test.clock.settle();
  mend();
  return test;
}

describe('a redelivery', () => {
  it('[K5, J5] sends a message again to its actor', async () => {
    const test = await skipped('A', 'A');
    const receipt = await test.troupe.redeliver(1, because(1));
    await test.clock.settle();
    expect(await found(test)).toMatchObject({ revision: 2, heard: ['A'] });
    const journal = await test.troupe.journal('ledger/1');
    const deed = journal.find(({ event }) => Object(event).type === 'troupe.redeliver');
    expect(deed).toMatchObject({ kind: 'intervention', event: { by: 'ann', undeliverable: 1 } });
    expect(journal.at(-1)).toMatchObject({ kind: 'step', message: receipt.seq, cause: deed?.seq });
    expect(await test.troupe.undeliverable()).toMatchObject([
      { seq: 1, redelivered: { address: 'ledger/1', seq: receipt.seq } },
    ]);
  });

  it('[M3] is done once: a repetition gets the same receipt, and another target is refused', async () => {
    const test = await skipped('A', 'A');
    const first = await test.troupe.redeliver(1, because(1));
    await test.clock.settle();
    // The actor has moved on since: the receipt is the answer, whatever revision is named.
    expect(await test.troupe.redeliver(1, because(1))).toEqual(first);
    expect(await test.troupe.redeliver(1, because(2))).toEqual(first);
    await test.clock.settle();
    expect(await found(test)).toMatchObject({ heard: ['A'] });
    const elsewhere = { ...because(1), to: 'ledger/well' };
    const error = await refusal(test.troupe.redeliver(1, elsewhere), 'message_redelivered');
    expect(error.message).toContain(`as message ${first.seq}`);
  });

  it('[K5] goes to another actor, from a process beside the host', async () => {
    const test = await broken([]);
    await test.troupe.stop('ledger/1', because(1));
    await refusal(
      test.troupe.send('ledger/1', { type: 'B' }, { messageId: 'click' }),
      'actor_stopped',
    );
    const operator = await beside(test);
    await refusal(operator.troupe.redeliver(1, because(1)), 'actor_stopped');
    const receipt = await operator.troupe.redeliver(1, { ...because(1), to: 'ledger/well' });
    expect(receipt).toMatchObject({ messageId: 'click', address: 'ledger/well' });
    await test.clock.advance(1_000);
    expect(await found(test, 'ledger/well')).toMatchObject({ heard: ['B'] });
    expect(await test.troupe.undeliverable()).toHaveLength(1);
  });

  it.each([
    ['an answer', 'CALL', 'done'],
    ['a timer', 'TIME', 'timer'],
  ])(
    '[C4, T2] brings %s to the visit that waits for it, and to no other',
    async (_what, type, fault) => {
      const test = await skipped(type, fault);
      await refusal(
        test.troupe.redeliver(1, { ...because(1), to: 'ledger/well' }),
        'message_refused',
      );
      await test.troupe.redeliver(1, because(2));
      await test.clock.settle();
      expect(await found(test)).toMatchObject({ status: 'active', revision: 3, heard: [fault] });
    },
  );

  it('[C4, T2] of a timer whose state was left is evidence', async () => {
    const test = await skipped('TIME', 'timer');
    await send(test, 'LEAVE', 'TIME');
    await test.troupe.redeliver(1, because(4));
    await test.clock.settle();
    expect(await found(test)).toMatchObject({ revision: 4, heard: [] });
    expect((await test.troupe.journal('ledger/1')).at(-1)).toMatchObject({ kind: 'late' });
    await test.clock.advance(1_000);
    expect(await found(test)).toMatchObject({ revision: 5, heard: ['timer'] });
  });

  it('[K5] of what another actor had delayed is an event for whoever gets it', async () => {
    const test = await broken(['C']);
    await test.troupe.send('ledger/well', { type: 'LATER' });
    await test.clock.advance(5_000);
    await test.troupe.skip('ledger/1', because(1));
    mend();
    await test.troupe.redeliver(1, because(1));
    await test.clock.settle();
    expect(await found(test)).toMatchObject({ status: 'active', heard: ['C'] });
  });

  it('[K5] is refused for what cannot be sent again, and says why', async () => {
    const test = await broken(['birth', 'A']);
    await test.troupe.stop('ledger/1', because(0));
    const to = { ...because(0), to: 'ledger/well' };
    expect(await found(test, 'ledger/well')).toMatchObject({ status: 'stuck' });
    await refusal(test.troupe.redeliver(1, to), 'actor_stuck');
    mend();
    await test.troupe.retry('ledger/well', because(0));
    await test.clock.settle();
    const seen = { ...to, revision: 1 };
    const birth = await refusal(test.troupe.redeliver(1, seen), 'message_refused');
    expect(birth.message).toContain('it is a birth');
    await refusal(test.troupe.redeliver(1, { ...seen, revision: 7 }), 'revision_conflict');
    await refusal(test.troupe.redeliver(9, seen), 'message_unknown');
    await refusal(test.troupe.redeliver(1, { ...seen, to: 'nowhere' }), 'invalid_address');
    await refusal(test.troupe.redeliver(1, { ...seen, to: PART }), 'actor_unknown');
    test.write(`INSERT INTO undeliverable(actor, message, reason, at)
      VALUES ('ledger/well', '{"event":"{","kind":"event"}', 'skipped', 0)`);
    const damaged = await refusal(test.troupe.redeliver(2, because(1)), 'message_refused');
    expect(damaged.message).toContain('it is damaged');
    expect(test.rows("SELECT 1 FROM journal WHERE event LIKE '%redeliver%'")).toEqual([]);
  });
});
