// JSON argument: JSON from the command line, or from the file that it names.

import { readFileSync } from 'node:fs';
import { UsageError } from './errors.ts';

/** The text itself, or the content of the file that `@file` names; `@-` is stdin. */
export function readText(argument: string): string {
  if (!argument.startsWith('@')) return argument;
  const file = argument.slice(1);
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${messageOf(error)}`);
  }
}

export function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new UsageError(
      `${what} is not JSON (${messageOf(error)}). In a shell, put it into single quotes.`,
    );
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
