import type { StuckActor, StuckOptions } from '../../embedded/index.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { stuckTable } from '../format/stuck.ts';
import { commandLine } from '../shell.ts';
import { type Register, wholeNumber } from './command.ts';

const LIMIT = 100;
const LIMIT_MAX = 1_000;

interface Options {
  readonly machine?: string;
  readonly after?: string;
  readonly limit: number;
}

export const registerStuck: Register = (program, run) => {
  program
    .command('stuck')
    .description('list the actors that wait for an operator, and why')
    .option('--machine <id>', 'only those of this machine')
    .option('--after <address>', 'only those after this address: the next page')
    .option('--limit <count>', 'actors at most', wholeNumber(1, LIMIT_MAX), LIMIT)
    .action((_options, command) =>
      run<Options>(command, async (cli, options): Promise<ExitCode> => {
        const { output } = cli;
        const actors = await cli.reading((troupe) => troupe.stuck(filterOf(options)));
        if (output.options.json) output.json(actors);
        else if (actors.length > 0) output.lines(stuckTable(actors, Date.now(), output.frame));
        const [first] = actors;
        if (first !== undefined) output.notice(wayOut(first));
        const last = actors.at(-1);
        if (last !== undefined && actors.length === options.limit) {
          output.notice(`There may be more: troupe stuck --after '${last.address}'`);
        }
        if (first === undefined) output.notice('No actor is stuck.');
        const isFiltered = options.machine !== undefined || options.after !== undefined;
        return first === undefined && isFiltered ? EXIT.nothing : EXIT.ok;
      }),
    );
};

function filterOf({ machine, after, limit }: Options): StuckOptions {
  return {
    limit,
    ...(machine === undefined ? {} : { machine }),
    ...(after === undefined ? {} : { after }),
  };
}

function wayOut({ address, revision }: StuckActor): string {
  const options = { revision: String(revision), reason: 'WHY' };
  const retry = commandLine('retry', address, options);
  return `When the error is mended: troupe ${retry} (or skip, or stop: troupe show '${address}')`;
}
