// JSON argument: JSON from the command line, or from the file that it names.

import { readFileSync } from 'node:fs';
import { UsageError } from './errors.ts';

/** Reads JSON: the text itself, or the content of the file that `@file` names; `@-` is stdin. */
export function readJson(argument: string, what: string): unknown {
  const text = readText(argument);
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    const hint = argument.startsWith('@') ? '' : ' In a shell, put it into single quotes.';
    throw new UsageError(`${what} is not JSON (${messageOf(error)}).${hint}`);
  }
}

function readText(argument: string): string {
  if (!argument.startsWith('@')) return argument;
  const file = argument.slice(1);
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${messageOf(error)}`);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
