// StepError: why a step parks its actor (K6, K7, K8). It is stored with the actor, never thrown at another one.

export type StepErrorCode =
  | 'machine_threw'
  | 'eventless_loop'
  | 'context_not_json'
  | 'output_not_json'
  | 'event_not_json'
  | 'input_not_json'
  | 'spawn_in_assign'
  | 'spawn_without_id'
  | 'source_unknown'
  | 'target_unknown'
  | 'delay_invalid'
  | 'event_too_large'
  | 'snapshot_too_large'
  | 'too_many_effects'
  | 'writes_too_large'
  | 'snapshot_damaged'
  | 'event_damaged'
  | 'context_invalid'
  | 'output_invalid'
  | 'state_unknown'
  | 'impure_machine'
  | 'migration_missing'
  | 'migration_failed'
  | 'migration_incomplete'
  | 'assertion_failed'
  | 'address_too_long'
  /** Hosts died in this step; it was not taken again (V3). */
  | 'message_poisoned';

export class StepError extends Error {
  override readonly name = 'StepError';
  readonly code: StepErrorCode;

  constructor(code: StepErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}

/** Names what was thrown, for people: an error's message, else the value as text. Never throws, whatever it was. */
export function messageOf(thrown: unknown): string {
  try {
    const told: unknown = thrown instanceof Error ? thrown.message : thrown;
    return typeof told === 'string' ? told : (JSON.stringify(told) ?? String(told));
  } catch {
    return `something of type ${typeof thrown} that has no text`;
  }
}
