import { Option } from 'commander';
import type { ActorStatus, ListOptions } from '../../embedded/index.ts';
import { EXIT } from '../exit-codes.ts';
import { actorsTable } from '../format/actors.ts';
import { type Register, wholeNumber } from './command.ts';

const STATUSES: readonly ActorStatus[] = ['active', 'done', 'error', 'stopped', 'stuck'];
const LIMIT = 100;
const LIMIT_MAX = 1_000;

interface LsOptions {
  readonly machine?: string;
  readonly status?: ActorStatus;
  readonly tag?: string;
  readonly parent?: string;
  readonly after?: string;
  readonly limit: number;
}

export const registerLs: Register = (program, run) => {
  program
    .command('ls')
    .description('list actors, in the order of their addresses')
    .option('--machine <id>', 'only those of this machine')
    .addOption(new Option('--status <status>', 'only those of this status').choices(STATUSES))
    .option('--tag <tag>', 'only those in a state with this tag: call, timer, person, …')
    .option('--parent <address>', 'only the children of this actor')
    .option('--after <address>', 'only those after this address: the next page')
    .option('--limit <count>', 'actors at most', wholeNumber(1, LIMIT_MAX), LIMIT)
    .action((_options, command) =>
      run<LsOptions>(command, async (cli, options) => {
        const { output } = cli;
        const filter = filterOf(options);
        const actors = await cli.readingWithCode((troupe) => troupe.list(filter));
        if (output.options.json) output.json(actors);
        else if (actors.length > 0) {
          output.lines(actorsTable(actors, Date.now(), output.frame));
        }
        const last = actors.at(-1);
        if (last !== undefined && actors.length === options.limit) {
          output.notice(`There may be more: troupe ls --after '${last.address}'`);
        }
        if (actors.length > 0 || isUnfiltered(filter)) return EXIT.ok;
        output.notice('No actor matches.');
        return EXIT.nothing;
      }),
    );
};

function filterOf({ machine, status, tag, parent, after, limit }: LsOptions): ListOptions {
  return {
    limit,
    ...(machine === undefined ? {} : { machine }),
    ...(status === undefined ? {} : { status }),
    ...(tag === undefined ? {} : { tag }),
    ...(parent === undefined ? {} : { parent }),
    ...(after === undefined ? {} : { after }),
  };
}

function isUnfiltered(filter: ListOptions): boolean {
  return Object.keys(filter).every((key) => key === 'limit');
}
