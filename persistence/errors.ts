// Typed errors: every expected failure of Troupe is a TroupeError with a literal code.

/**
 * Whether what the caller asked for is on disk: `notWritten` means that asking again is safe, `written` that it is
 * there, `unknown` that only a look at the store tells.
 */
export type Outcome = 'notWritten' | 'written' | 'unknown';

/** Each code that a caller of the library, the command line or a control plane can meet. */
export type ErrorCode =
  | 'actor_exists'
  | 'actor_final'
  | 'actor_not_stuck'
  | 'actor_stopped'
  | 'actor_stuck'
  | 'actor_unknown'
  | 'call_conflict'
  | 'call_module_missing'
  | 'call_not_stubbed'
  | 'call_unknown'
  | 'event_too_large'
  | 'host_fenced'
  | 'invalid_address'
  | 'invalid_answer'
  | 'invalid_definition'
  | 'invalid_event'
  | 'invalid_input'
  | 'invalid_intervention'
  | 'invalid_message_id'
  | 'invalid_option'
  | 'journal_incomplete'
  | 'loader_missing'
  | 'machine_changed'
  | 'machine_refused'
  | 'machine_unknown'
  | 'machine_version'
  | 'mailbox_full'
  | 'message_awaited'
  | 'message_id_conflict'
  | 'message_redelivered'
  | 'message_refused'
  | 'message_unknown'
  | 'module_invalid'
  | 'replay_diverged'
  | 'revision_conflict'
  | 'revision_unknown'
  | 'storage_busy'
  | 'storage_unavailable'
  | 'store_damaged'
  | 'store_missing'
  | 'store_not_local'
  | 'store_not_writable'
  | 'store_replaced'
  | 'store_schema'
  | 'troupe_closed'
  | 'unsupported_platform';

export interface ErrorFacts {
  readonly cause?: unknown;
  readonly outcome?: Outcome;
  /** The ids and limits involved, as JSON. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** An expected failure. `code` is stable; `message` says what to do next; `outcome` says what is on disk. */
export class TroupeError extends Error {
  override readonly name = 'TroupeError';
  readonly code: ErrorCode;
  readonly outcome: Outcome;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, facts: ErrorFacts = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.code = code;
    this.outcome = facts.outcome ?? 'notWritten';
    this.details = facts.details ?? {};
  }

  toJSON(): Record<string, unknown> {
    return {
      code: this.code,
      message: this.message,
      outcome: this.outcome,
      details: this.details,
    };
  }
}

/** Throws when a thing that cannot happen has happened: a bug, never a caller's mistake. On in production. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`assertion failed: ${message}`);
}
