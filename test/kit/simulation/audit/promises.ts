// Promises: what the outside was told holds (M1, M3). A receipt names a message that is there; asking again is answered the
// same and writes nothing more; a refusal is true, and what was refused is not taken (K5).

import type { Asked } from '../client.ts';
import type { SimulationFinding } from '../options.ts';
import { type Check, type Evidence, findingOf, grouped, rowsOf } from './evidence.ts';
import { reasonOf } from './messages.ts';
import type { SeenMessage } from './seen.ts';

export const promises: Check = (evidence) => [
  ...evidence.asked.flatMap((asked) => checkOne(evidence, asked)),
  ...checkTurns(evidence),
];

function checkOne(evidence: Evidence, asked: Asked): SimulationFinding[] {
  const { answer, otherAnswers } = asked;
  const name = nameOf(asked);
  if (answer === undefined) {
    return [findingOf('promises', 'M1')(`nobody ever answered ${name}`)];
  }
  const changed = otherAnswers.map((other) =>
    findingOf('promises', 'M3')(`${name} was answered ${JSON.stringify(answer)} and then ${other}`),
  );
  return [...changed, ...checkAnswer(evidence, asked, answer)];
}

function nameOf({ request }: Asked): string {
  const { kind } = request;
  return `${kind} ${kind === 'spawn' ? addressOf(request) : request.messageId}`;
}

type Spawn = Extract<Asked['request'], { kind: 'spawn' }>;
type Send = Extract<Asked['request'], { kind: 'send' }>;

function addressOf({ machine, id }: Spawn): string {
  return `${machine.name}/${id}`;
}

function checkAnswer(
  evidence: Evidence,
  asked: Asked,
  answer: NonNullable<Asked['answer']>,
): SimulationFinding[] {
  const { request } = asked;
  if (request.refusal !== undefined) {
    const is = 'refused' in answer ? answer.refused : 'taken';
    if (is === request.refusal) return [];
    return [findingOf('promises', 'M3')(`${nameOf(asked)} must get ${request.refusal}: ${is}`)];
  }
  if (!('refused' in answer)) {
    return request.kind === 'spawn'
      ? checkSpawn(evidence, addressOf(request))
      : checkSend(evidence, request.messageId, answer.seq);
  }
  const isTrue = request.kind === 'send' && isRefusal(evidence, request, answer.refused);
  const untrue = `${nameOf(asked)} was refused with ${answer.refused}`;
  return [
    ...(isTrue ? [] : [findingOf('promises', 'K5')(untrue)]),
    ...(request.kind === 'send' ? checkNotTaken(evidence, request) : []),
  ];
}

function checkSpawn(evidence: Evidence, address: string): SimulationFinding[] {
  const births = rowsOf(
    evidence,
    "SELECT 1 FROM audit_messages WHERE actor = ? AND kind = 'init'",
    address,
  ).length;
  return births === 1 ? [] : [findingOf('promises', 'M1')(`${address} was born ${births} times`)];
}

/** What an operator has sent again keeps its id, and is another message. */
const WRITTEN = `SELECT * FROM audit_messages WHERE id = ?
  AND ifnull(cause, 0) NOT IN (SELECT seq FROM journal WHERE kind = 'intervention')`;

function checkSend(
  evidence: Evidence,
  messageId: string,
  seq: number | undefined,
): SimulationFinding[] {
  const written = rowsOf<SeenMessage>(evidence, WRITTEN, messageId);
  if (written.length === 1 && written[0]?.seq === seq) return [];
  const found = written.map((message) => message.seq).join(', ') || 'nothing';
  return [
    findingOf('promises', 'M3')(`${messageId} has the receipt ${seq}, and the store has ${found}`),
  ];
}

function checkNotTaken(evidence: Evidence, { messageId }: Send): SimulationFinding[] {
  return rowsOf<SeenMessage>(evidence, WRITTEN, messageId).map(({ seq }) =>
    findingOf('promises', 'K5')(`${messageId} was refused, and it is message ${seq}`),
  );
}

/** A refusal is true when the actor was so; one for good has kept the message. */
function isRefusal(evidence: Evidence, { address, messageId }: Send, code: string): boolean {
  if (code === 'actor_stuck') {
    const sql = "SELECT 1 FROM journal WHERE actor = ? AND kind = 'stuck'";
    return rowsOf(evidence, sql, address).length > 0;
  }
  const kept = rowsOf<{ readonly status: string | null }>(
    evidence,
    `SELECT s.status FROM undeliverable u JOIN audit_undeliverable s ON s.seq = u.seq
     WHERE u.actor = ? AND u.message ->> 'id' = ?`,
    address,
    messageId,
  );
  return kept.some(({ status }) => reasonOf(status) === code);
}

/** M2: what was sent to one actor in one go, and taken at once, was taken in that order. */
function checkTurns(evidence: Evidence): SimulationFinding[] {
  const found = findingOf('promises', 'M2');
  const sends = evidence.asked.flatMap(({ request, answer, asks, host }) => {
    const isTaken = request.kind === 'send' && answer !== undefined && 'seq' in answer;
    if (!isTaken || asks !== 1 || request.refusal !== undefined) return [];
    return [{ to: `${request.address} ${host}`, id: request.messageId, seq: answer.seq ?? 0 }];
  });
  return [...grouped(sends, ({ to }) => to).values()].flatMap((own) =>
    own
      .filter(({ seq }, index) => seq < (own[index - 1]?.seq ?? 0))
      .map(({ id, seq }) => found(`${id} was sent after one that has a later place than ${seq}`)),
  );
}
