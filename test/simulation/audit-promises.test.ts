// Audit of promises: each check of what the outside was told can fail (see audit.test.ts).

import { describe, expect, it } from 'vitest';
import { heard } from '../kit/simulation/audit/heard.ts';
import { promises } from '../kit/simulation/audit/promises.ts';
import type { Asked } from '../kit/simulation/client.ts';
import { tampering } from './support/tampering.ts';

const audit = tampering();

describe('promises', () => {
  /** A send that has its receipt. */
  function sent(): Asked & { readonly request: { readonly kind: 'send' } } {
    const found = audit.run.evidence.asked.find(
      ({ request, answer }) => request.kind === 'send' && answer !== undefined && 'seq' in answer,
    );
    if (found === undefined) throw new Error('the run has no send');
    return found as ReturnType<typeof sent>;
  }

  it('[simulate] finds a request that nobody answered, or refused for no known reason', () => {
    const asked = sent();
    const { messageId } = asked.request as { readonly messageId?: string };
    expect(audit.findings(promises, '', { asked: [{ ...asked, answer: undefined }] })).toEqual([
      `promises M1: nobody ever answered send ${messageId}`,
    ]);
    const refused = { ...asked, answer: { refused: 'no typed error' } };
    expect(audit.findings(promises, '', { asked: [refused] })).toEqual([
      `promises K5: send ${messageId} was refused with no typed error`,
      expect.stringMatching(`^promises K5: ${messageId} was refused, and it is message \\d+$`),
    ]);
  });

  it('[simulate] finds another answer to the same question', () => {
    const asked = { ...sent(), otherAnswers: ['{"seq":7}'] };
    expect(audit.findings(promises, '', { asked: [asked] })).toEqual([
      expect.stringMatching(
        /^promises M3: send m\d+ was answered \{"seq":\d+\} and then \{"seq":7\}$/,
      ),
    ]);
  });

  it('[simulate] finds a receipt whose message is not there', () => {
    const { messageId } = sent().request as { readonly messageId?: string };
    const sql = `DELETE FROM audit_messages WHERE id = '${messageId}'`;
    expect(audit.findings(promises, sql)).toEqual([
      expect.stringMatching(
        `^promises M3: ${messageId} has the receipt \\d+, and the store has nothing$`,
      ),
    ]);
  });

  it('[simulate] finds an actor that was promised and never born', () => {
    const sql = "DELETE FROM audit_messages WHERE actor = 'order/a1' AND kind = 'init'";
    expect(audit.findings(promises, sql)).toEqual(['promises M1: order/a1 was born 0 times']);
  });

  it('[simulate] finds a refusal that is not true', () => {
    const asked = audit.run.evidence.asked.find(
      ({ answer }) =>
        answer !== undefined && 'refused' in answer && answer.refused === 'actor_final',
    );
    if (asked === undefined) throw new Error('the run has no refusal');
    expect(audit.findings(promises, '', { asked: [asked] })).toEqual([]);
    for (const code of ['actor_stuck', 'actor_unknown', 'actor_stopped', 'mailbox_full']) {
      const other = { ...asked, answer: { refused: code } };
      expect(audit.findings(promises, '', { asked: [other] })).toEqual([
        expect.stringMatching(`^promises K5: send m\\d+ was refused with ${code}$`),
      ]);
    }
  });

  it('[simulate] finds a contradiction that was taken', () => {
    const asked = sent();
    const conflict = { ...asked.request, refusal: 'message_id_conflict' } as const;
    expect(audit.findings(promises, '', { asked: [{ ...asked, request: conflict }] })).toEqual([
      expect.stringMatching(/^promises M3: send m\d+ must get message_id_conflict: taken$/),
    ]);
  });

  it('[simulate] finds two sends of one go that were taken in the wrong order', () => {
    const asked = sent();
    const { seq } = asked.answer as { readonly seq: number };
    const first = { ...asked, asks: 1, answer: { seq: seq + 1 } };
    expect(audit.findings(promises, '', { asked: [first, { ...asked, asks: 1 }] })).toContainEqual(
      expect.stringMatching(/^promises M2: m\d+ was sent after one that has a later place than/),
    );
  });
});

describe('heard', () => {
  it('[simulate] finds what was told too early, twice, or by no step', () => {
    const [told] = audit.run.evidence.told;
    if (told === undefined) throw new Error('the run has told nothing');
    const name = `${JSON.stringify(told.value)} of ${told.actor}`;
    const found = (list: (typeof told)[]) => audit.findings(heard, '', { told: list });
    expect(found([told])).toEqual([]);
    expect(found([{ ...told, isInTransaction: true }])).toEqual([
      `heard K3: ${name} was told while its transaction was open`,
    ]);
    expect(found([{ ...told, afterRow: 0 }])).toEqual([`heard K8: ${name} was told 1 times, of 1`]);
    expect(found([told, told])).toEqual([`heard K8: ${name} was told 2 times, of 1`]);
    expect(found([{ ...told, value: 'nothing' }])).toEqual([
      `heard K8: "nothing" of ${told.actor} was told 1 times, of 0`,
    ]);
  });

  it('[simulate] finds a change that who watches has missed, seen twice, or seen otherwise', () => {
    const watched = audit.run.evidence.watched.find(({ changes }) => changes.length > 2);
    if (watched === undefined) throw new Error('nobody has watched anything');
    const { address, changes } = watched;
    const [first, second, ...others] = changes;
    if (first === undefined || second === undefined) throw new Error('too little was seen');
    const other = { ...second, emitted: '[{"type":"NEVER"}]' };
    for (const seen of [
      [first, ...others],
      [first, second, second, ...others],
      [first, other, ...others],
    ]) {
      expect(audit.findings(heard, '', { watched: [{ address, changes: seen }] })).toEqual([
        expect.stringMatching(`^heard M5: who watched ${address} saw`),
      ]);
    }
  });
});
