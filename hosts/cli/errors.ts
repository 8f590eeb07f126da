// Errors: whatever a command ends with, as one line for people or one JSON object for programs.

import { CommanderError } from 'commander';
import { EXIT, type ExitCode, exitCodeOf } from './exit-codes.ts';
import { printable } from './format/text.ts';

/** The command line is wrong in a way that commander cannot know. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  readonly code = 'usage';
}

export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly exitCode: ExitCode;
  readonly details: Readonly<Record<string, unknown>>;
  /** Whether what was asked for is on disk. */
  readonly outcome?: string;
  readonly stack?: string;
}

/** @returns undefined when commander ended the command without a failure: help or version was asked for. */
export function failureOf(thrown: unknown): Failure | undefined {
  if (thrown instanceof CommanderError) return failureOfCommander(thrown);
  if (thrown instanceof UsageError) {
    return { code: 'usage', message: thrown.message, exitCode: EXIT.usage, details: {} };
  }
  return failureOfError(thrown);
}

function failureOfCommander({ code, message, exitCode }: CommanderError): Failure | undefined {
  if (exitCode === 0) return undefined;
  const text =
    code === 'commander.help'
      ? "name a command; 'troupe --help' lists them"
      : message
          .replace(/^error: /, '')
          .replace(/\n\(Did you mean (.*)\?\)$/s, '. Did you mean $1?');
  return { code: 'usage', message: text, exitCode: EXIT.usage, details: {} };
}

/**
 * A user's module may bring a second copy of Troupe, so its errors are known by their form, not by their class.
 */
function failureOfError(thrown: unknown): Failure {
  const error = (typeof thrown === 'object' && thrown !== null ? thrown : {}) as {
    readonly name?: unknown;
    readonly code?: unknown;
    readonly message?: unknown;
    readonly outcome?: unknown;
    readonly details?: unknown;
    readonly stack?: unknown;
  };
  const isTyped = error.name === 'TroupeError' && typeof error.code === 'string';
  const code = typeof error.code === 'string' && isTyped ? error.code : 'unexpected';
  return {
    code,
    message: typeof error.message === 'string' ? error.message : String(thrown),
    exitCode: exitCodeOf(code),
    details: isTyped ? (error.details as Readonly<Record<string, unknown>>) : {},
    ...(isTyped && typeof error.outcome === 'string' ? { outcome: error.outcome } : {}),
    ...(typeof error.stack === 'string' ? { stack: error.stack } : {}),
  };
}

/** `troupe: There is no actor archive/x. See 'troupe ls'. (actor_unknown)` */
export function failureLine({ code, message }: Failure): string {
  const oneLine = message
    .split(/\s*\n\s*/)
    .filter((part) => part !== '')
    .join('; ')
    .replace(/:; /g, ': ');
  return `troupe: ${printable(oneLine)} (${code})`;
}

export function failureJson({ code, message, details, outcome }: Failure): string {
  return JSON.stringify({ code, message, ...(outcome === undefined ? {} : { outcome }), details });
}
