// Log: a host's log lines on stderr, in words for people.

import { type Logger, pino } from 'pino';
import type { Output } from './output.ts';

const WARN = 40;
const FATAL = 60;

/** Warnings and worse; everything with --verbose; nothing with --quiet, nor where a program reads stderr. */
export function logOf(output: Output): Logger {
  const { json, quiet, verbose } = output.options;
  const level = verbose ? 'info' : quiet || json ? 'silent' : 'warn';
  return pino({ level, base: null }, { write: (line: string) => print(output, line) });
}

function print(output: Output, line: string): void {
  const {
    level,
    time: _time,
    msg,
    ...facts
  } = JSON.parse(line) as {
    readonly level: number;
    readonly time: number;
    readonly msg?: string;
  } & Readonly<Record<string, unknown>>;
  // The command itself reports what ended it.
  if (level >= FATAL) return;
  const named = Object.entries(facts).map(([key, value]) => `${key} ${textOf(value)}`);
  const word = level >= WARN ? 'warning: ' : '';
  output.log(
    line.trimEnd(),
    `${word}${msg ?? ''}${named.length > 0 ? ` (${named.join(', ')})` : ''}`,
  );
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
