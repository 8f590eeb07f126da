import { type ActorStatus, type ActorView, openTroupe, type Troupe } from '../../embedded/index.ts';
import type { Cli } from '../cli.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { Display } from '../follow/display.ts';
import { Follower } from '../follow/follower.ts';
import { statePath } from '../format/state.ts';
import { Interruption } from '../interruption.ts';
import { readJson } from '../json-argument.ts';
import { definitionsIn, loadRunnable, type RunnableModule } from '../load-module.ts';
import { logOf } from '../log.ts';
import { commandLine } from '../shell.ts';
import type { Register } from './command.ts';

interface RunOptions {
  readonly id?: string;
  readonly input?: string;
  readonly store?: string;
  readonly config?: string;
  readonly dev?: true;
}

export const registerRun: Register = (program, run) => {
  program
    .command('run')
    .description('be the host of a store: run a machine until it ends, and follow it')
    .argument('<module>', 'its default export is what defineMachine returns')
    .option('--id <id>', 'the actor is machine/<id>; one that is there with equal input goes on')
    .option('--input <json>', 'input for the machine: JSON, or @file with JSON')
    .option('--dev', 'take a machine that has changed under its version for the one that is stored')
    .action((module: string, _options, command) =>
      run<RunOptions>(command, (cli, options) => runModule(cli, module, options)),
    );
};

async function runModule(cli: Cli, path: string, options: RunOptions): Promise<ExitCode> {
  const { output } = cli;
  const input = options.input === undefined ? undefined : readJson(options.input, 'The input');
  const module = await loadRunnable(path);
  using interruption = new Interruption((name) => {
    output.notice(`${name}: closing; running calls get a moment. Once more ends at once.`);
  });
  process.stdout.on('error', () => interruption.interrupt());
  const host = await openHost(cli, module, interruption, options.dev ?? false);
  let end: ActorView;
  let isNew: boolean;
  try {
    ({ end, isNew } = await followMain(cli, host, module, { id: options.id, input }, interruption));
  } finally {
    await host.troupe.close();
  }
  if (end.status === 'active') return interrupted(cli, path, options, end);
  return report(cli, end, isNew);
}

interface Host {
  readonly troupe: Troupe;
  readonly machines: RunnableModule['machines'];
  /** Rejects when the host had to stop by itself. */
  readonly fatal: Promise<never>;
}

async function openHost(
  cli: Cli,
  module: RunnableModule,
  interruption: Interruption,
  dev: boolean,
): Promise<Host> {
  const config = await cli.config();
  const { machines, calls } = definitionsIn([
    ...module.machines,
    ...config.machines,
    ...module.calls,
    ...config.calls,
  ]);
  let onFatal: (error: Error) => void = () => {};
  const fatal = new Promise<never>((_resolve, reject) => {
    onFatal = reject;
  });
  fatal.catch(() => interruption.interrupt());
  const store = await cli.store();
  const troupe = await openTroupe({ store, machines, calls, dev, onFatal, log: logOf(cli.output) });
  return { troupe, machines, fatal };
}

interface Spawning {
  readonly id: string | undefined;
  readonly input: unknown;
}

async function followMain(
  cli: Cli,
  { troupe, machines, fatal }: Host,
  module: RunnableModule,
  { id, input }: Spawning,
  interruption: Interruption,
): Promise<{ readonly end: ActorView; readonly isNew: boolean }> {
  const { address, isNew } = await troupe.spawn(module.main, {
    ...(id === undefined ? {} : { id }),
    // The machine's own schema checks it.
    ...(input === undefined ? {} : { input: input as never }),
  });
  cli.output.notice(`${address} ${isNew ? 'begins' : 'is there already'} in ${troupe.store}`);
  using display = new Display(cli.output, address, machines);
  const follower = new Follower(troupe, display.events);
  await Promise.race([follower.follow(address, isNew, interruption.signal), fatal]);
  return { end: await troupe.get(address), isNew };
}

function report({ output }: Cli, end: ActorView, isNew: boolean): ExitCode {
  const { address, status, output: result, error, stuck } = end;
  if (output.options.json) {
    output.json({ kind: 'end', address, status, output: result, error, stuck });
  } else if (result !== undefined) {
    output.line(JSON.stringify(result, undefined, output.options.quiet ? undefined : 2));
  }
  if (status === 'done') {
    if (!isNew) output.detail(`${address} had been there before this run.`);
    output.notice(`${address} has ended: ${statePath(end.state)}.`);
    return EXIT.ok;
  }
  output.failure({
    code: codeOf(status),
    message: explain(end),
    exitCode: EXIT.failed,
    details: { address, status, ...stuck },
  });
  return EXIT.failed;
}

function codeOf(status: ActorStatus): string {
  return status === 'stuck'
    ? 'actor_stuck'
    : status === 'stopped'
      ? 'actor_stopped'
      : 'actor_failed';
}

function explain({ address, status, error, stuck, state }: ActorView): string {
  if (stuck !== undefined) {
    return `${address} is stuck in ${statePath(stuck.state)}: ${sentence(stuck.message)} See: troupe show '${address}'.`;
  }
  if (status === 'stopped') return `${address} was stopped.`;
  const why = (error as { readonly message?: unknown } | null | undefined)?.message;
  const text = typeof why === 'string' ? why : JSON.stringify(error);
  return `${address} has ended with an error in ${statePath(state)}: ${sentence(text)} See: troupe journal '${address}'.`;
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** It goes on where it is with the same command, for which its id must be named. */
function interrupted(
  { output }: Cli,
  path: string,
  options: RunOptions,
  { address, state }: ActorView,
): ExitCode {
  const id = address.slice(address.indexOf('/') + 1);
  const again = commandLine('npx troupe run', path, {
    id,
    input: options.input,
    store: options.store,
    config: options.config,
    dev: options.dev,
  });
  output.notice(`${address} rests in ${statePath(state)}. It goes on with: ${again}`);
  return EXIT.interrupted;
}
