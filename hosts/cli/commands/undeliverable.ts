import { EXIT } from '../exit-codes.ts';
import { undeliverableTable } from '../format/journal.ts';
import { type Register, wholeNumber } from './command.ts';

const LIMIT = 1_000;
const LIMIT_MAX = 10_000;

interface UndeliverableOptions {
  readonly from: number;
  readonly limit: number;
}

export const registerUndeliverable: Register = (program, run) => {
  program
    .command('undeliverable')
    .description('list messages that had nowhere to go, oldest first')
    .option('--from <seq>', 'the sequence number of the first row', wholeNumber(1), 1)
    .option('--limit <count>', 'rows at most', wholeNumber(1, LIMIT_MAX), LIMIT)
    .action((_options, command) =>
      run<UndeliverableOptions>(command, async (cli, { from, limit }) => {
        const { output } = cli;
        const messages = await cli.reading((troupe) => troupe.undeliverable({ from, limit }));
        if (output.options.json) output.json(messages);
        else if (messages.length > 0) {
          output.lines(undeliverableTable(messages, Date.now(), output.frame));
        }
        const last = messages.at(-1);
        if (last !== undefined && messages.length === limit) {
          output.notice(`There may be more: troupe undeliverable --from ${last.seq + 1}`);
        }
        return EXIT.ok;
      }),
    );
};
