// Ports: what the engine needs of the outside world. A host injects them; a simulation injects its own.

import type { MessageRow } from '../persistence/index.ts';
import type { CallSpec } from './registry/index.ts';
import type { MachineEvent } from './step/index.ts';

/** Time. `now` is the wall clock; the rest schedules work of this process and is never the source of a due time. */
export interface Clock {
  /** Milliseconds since 1970. May jump. */
  now(): number;
  /** Runs once after a while, measured by a clock that does not jump. Returns what cancels it. */
  after(delayMs: number, run: () => void): () => void;
  /** Runs once, as soon as what this process is handling has been handled. */
  soon(run: () => void): void;
}

/** Names that are used once. */
export interface Entropy {
  /** A new incarnation of a host: unique for ever, usable in a file's name. */
  incarnation(): string;
}

/** One attempt of a call, claimed by this host and on disk as such. */
export interface Attempt {
  readonly callId: string;
  /** From 1. */
  readonly attempt: number;
  /** The same for every attempt of this call: the key that makes a replay safe downstream. */
  readonly idempotencyKey: string;
  readonly spec: CallSpec;
  readonly input: unknown;
  /** Takes what a listener sends to its actor (K9a). */
  readonly onEvent?: (event: MachineEvent) => void;
}

/** How an attempt ended. It says nothing of what that means: the class decides (C3). */
export type AttemptEnd =
  | { readonly kind: 'answered'; readonly output: unknown }
  | { readonly kind: 'malformed'; readonly why: string }
  | { readonly kind: 'threw'; readonly error: ThrownData }
  /** It was cut off: by its time limit, with its thread, or by shutdown. */
  | { readonly kind: 'cut'; readonly by: Cut; readonly why: string };

export type Cut = 'time_limit' | 'thread_ended' | 'shutdown';

/** What a function threw, as data: never a stack to be compared (C6). */
export interface ThrownData {
  readonly code: string;
  readonly message: string;
  /** `failed` when the function itself says that nothing happened. */
  readonly outcome?: 'failed';
  readonly details?: unknown;
}

export interface RunningAttempt {
  /** Never rejects. Settles when the attempt has really ended, or has been given up by `end`. */
  readonly end: Promise<AttemptEnd>;
  /** Asks the function to stop: its signal aborts. */
  abort(): void;
  /** Gives a listener an event of its actor (K9a). */
  hear?(event: MachineEvent): void;
  /** Ends its thread; a promise on the host's thread is given up. Then `end` settles. */
  kill(): void;
  /** What a given-up promise answers in the end, after `end`; undefined when it cannot answer any more. */
  readonly late?: Promise<AttemptEnd>;
}

/** Where calls run. Never refuses: the engine starts no more than `concurrency` of one key. */
export interface CallPool {
  start(attempt: Attempt): RunningAttempt;
  /** Ends every thread. */
  close(): Promise<void>;
}

/** Ends this process when one step lasts too long: nothing in its own thread can end an endless loop (V3). */
export interface Watchdog {
  /** A step begins; one before it is over. It must cost next to nothing. */
  begin(message: Pick<MessageRow, 'seq' | 'actor'>): void;
  /** No step goes on. */
  end(): void;
  /** Ends its thread. */
  close(): Promise<void>;
}

/** Points at which a process may die; tests kill it there (V6). */
export type Boundary =
  | 'group.begun'
  | 'group.beforeCommit'
  | 'group.committed'
  | 'perform.beforeCall'
  | 'perform.callStarted'
  | 'perform.done'
  | 'open.lockTaken'
  | 'open.registered'
  | 'close.beforeLeave';

export type Boundaries = (boundary: Boundary) => void;
