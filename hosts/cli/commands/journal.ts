import { EXIT } from '../exit-codes.ts';
import { journalTable } from '../format/journal.ts';
import { type Register, wholeNumber } from './command.ts';

const LIMIT = 1_000;
const LIMIT_MAX = 10_000;

interface JournalOptions {
  readonly from: number;
  readonly limit: number;
}

export const registerJournal: Register = (program, run) => {
  program
    .command('journal')
    .description('print what happened to an actor, oldest first')
    .argument('<address>', 'machine/id')
    .option('--from <seq>', 'the sequence number of the first row', wholeNumber(1), 1)
    .option('--limit <count>', 'rows at most', wholeNumber(1, LIMIT_MAX), LIMIT)
    .action((address: string, _options, command) =>
      run<JournalOptions>(command, async (cli, { from, limit }) => {
        const { output } = cli;
        const entries = await cli.reading((troupe) => troupe.journal(address, { from, limit }));
        if (output.options.json) output.json(entries);
        else if (entries.length > 0) {
          output.lines(journalTable(entries, Date.now(), output.frame));
        }
        const last = entries.at(-1);
        if (last !== undefined && entries.length === limit) {
          output.notice(`There may be more: troupe journal '${address}' --from ${last.seq + 1}`);
        }
        return EXIT.ok;
      }),
    );
};
