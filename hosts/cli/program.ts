// Program: the commands of `troupe`, and how each of them ends.

import { createRequire } from 'node:module';
import { Command } from 'commander';
import { Cli, type GlobalOptions } from './cli.ts';
import { registerCheck } from './commands/check.ts';
import type { Runner } from './commands/command.ts';
import { registerDoctor } from './commands/doctor.ts';
import { registerExplore } from './commands/explore.ts';
import { registerFork } from './commands/fork.ts';
import { registerJournal } from './commands/journal.ts';
import { registerLs } from './commands/ls.ts';
import { registerRedeliver } from './commands/redeliver.ts';
import { registerReplay } from './commands/replay.ts';
import { registerRetry } from './commands/retry.ts';
import { registerRun } from './commands/run.ts';
import { registerSend } from './commands/send.ts';
import { registerShow } from './commands/show.ts';
import { registerSimulate } from './commands/simulate.ts';
import { registerSkip } from './commands/skip.ts';
import { registerStop } from './commands/stop.ts';
import { registerStuck } from './commands/stuck.ts';
import { registerUndeliverable } from './commands/undeliverable.ts';
import { failureOf } from './errors.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { Output } from './output.ts';

const FOOTER = `
Exit codes: 0 ok, 1 failed, 2 usage, 3 nothing matched, 4 refused, 5 unreachable, 6 found
something, 130 interrupted.
Without --store the configuration's store is taken, else ./troupe.db.`;

/** Runs one command line. Never rejects. */
export async function runCli(args: readonly string[]): Promise<ExitCode> {
  let exitCode: ExitCode = EXIT.ok;
  let output = new Output(flagsIn(args));
  const run: Runner = async (command, work) => {
    const options = command.optsWithGlobals<GlobalOptions>();
    const cli = new Cli(options);
    output = cli.output;
    exitCode = await work(cli, options as never);
  };
  try {
    await programOf(run, output).parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    const failure = failureOf(error);
    if (failure === undefined) return EXIT.ok;
    output.failure(failure);
    return failure.exitCode;
  }
}

function programOf(run: Runner, output: Output): Command {
  const program = new Command('troupe')
    .description('Runs XState machines as durable actors, and looks at them.')
    .option('--store <file>', 'the SQLite file that holds everything')
    .option('--config <file>', 'default: troupe.config.js or .ts in this folder')
    .option('--json', 'print JSON; errors are one JSON object on stderr')
    .option('--quiet', 'print data only')
    .option('--verbose', 'say more on stderr')
    .version(version(), '--version', 'print the version')
    .helpOption('--help', 'explain a command')
    .configureHelp({ showGlobalOptions: true })
    .addHelpText('after', FOOTER);
  for (const register of [
    registerRun,
    registerLs,
    registerShow,
    registerSend,
    registerJournal,
    registerUndeliverable,
    registerReplay,
    registerFork,
    registerStuck,
    registerRetry,
    registerSkip,
    registerStop,
    registerRedeliver,
    registerDoctor,
    registerCheck,
    registerSimulate,
    registerExplore,
  ]) {
    register(program, run);
  }
  for (const command of [program, ...program.commands]) quietly(command, output);
  return program;
}

/** Errors are reported once, in our form, and nothing but main ends the process. */
function quietly(command: Command, output: Output): void {
  command.exitOverride().configureOutput({
    outputError: () => {},
    writeErr: (text) => {
      if (!output.options.json) process.stderr.write(text);
    },
  });
}

/** Known before the command line is parsed: it may be what cannot be parsed. */
function flagsIn(args: readonly string[]) {
  const has = (flag: string) => args.includes(flag);
  return { json: has('--json'), quiet: has('--quiet'), verbose: has('--verbose') };
}

function version(): string {
  const found = createRequire(import.meta.url)('troupe/package.json') as {
    readonly version: string;
  };
  return found.version;
}
