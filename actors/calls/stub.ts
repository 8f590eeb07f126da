// Stub: an operator answers a call that a stubbed fork has ordered (J4). The answer takes the road of every answer.

import type { z } from 'zod';
import { type CallRow, TroupeError } from '../../persistence/index.ts';
import type { Transaction } from '../engine/group.ts';
import type { AttemptEnd, ThrownData } from '../ports.ts';
import type { Registry } from '../registry/index.ts';
import { answer } from './answer.ts';
import { withinLimits } from './attempt-end.ts';
import { settle } from './settlement.ts';

/** How a stubbed call shall end: as if its function had returned this output, or thrown this error. */
export type StubAnswer = { readonly output: unknown } | { readonly error: ThrownData };

/**
 * Ends a stubbed call as if it had run. @throws {TroupeError} `call_unknown`, `call_not_stubbed`, `invalid_answer`:
 * nothing was written.
 */
export function answerStub(
  transaction: Transaction,
  registry: Registry,
  callId: string,
  given: StubAnswer,
): void {
  const row = requireStubbed(transaction, callId);
  const end: AttemptEnd =
    'error' in given
      ? { kind: 'threw', error: given.error }
      : { kind: 'answered', output: given.output };
  const bounded = withinLimits(end);
  const settlement = settle(row, bounded, outputOf(registry, row));
  if (settlement.kind === 'error' && settlement.error.code === 'answer_malformed') {
    throw new TroupeError('invalid_answer', `${callId}: ${settlement.error.message}`, {
      details: { callId },
    });
  }
  answer(transaction, row, settlement);
}

function requireStubbed({ store }: Transaction, callId: string): CallRow {
  const row = store.calls.get(callId);
  if (row === undefined) {
    throw new TroupeError('call_unknown', `There is no call ${callId}. See 'troupe show'.`, {
      details: { callId },
    });
  }
  if (row.status === 'stubbed') return row;
  throw new TroupeError(
    'call_not_stubbed',
    `Call ${callId} is ${row.status}: only a stubbed call of a fork is answered by hand.`,
    { details: { callId, status: row.status } },
  );
}

/** The schema of the call's output, where this process knows it. */
function outputOf(registry: Registry, { source }: CallRow): z.ZodType | undefined {
  for (const machine of registry.machines.values()) {
    for (const { key, runs } of machine.calls.values()) {
      if (key === source && runs.on === 'thread') return runs.call.output;
    }
  }
  return undefined;
}
