// Traced: lets a witness see a call from outside. The ledger is written by the calls themselves, so that a test can
// compare what happened with what the store says.

import { appendFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { CallContext } from '../../../adapters/index.ts';
import type { Trace } from '../schemas.ts';

/** One line of the ledger. A `begin` without an `end` was cut off. */
export interface LedgerLine {
  readonly at: 'begin' | 'end';
  readonly call: string;
  /** The idempotency key: the same for every attempt of one call. */
  readonly key: string;
  readonly attempt: number;
  readonly file: string;
  /** The code of the failure, on the `end` of a call that did not do its work. */
  readonly failed?: string;
}

export interface Traced {
  readonly call: string;
  readonly file: string;
  readonly input: Trace;
  readonly context: CallContext;
}

/** Runs an effect between two lines of the ledger, with the pauses that the input asks for. */
export async function traced<T>(traced: Traced, effect: () => Promise<T>): Promise<T> {
  const { paceMs } = traced.input;
  const { signal } = traced.context;
  write(traced, { at: 'begin' });
  try {
    if (paceMs) await pause(paceMs, undefined, { signal });
    const result = await effect();
    if (paceMs) await pause(paceMs);
    write(traced, { at: 'end' });
    return result;
  } catch (error) {
    write(traced, { at: 'end', failed: codeOf(error) });
    throw error;
  }
}

/** Appends whole lines, so that several threads and hosts may share one ledger. */
function write(
  { call, file, input, context }: Traced,
  part: Pick<LedgerLine, 'at' | 'failed'>,
): void {
  if (input.ledger === undefined) return;
  const line: LedgerLine = {
    ...part,
    call,
    key: context.idempotencyKey,
    attempt: context.attempt,
    file,
  };
  appendFileSync(input.ledger, `${JSON.stringify(line)}\n`, { flag: 'a' });
}

function codeOf(error: unknown): string {
  const code = (error as { readonly code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : 'threw';
}
