// Calls: functions of the outside world, registered by name, run on worker threads (C1–C8).

import type { z } from 'zod';
import { TroupeError } from '../persistence/index.ts';
import {
  CALL_CLAIM_LIMIT_MS,
  CALL_CONCURRENCY,
  CALL_CONCURRENCY_MAX,
  CALL_LIMIT_MS,
  CALL_LIMIT_MS_MAX,
  CALL_LIMIT_MS_MIN,
} from './limits.ts';

/**
 * What may happen to a call that was interrupted (C3, C5).
 * - `read` changes nothing outside: it may be run again.
 * - `effect` changes something: interrupted, its outcome is unknown, and it is never run again.
 * - `replayable` changes something, and its function has declared that the same idempotency key makes it safe to run again.
 */
export type CallClass = 'read' | 'effect' | 'replayable';

export interface CallOptions<TName extends string, TInput, TOutput> {
  /** The name under which machines invoke it: the `src` of an invoke or spawnChild. */
  readonly name: TName;
  /**
   * The module whose default export is the function, `(input, context) => output`; see `troupe/adapters`. An absolute
   * file URL, best written as `new URL('./hash-file.ts', import.meta.url)`: `.ts` and `.js` stand for each other, so it
   * stays right when the project is compiled.
   */
  readonly module: URL | string;
  readonly class: CallClass;
  /** Longest time of one attempt. Milliseconds, 1_000–120_000; default 30_000. Past it the signal aborts; 2 s later the thread ends (C3). */
  readonly limitMs?: number;
  /** How long it may wait for a free thread before it is withdrawn as `not_started` (C1). Milliseconds; default 60_000. */
  readonly claimLimitMs?: number;
  /** Threads of this call on one host: a call that hangs holds one of these, and no other call's. 1–64; default 2. */
  readonly concurrency?: number;
  /** Checked before the call starts; what does not fit fails the call as `input_invalid`, certainly not started. */
  readonly input: z.ZodType<TInput>;
  /** Checked when the answer comes back; what does not fit is `answer_malformed` (C6). */
  readonly output: z.ZodType<TOutput>;
}

export interface CallDefinition<
  TName extends string = string,
  TInput = unknown,
  TOutput = unknown,
> {
  readonly kind: 'call';
  readonly name: TName;
  readonly module: string;
  readonly class: CallClass;
  readonly limitMs: number;
  readonly claimLimitMs: number;
  readonly concurrency: number;
  readonly input: z.ZodType<TInput>;
  readonly output: z.ZodType<TOutput>;
}

/** A call of any types, as lists of calls hold it. */
export type AnyCallDefinition = Omit<CallDefinition, 'input' | 'output'> & {
  readonly input: z.ZodType;
  readonly output: z.ZodType;
};

/**
 * Registers a function as a durable call. It runs on a thread of the host's process and must never open the files of the
 * store or of a host's lock: closing any descriptor of them drops the process's locks (V4). Delivery: `read` and `replayable` at least once, `effect` at most once.
 * @throws {TroupeError} `invalid_definition` when a number is out of its range or the module is no file URL.
 */
export function defineCall<const TName extends string, TInput, TOutput>(
  options: CallOptions<TName, TInput, TOutput>,
): CallDefinition<TName, TInput, TOutput> {
  const definition = {
    kind: 'call' as const,
    name: options.name,
    module: String(options.module),
    class: options.class,
    limitMs: options.limitMs ?? CALL_LIMIT_MS,
    claimLimitMs: options.claimLimitMs ?? CALL_CLAIM_LIMIT_MS,
    concurrency: options.concurrency ?? CALL_CONCURRENCY,
    input: options.input,
    output: options.output,
  };
  requireDefinition(definition);
  return Object.freeze(definition);
}

function requireDefinition(call: AnyCallDefinition): void {
  const name = `call '${call.name}'`;
  if (!/^[A-Za-z][\w.-]{0,127}$/.test(call.name)) {
    refuse(
      `The name of ${name} must begin with a letter and hold only letters, digits, '_', '-' and '.'.`,
    );
  }
  if (!call.module.startsWith('file:')) {
    refuse(
      `The module of ${name} is '${call.module}'. Give a file URL: new URL('./module.ts', import.meta.url).`,
    );
  }
  if (!['read', 'effect', 'replayable'].includes(call.class)) {
    refuse(`The class of ${name} is '${call.class}'. It is 'read', 'effect' or 'replayable'.`);
  }
  requireRange(name, 'limitMs', call.limitMs, CALL_LIMIT_MS_MIN, CALL_LIMIT_MS_MAX);
  requireRange(name, 'claimLimitMs', call.claimLimitMs, 1, Number.MAX_SAFE_INTEGER);
  requireRange(name, 'concurrency', call.concurrency, 1, CALL_CONCURRENCY_MAX);
}

/** @throws {TroupeError} `invalid_definition` when a number is not whole or out of its range. */
export function requireRange(
  of: string,
  option: string,
  value: number,
  min: number,
  max: number,
): void {
  if (Number.isInteger(value) && value >= min && value <= max) return;
  refuse(`${option} of ${of} is ${value}. It is a whole number from ${min} to ${max}.`);
}

function refuse(message: string): never {
  throw new TroupeError('invalid_definition', message);
}
