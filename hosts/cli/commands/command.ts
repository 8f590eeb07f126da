// Command: what the files of this folder share.

import { type Command, InvalidArgumentError } from 'commander';
import type { Cli, GlobalOptions } from '../cli.ts';
import { UsageError } from '../errors.ts';
import type { ExitCode } from '../exit-codes.ts';

/** Runs the work of a command with its options, the global ones among them. */
export type Runner = <TOptions>(
  command: Command,
  work: (cli: Cli, options: TOptions & GlobalOptions) => Promise<ExitCode>,
) => Promise<void>;

/** Adds a command to the program. */
export type Register = (program: Command, run: Runner) => void;

/** @throws {UsageError} when a store is named for a command that has none. */
export function requireNoStore(name: string, { store }: GlobalOptions): void {
  if (store === undefined) return;
  throw new UsageError(`${name} touches no store of yours: leave --store out`);
}

/** Parses a number above 0, up to `max`. */
export function positiveNumber(max: number) {
  return (text: string): number => {
    const value = Number(text);
    if (/^\d+(\.\d+)?$/.test(text) && value > 0 && value <= max) return value;
    throw new InvalidArgumentError(`It is a number above 0, up to ${max}.`);
  };
}

/** Parses a whole number from `min` to `max`. */
export function wholeNumber(min: number, max: number = Number.MAX_SAFE_INTEGER) {
  return (text: string): number => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) return value;
    const range = max === Number.MAX_SAFE_INTEGER ? `from ${min}` : `from ${min} to ${max}`;
    throw new InvalidArgumentError(`It is a whole number ${range}.`);
  };
}
