// J5: what an operator does is a journal row with who, when and why, made by somebody who has seen the actor as it is.

import { describe, expect, it } from 'vitest';
import type { Intervention } from '../../actors/index.ts';
import { refusal } from '../core/harness.ts';
import { because, broken, mend, send } from './support/ledger.ts';

/** Each thing that an operator can do to the ledger's first actor, once it is stuck. */
const deeds = ['retry', 'skip', 'stop'] as const;

async function stuck() {
  const test = await broken(['A']);
  await send(test, 'A');
  await test.clock.advance(1_000);
  return test;
}

describe('an intervention', () => {
  it.each(deeds)('[J5] %s is a row with who, when, why and what was seen', async (deed) => {
    const test = await stuck();
    mend();
    const { address, seq } = await test.troupe[deed]('ledger/1', {
      by: 'ann',
      reason: 'the disk was mended',
      revision: 1,
    });
    expect(address).toBe('ledger/1');
    const journal = await test.troupe.journal('ledger/1');
    expect(journal.find((row) => row.seq === seq)).toMatchObject({
      kind: 'intervention',
      revision: undefined,
      atMs: test.clock.now(),
      state: 'open',
      event: { type: `troupe.${deed}`, by: 'ann', reason: 'the disk was mended', revision: 1 },
    });
  });

  it('[J5] retry and skip say what the actor was stuck on', async () => {
    const test = await stuck();
    const [{ reason } = { reason: undefined }] = await test.troupe.stuck();
    await test.troupe.retry('ledger/1', because(1));
    await test.clock.settle();
    const { undeliverable } = await test.troupe.skip('ledger/1', because(1));
    const journal = await test.troupe.journal('ledger/1');
    expect(journal.filter(({ kind }) => kind === 'intervention')).toMatchObject([
      { event: { error: 'machine_threw', message: reason?.messageSeq } },
      { event: { message: reason?.messageSeq, undeliverable } },
    ]);
  });

  it.each(deeds)('[J5] %s of another revision than the stored one is refused', async (deed) => {
    const test = await stuck();
    const before = test.rows('SELECT * FROM actors');
    for (const revision of [0, 2]) {
      const error = await refusal(
        test.troupe[deed]('ledger/1', because(revision)),
        'revision_conflict',
      );
      expect(error.message).toContain(`is at revision 1, not at ${revision} as you saw it`);
    }
    expect(test.rows('SELECT * FROM actors')).toEqual(before);
    expect(test.rows("SELECT * FROM journal WHERE kind = 'intervention'")).toEqual([]);
  });

  it.each(deeds)('[J5] %s of nobody is refused', async (deed) => {
    const test = await stuck();
    await refusal(test.troupe[deed]('ledger/nobody', because(1)), 'actor_unknown');
  });

  const wrong: readonly (readonly [what: string, Partial<Intervention>, told: string])[] = [
    ['without a name', { by: '' }, 'by is a text of 1 to 256'],
    ['with a long name', { by: 'a'.repeat(257) }, 'by is a text of 1 to 256'],
    ['without a reason', { reason: '  ' }, 'Say why'],
    ['with a long reason', { reason: 'a'.repeat(1_001) }, 'reason is a text of 1 to 1000'],
    ['with no number', { revision: Number.NaN }, 'revision is NaN'],
    ['with a fraction', { revision: 0.5 }, 'revision is 0.5'],
    ['with a negative number', { revision: -1 }, 'revision is -1'],
  ];
  it.each(wrong)('[J5] %s is refused before anything is asked', async (_what, part, told) => {
    const test = await stuck();
    for (const deed of deeds) {
      const error = await refusal(
        test.troupe[deed]('ledger/1', { ...because(1), ...part }),
        'invalid_intervention',
      );
      expect(error.message).toContain(told);
    }
  });

  it('[J5, K4] leaves the revision as it is', async () => {
    const test = await stuck();
    await test.troupe.retry('ledger/1', because(1));
    await test.clock.settle();
    expect(await test.troupe.get('ledger/1')).toMatchObject({ status: 'stuck', revision: 1 });
  });
});
