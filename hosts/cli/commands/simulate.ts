import type { SimulationReport } from '../../../test/kit/index.ts';
import type { Cli } from '../cli.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { findingLines, progressLine, type Tally, tallyLine } from '../format/simulation.ts';
import { commandLine } from '../shell.ts';
import { seedRunner } from '../simulation.ts';
import { type Register, wholeNumber } from './command.ts';

const MINUTES_MAX = 10_000;
const STEPS_MAX = 1_000_000;

interface SimulateOptions {
  readonly seed: number;
  readonly minutes?: number;
  readonly steps?: number;
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
      'steps of actors in each run; default 400',
      wholeNumber(1, STEPS_MAX),
    )
    .option('--files', "the store in SQLite's files, with their locks, instead of in memory")
    .addHelpText('after', HELP)
    .action((_options, command) => run<SimulateOptions>(command, simulateSeeds));
};

const HELP = `
With a configuration its machines are run, in the world that its 'simulation' describes: { world, faults, steps }, or a
function that returns it. Without one, Troupe's own workload. It ends at the first run in which something was found.`;

async function simulateSeeds(cli: Cli, options: SimulateOptions): Promise<ExitCode> {
  const { output } = cli;
  const runSeed = await seedRunner(await cli.config(), options);
  const startMs = performance.now();
  const untilMs = startMs + (options.minutes ?? 0) * 60_000;
  let tally: Tally = { seeds: 0, steps: 0, faults: 0, seconds: 0 };
  for (let seed = options.seed; ; seed++) {
    const report = await runSeed(seed);
    tally = add(tally, report, (performance.now() - startMs) / 1_000);
    if (output.options.json) output.json(summaryOf(report));
    if (report.findings.length > 0) return tellFindings(cli, report, seed, options);
    if (performance.now() >= untilMs) break;
    output.screen?.draw([progressLine(seed, tally, output.frame)]);
  }
  output.screen?.draw([]);
  if (!output.options.json) output.line(tallyLine(tally));
  return EXIT.ok;
}

function tellFindings(
  { output }: Cli,
  report: SimulationReport,
  seed: number,
  { steps, files, config }: SimulateOptions,
): ExitCode {
  output.screen?.draw([]);
  if (!output.options.json) output.lines(findingLines(report));
  const again = commandLine('troupe simulate', undefined, {
    seed: String(seed),
    steps: steps === undefined ? undefined : String(steps),
    files: files === true ? true : undefined,
    config,
  });
  output.notice(`It happens again with: ${again}`);
  return EXIT.finding;
}

function add(tally: Tally, { steps, injected }: SimulationReport, seconds: number): Tally {
  return {
    seeds: tally.seeds + 1,
    steps: tally.steps + steps,
    faults: tally.faults + injected.length,
    seconds,
  };
}

/** What a program wants to know of a run; the ledger would be most of it. */
function summaryOf({ ledger, ...report }: SimulationReport): object {
  return { ...report, ledgerEntries: ledger.length };
}
