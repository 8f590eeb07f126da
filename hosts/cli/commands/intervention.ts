// Intervention: the options that every command of an operator has: who, why, and what they saw (J5).

import type { Command } from 'commander';
import type { Intervention } from '../../embedded/index.ts';
import { userName } from '../../user-name.ts';
import type { Cli } from '../cli.ts';
import { hostsOf, isStepped } from '../host-status.ts';
import { wholeNumber } from './command.ts';

export interface InterventionOptions {
  readonly revision: number;
  readonly reason: string;
  readonly by?: string;
}

/** Adds them to a command. */
export function asIntervention(command: Command): Command {
  return command
    .requiredOption(
      '--revision <number>',
      "the actor's revision as you saw it (troupe stuck, show)",
      wholeNumber(0),
    )
    .requiredOption('--reason <text>', 'why; it is kept in the journal')
    .option('--by <name>', "who you are; default: this system's name for you");
}

export function interventionOf({ revision, reason, by }: InterventionOptions): Intervention {
  return { revision, reason, by: by ?? userName() };
}

/** Says what was done, and who goes on from there. */
export function tell({ output }: Cli, store: string, done: string): void {
  output.notice(done);
  if (isStepped(hostsOf(store))) return;
  output.notice('No host steps this store now; the next one goes on (troupe run).');
}
