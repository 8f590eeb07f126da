// Exit codes: what a script learns of a command (H5).

import type { ErrorCode } from '../embedded/index.ts';

export const EXIT = {
  ok: 0,
  /** It was tried and did not work. */
  failed: 1,
  /** The command line is wrong; nothing was tried. */
  usage: 2,
  /** There is nothing of that name, or nothing that matches. */
  nothing: 3,
  /** Troupe refuses it as things stand. */
  refused: 4,
  /** The store cannot be reached. */
  unreachable: 5,
  /** A simulation, an exploration or a replay found something. */
  finding: 6,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

const OF_ERROR: Readonly<Record<ErrorCode, ExitCode>> = {
  invalid_address: EXIT.usage,
  invalid_answer: EXIT.usage,
  invalid_event: EXIT.usage,
  invalid_input: EXIT.usage,
  invalid_intervention: EXIT.usage,
  invalid_message_id: EXIT.usage,
  invalid_option: EXIT.usage,

  actor_unknown: EXIT.nothing,
  call_unknown: EXIT.nothing,
  revision_unknown: EXIT.nothing,
  message_unknown: EXIT.nothing,

  actor_exists: EXIT.refused,
  actor_final: EXIT.refused,
  actor_not_stuck: EXIT.refused,
  actor_stopped: EXIT.refused,
  actor_stuck: EXIT.refused,
  call_not_stubbed: EXIT.refused,
  event_too_large: EXIT.refused,
  journal_incomplete: EXIT.refused,
  machine_changed: EXIT.refused,
  machine_refused: EXIT.refused,
  machine_version: EXIT.refused,
  mailbox_full: EXIT.refused,
  message_awaited: EXIT.refused,
  message_id_conflict: EXIT.refused,
  message_redelivered: EXIT.refused,
  message_refused: EXIT.refused,
  revision_conflict: EXIT.refused,
  unsupported_platform: EXIT.refused,

  storage_busy: EXIT.unreachable,
  storage_unavailable: EXIT.unreachable,
  store_damaged: EXIT.unreachable,
  store_missing: EXIT.unreachable,
  store_not_local: EXIT.unreachable,
  store_not_writable: EXIT.unreachable,
  store_replaced: EXIT.unreachable,
  store_schema: EXIT.unreachable,

  replay_diverged: EXIT.finding,

  call_conflict: EXIT.failed,
  call_module_missing: EXIT.failed,
  host_fenced: EXIT.failed,
  invalid_definition: EXIT.failed,
  loader_missing: EXIT.failed,
  machine_unknown: EXIT.failed,
  module_invalid: EXIT.failed,
  troupe_closed: EXIT.failed,
};

/** The exit code of an error's code; what is not Troupe's has failed. */
export function exitCodeOf(code: string): ExitCode {
  return Object.hasOwn(OF_ERROR, code) ? OF_ERROR[code as ErrorCode] : EXIT.failed;
}
