// The contract of a call module: what its default export gets and gives.

import type { z } from 'zod';

/** What a call knows of itself while it runs. */
export interface CallContext {
  /** The call's id: `<actor>#<invoke id>@<revision>`. */
  readonly callId: string;
  /** From 1. Only `read` and `replayable` calls see more than one. */
  readonly attempt: number;
  /** The same for every attempt: hand it downstream, so that what was done once is not done twice. */
  readonly idempotencyKey: string;
  /** Aborts when the actor has no use for the call any more, at the time limit, and at shutdown. 2 s after the limit the thread ends. */
  readonly signal: AbortSignal;
  /** Writes one line to the host's log. Delivery: at most once. No secrets. */
  readonly log: (message: string, details?: Readonly<Record<string, unknown>>) => void;
}

/**
 * The default export of a call module. It runs on a worker thread, one call at a time. What it returns is JSON and is
 * checked against the call's output schema; what it throws becomes `{ code, message, outcome, details }`.
 */
export type CallFunction<TInput = unknown, TOutput = unknown> = (
  input: TInput,
  context: CallContext,
) => TOutput | Promise<TOutput>;

/**
 * Types a call module's function by the call's schemas. Returns it as it is.
 * @example export default callFunction<typeof hashFile>(async ({ file }) => ({ sha256: await digest(file) }));
 */
export function callFunction<
  TCall extends { readonly input: z.ZodType; readonly output: z.ZodType },
>(run: CallFunction<z.output<TCall['input']>, z.input<TCall['output']>>): typeof run {
  return run;
}

/**
 * Thrown by a call to say what happened. `outcome: 'failed'` is a promise that nothing was changed outside; without it
 * the outcome of an effect that throws is unknown, because Troupe cannot know.
 */
export class CallFailure extends Error {
  override readonly name = 'CallFailure';
  readonly code: string;
  readonly outcome: 'failed' | undefined;
  readonly details: unknown;

  constructor(
    code: string,
    message: string,
    facts: {
      readonly outcome?: 'failed';
      readonly details?: unknown;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.code = code;
    this.outcome = facts.outcome;
    this.details = facts.details;
  }
}
