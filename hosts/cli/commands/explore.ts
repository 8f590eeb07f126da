import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExploreReport } from '../../../test/kit/index.ts';
import type { Cli } from '../cli.ts';
import { UsageError } from '../errors.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { loadExploration, readStimuli } from '../exploration.ts';
import { progressLine, reportLines } from '../format/explore.ts';
import { Progress } from '../progress.ts';
import { commandLine } from '../shell.ts';
import { type Register, wholeNumber } from './command.ts';

const STATES_MAX = 10_000_000;

interface ExploreCommandOptions {
  readonly events?: string;
  readonly out?: string;
  readonly statesMax?: number;
  readonly config?: string;
}

export const registerExplore: Register = (program, run) => {
  program
    .command('explore')
    .description('look at every state that a machine can reach, and at what may go wrong there')
    .argument('<module>', 'its default export is a machine, bare or by defineMachine')
    .option('--events <file>', 'JSON: what may come to the machine')
    .option('--out <dir>', 'write the journal that leads to each finding into a file of its own')
    .option('--states-max <count>', 'default 20000', wholeNumber(1, STATES_MAX))
    .addHelpText('after', HELP)
    .action((module: string, _options, command) =>
      run<ExploreCommandOptions>(command, (cli, options) => exploreModule(cli, module, options)),
    );
};

const HELP = `
The events file: { "input": …, "events": [{ "type": "APPROVE" }], "results": { "source": [answer, …] } }. Each part may
be left out. Then there is no input, each event that the machine names comes without payload, and calls answer nothing.
Also "inputs": [several births], "errors": { "source": [error, …] } in place of the usual ones, and "accepts": what is
meant to be so, of dead_end, stray_timer and unhandled_error.`;

async function exploreModule(
  cli: Cli,
  path: string,
  options: ExploreCommandOptions,
): Promise<ExitCode> {
  const { output } = cli;
  const stimuli = readStimuli(options.events);
  const { machine, options: known } = await loadExploration(path, await cli.config());
  // Loaded for this command alone: no other needs the kit.
  const { explore, journalOf } = await import('../../../test/kit/index.ts');
  const progress = new Progress(output);
  const report = explore(machine, {
    ...known,
    ...stimuli,
    ...(options.statesMax === undefined ? {} : { statesMax: options.statesMax }),
    onProgress: (now) => progress.tell(progressLine(now, output.frame)),
  });
  progress.end();
  if (output.options.json) output.json(report);
  else output.lines(reportLines(report, output.frame));
  if (options.out !== undefined) {
    const journals = report.findings.map(({ kind, path: way }) => [kind, journalOf(way)] as const);
    writeJournals(cli, options.out, journals);
  }
  return tellEnd(cli, path, options, report);
}

function writeJournals(
  { output }: Cli,
  folder: string,
  journals: readonly (readonly [kind: string, journal: unknown])[],
): void {
  try {
    mkdirSync(folder, { recursive: true });
    for (const [index, [kind, journal]] of journals.entries()) {
      const file = join(folder, `${index + 1}-${kind}.json`);
      writeFileSync(file, `${JSON.stringify(journal)}\n`);
      output.notice(`The journal that leads to finding ${index + 1} is in ${file}`);
    }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError(`the journals cannot be written: ${why}`);
  }
}

function tellEnd(
  { output }: Cli,
  path: string,
  { events, out, statesMax, config }: ExploreCommandOptions,
  { findings }: ExploreReport,
): ExitCode {
  if (findings.length === 0) return EXIT.ok;
  const again = commandLine('troupe explore', path, {
    events,
    out,
    'states-max': statesMax === undefined ? undefined : String(statesMax),
    config,
  });
  output.notice(`It is found again with: ${again}`);
  return EXIT.finding;
}
