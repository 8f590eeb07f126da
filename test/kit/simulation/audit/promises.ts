// Promises: what the outside was told holds (M1, M3). A receipt names a message that is there; asking again is answered the
// same and writes nothing more.

import type { Asked } from '../client.ts';
import type { Finding } from '../options.ts';
import { type Check, type Evidence, findingOf, rowsOf } from './evidence.ts';
import type { SeenMessage } from './messages-seen.ts';

/** Refusals that a simulation's own requests may meet. */
const EXPECTED: ReadonlySet<string> = new Set([
  'actor_final',
  'actor_stopped',
  'actor_stuck',
  'actor_unknown',
  'mailbox_full',
]);

export const promises: Check = (evidence) =>
  evidence.asked.flatMap((asked) => checkOne(evidence, asked));

function checkOne(evidence: Evidence, asked: Asked): Finding[] {
  const { wish, answer, otherAnswers } = asked;
  const name = wish.kind === 'spawn' ? `${wish.machine.name}/${wish.id}` : wish.messageId;
  if (answer === undefined) {
    return [findingOf('promises', 'M1')(`nobody ever answered ${wish.kind} ${name}`)];
  }
  if ('refused' in answer) {
    return EXPECTED.has(answer.refused)
      ? []
      : [findingOf('promises', 'M1')(`${wish.kind} ${name} was refused with ${answer.refused}`)];
  }
  const changed = otherAnswers.map((other) =>
    findingOf('promises', 'M3')(`${name} was answered ${JSON.stringify(answer)} and then ${other}`),
  );
  return [
    ...changed,
    ...(wish.kind === 'spawn' ? checkSpawn(evidence, name) : checkSend(evidence, name, answer.seq)),
  ];
}

function checkSpawn(evidence: Evidence, address: string): Finding[] {
  const births = rowsOf(
    evidence,
    "SELECT 1 FROM audit_messages WHERE actor = ? AND kind = 'init'",
    address,
  ).length;
  return births === 1 ? [] : [findingOf('promises', 'M1')(`${address} was born ${births} times`)];
}

function checkSend(evidence: Evidence, messageId: string, seq: number | undefined): Finding[] {
  const sql = 'SELECT * FROM audit_messages WHERE id = ?';
  const written = rowsOf<SeenMessage>(evidence, sql, messageId);
  if (written.length === 1 && written[0]?.seq === seq) return [];
  const found = written.map((message) => message.seq).join(', ') || 'nothing';
  return [
    findingOf('promises', 'M3')(`${messageId} has the receipt ${seq}, and the store has ${found}`),
  ];
}
