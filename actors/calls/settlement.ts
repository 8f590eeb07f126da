// Settlement: what the end of an attempt means, by the call's class (C3, C4, C5, C6). Pure.

import type { z } from 'zod';
import type { CallRow } from '../../persistence/index.ts';
import { parseBy } from '../issues.ts';
import { explainFinding, inspectJson } from '../json.ts';
import { CALL_ATTEMPTS_MAX } from '../limits.ts';
import type { AttemptEnd, ThrownData } from '../ports.ts';

/**
 * What a machine learns when a call did not answer as it should: the `error` of `xstate.error.actor.<id>`.
 * `outcome`: `failed`, it did not happen; `notStarted`, it certainly never began; `unknown`, nobody knows: look first.
 */
export interface CallError {
  readonly code: string;
  readonly message: string;
  readonly outcome: 'failed' | 'notStarted' | 'unknown';
  readonly details?: unknown;
}

export type Settlement =
  | { readonly kind: 'done'; readonly output: unknown }
  | { readonly kind: 'error'; readonly error: CallError }
  /** Another attempt with the same idempotency key. */
  | { readonly kind: 'again' };

type CallFacts = Pick<CallRow, 'class' | 'attempt'>;

/** Judges how an attempt of a call ended. */
export function settle(
  call: CallFacts,
  end: AttemptEnd,
  output: z.ZodType | undefined,
): Settlement {
  switch (end.kind) {
    case 'answered':
      return judgeAnswer(call, end.output, output);
    case 'malformed':
      return malformed(call, end.why);
    case 'threw':
      return {
        kind: 'error',
        error: { ...end.error, outcome: outcomeOfThrow(call, end.error) },
      };
    case 'cut':
      return interrupted(call, end.why, end.by === 'time_limit' ? 'time_limit' : 'interrupted');
  }
}

/** A call whose host died: it ran, or it did not; nobody tells (C5). */
export function settleInterrupted(call: CallFacts): Settlement {
  const why = 'the host ended while the call ran';
  return call.class === 'read' && call.attempt < CALL_ATTEMPTS_MAX
    ? { kind: 'again' }
    : interrupted(call, why, 'interrupted');
}

/** A call that waited too long: certainly not started when nobody ever claimed it; else its last attempt was interrupted (C1). */
export function settleWithdrawn(call: CallFacts, claimLimitMs: number): Settlement {
  if (call.attempt === 0) return notStarted(claimLimitMs);
  const message = `An attempt was interrupted, and no host had a thread free for another within ${claimLimitMs} ms.`;
  return { kind: 'error', error: { code: 'interrupted', message, outcome: outcomeOf(call) } };
}

/** A call that was never claimed: certain. */
function notStarted(claimLimitMs: number): Settlement {
  return {
    kind: 'error',
    error: {
      code: 'not_started',
      message: `No host had a thread free for this call within ${claimLimitMs} ms.`,
      outcome: 'notStarted',
    },
  };
}

function judgeAnswer(call: CallFacts, value: unknown, schema: z.ZodType | undefined): Settlement {
  if (schema === undefined) return { kind: 'done', output: value };
  const parsed = parseBy(schema, value);
  if ('why' in parsed) return malformed(call, parsed.why);
  const finding = inspectJson(parsed.data);
  return finding.ok
    ? { kind: 'done', output: parsed.data }
    : malformed(call, `after its schema, ${explainFinding(finding, 'it')}`);
}

function malformed(call: CallFacts, why: string): Settlement {
  return {
    kind: 'error',
    error: {
      code: 'answer_malformed',
      message: `The answer does not fit the call's output schema: ${why}`,
      outcome: outcomeOf(call),
    },
  };
}

function interrupted(call: CallFacts, why: string, code: string): Settlement {
  if (call.class === 'listener') return { kind: 'again' };
  if (call.class === 'replayable' && call.attempt < CALL_ATTEMPTS_MAX) return { kind: 'again' };
  const attempts = call.attempt >= CALL_ATTEMPTS_MAX ? ` after ${call.attempt} attempts` : '';
  return {
    kind: 'error',
    error: {
      code,
      message: `The call was interrupted${attempts}: ${why}.`,
      outcome: outcomeOf(call),
    },
  };
}

/** A function speaks for its own attempt: of an earlier one that was interrupted it cannot know that nothing happened. */
function outcomeOfThrow(call: CallFacts, { outcome }: ThrownData): CallError['outcome'] {
  const isRepeated = call.class === 'replayable' && call.attempt > 1;
  return isRepeated ? 'unknown' : (outcome ?? outcomeOf(call));
}

/** True for what leaves the outside as it is, whatever becomes of it. */
export function changesNothing({ class: callClass }: Pick<CallRow, 'class'>): boolean {
  return callClass === 'read' || callClass === 'listener';
}

/** A read that went wrong changed nothing; of anything else nobody knows. */
function outcomeOf(call: CallFacts): 'failed' | 'unknown' {
  return changesNothing(call) ? 'failed' : 'unknown';
}
