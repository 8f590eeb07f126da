import type { SimulationReport } from '../../../test/kit/index.ts';
import type { Cli } from '../cli.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { findingLines, progressLine, type Tally, tallyLine } from '../format/simulation.ts';
import { Progress } from '../progress.ts';
import { commandLine } from '../shell.ts';
import { seedRunner } from '../simulation.ts';
import { type Register, wholeNumber } from './command.ts';

const MINUTES_MAX = 10_000;
const STEPS_MAX = 1_000_000;
const HOSTS_MAX = 8;

/** Pause between two looks at how far it is. Milliseconds. */
const LOOK_MS = 1_000;

interface SimulateCommandOptions {
  readonly seed: number;
  readonly minutes?: number;
  readonly steps?: number;
  readonly hosts?: number;
  readonly files?: boolean;
  readonly config?: string;
}

export const registerSimulate: Register = (program, run) => {
  program
    .command('simulate')
    .description('run machines on simulated time, with everything that may go wrong, and check')
    .option('--seed <number>', 'the seed of the first run', wholeNumber(0), 1)
    .option(
      '--minutes <count>',
      'seed after seed for so long; else one',
      wholeNumber(1, MINUTES_MAX),
    )
    .option(
      '--steps <count>',
      'rows of the journal in each run; default 400',
      wholeNumber(1, STEPS_MAX),
    )
    .option(
      '--hosts <count>',
      'hosts beside each other on the store; default 1',
      wholeNumber(1, HOSTS_MAX),
    )
    .option('--files', "the store in SQLite's files, with their locks, instead of in memory")
    .addHelpText('after', HELP)
    .action((_options, command) => run<SimulateCommandOptions>(command, simulateSeeds));
};

const HELP = `
With a configuration its machines are run, in the world that its 'simulation' describes: { world, faults, steps, hosts }, or
a function that returns it. Without one, Troupe's own workload. It ends at the first run in which something was found.`;

async function simulateSeeds(cli: Cli, options: SimulateCommandOptions): Promise<ExitCode> {
  const { output } = cli;
  const runSeed = await seedRunner(await cli.config(), options);
  const startMs = performance.now();
  const untilMs = startMs + (options.minutes ?? 0) * 60_000;
  const secondsNow = () => (performance.now() - startMs) / 1_000;
  const progress = new Progress(output);
  const notes = new Set<string>();
  let tally: Tally = { seeds: 0, steps: 0, faults: 0, restless: 0, seconds: 0 };
  let { seed } = options;
  const tell = () =>
    progress.tell(progressLine(seed, { ...tally, seconds: secondsNow() }, output.frame));
  const looking = setInterval(tell, LOOK_MS);
  try {
    for (; ; seed++) {
      const report = await runSeed(seed);
      tally = add(tally, report, secondsNow());
      for (const note of report.notes) notes.add(note);
      if (output.options.json) output.json(summaryOf(report));
      if (report.findings.length > 0) return tellFindings(cli, report, seed, options);
      if (performance.now() >= untilMs) break;
      tell();
    }
  } catch (error) {
    progress.end();
    tellAgain(cli, seed, options);
    throw error;
  } finally {
    clearInterval(looking);
  }
  progress.end();
  if (!output.options.json) output.line(tallyLine(tally));
  for (const note of notes) output.notice(note);
  return EXIT.ok;
}

function tellFindings(
  cli: Cli,
  report: SimulationReport,
  seed: number,
  options: SimulateCommandOptions,
): ExitCode {
  const { output } = cli;
  output.screen?.draw([]);
  if (!output.options.json) output.lines(findingLines(report));
  tellAgain(cli, seed, options);
  return EXIT.finding;
}

function tellAgain({ output }: Cli, seed: number, options: SimulateCommandOptions): void {
  const { steps, hosts, files, config } = options;
  const again = commandLine('troupe simulate', undefined, {
    seed: String(seed),
    steps: steps === undefined ? undefined : String(steps),
    hosts: hosts === undefined ? undefined : String(hosts),
    files: files === true ? true : undefined,
    config,
  });
  output.notice(`It happens again with: ${again}`);
}

function add(tally: Tally, report: SimulationReport, seconds: number): Tally {
  return {
    seeds: tally.seeds + 1,
    steps: tally.steps + report.steps,
    faults: tally.faults + report.injected.length,
    restless: tally.restless + (report.isAtRest ? 0 : 1),
    seconds,
  };
}

/** What a program wants to know of a run; the ledger would be most of it. */
function summaryOf({ ledger, ...report }: SimulationReport): object {
  return { ...report, ledgerEntries: ledger.length };
}
