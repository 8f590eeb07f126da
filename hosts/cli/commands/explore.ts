import type { ExploreReport } from '../../../test/kit/index.ts';
import type { Cli, GlobalOptions } from '../cli.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { loadExploration, readStimuli } from '../exploration.ts';
import { prepareFolder, writeJournals } from '../finding-journals.ts';
import { progressLine, reportLines } from '../format/explore.ts';
import { Progress } from '../progress.ts';
import { commandLine } from '../shell.ts';
import { type Register, requireNoStore, wholeNumber } from './command.ts';

const STATES_MAX = 10_000_000;

interface ExploreCommandOptions {
  readonly events?: string;
  readonly out?: string;
  readonly statesMax?: number;
}

export const registerExplore: Register = (program, run) => {
  program
    .command('explore')
    .description('look at every state that a machine can reach, and at what may go wrong there')
    .argument('<module>', 'its default export is a machine, bare or by defineMachine')
    .option('--events <file>', 'JSON: what may come to the machine')
    .option(
      '--out <dir>',
      'a journal to each finding, in files; those of an earlier run are removed',
    )
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
meant to be so, of dead_end, stray_timer and unhandled_error.
Ends with 6 when something was found, else with 0, also when it is not complete: its last line says so.
What must hold in every state is said in code: explore(machine, { invariants }) of troupe/testing; see docs/testing.md.`;

async function exploreModule(
  cli: Cli,
  path: string,
  options: ExploreCommandOptions & GlobalOptions,
): Promise<ExitCode> {
  const { output } = cli;
  requireNoStore('explore', options);
  if (options.out !== undefined) prepareFolder(options.out);
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
    const found = report.findings.map(({ kind, path: way }) => ({ kind, journal: journalOf(way) }));
    for (const [index, file] of writeJournals(options.out, found).entries()) {
      output.notice(`The journal that leads to finding ${index + 1} is in ${file}`);
    }
  }
  return tellEnd(cli, path, options, report);
}

function tellEnd(
  { output }: Cli,
  path: string,
  { events, out, statesMax, config }: ExploreCommandOptions & GlobalOptions,
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
