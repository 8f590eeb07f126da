import { type CheckFinding, check } from '../../embedded/index.ts';
import type { Cli } from '../cli.ts';
import { UsageError } from '../errors.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { checkProgressLine, findingLines, totalLine } from '../format/check.ts';
import { definitionsIn, importFile } from '../load-module.ts';
import type { Register } from './command.ts';

export const registerCheck: Register = (program, run) => {
  program
    .command('check')
    .description('say what would break if this code stepped the store; change nothing')
    .argument('[module]', 'exports machines, beside those of the configuration')
    .addHelpText('after', HELP)
    .action((module: string | undefined, _options, command) =>
      run(command, (cli) => checkModule(cli, module)),
    );
};

const HELP = `
Each live actor is loaded, migrated and stepped once without effect, on a copy in memory. Exit code 0 when nothing would
break, 1 when something would. With --json each finding is one line as it is found, and the last line is the count.`;

async function checkModule(cli: Cli, path: string | undefined): Promise<ExitCode> {
  const { output } = cli;
  const config = await cli.config();
  const exported = path === undefined ? [] : Object.values(await importFile(path));
  const { machines, calls } = definitionsIn([...exported, ...config.machines, ...config.calls]);
  if (machines.length === 0) {
    throw new UsageError('name a module with machines, or name them in the configuration');
  }
  const report = await check({
    store: await cli.store(),
    machines,
    calls,
    onFinding: (finding) => tell(cli, finding),
    onProgress: (progress) => output.screen?.draw([checkProgressLine(progress, output.frame)]),
  });
  output.screen?.draw([]);
  if (output.options.json) output.json({ kind: 'end', ...report });
  else output.lines([totalLine(report)]);
  return report.findings === 0 ? EXIT.ok : EXIT.failed;
}

function tell({ output }: Cli, finding: CheckFinding): void {
  if (output.options.json) output.json({ kind: 'finding', ...finding });
  else output.lines(findingLines(finding, output.frame));
}
