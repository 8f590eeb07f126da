import { EXIT } from '../exit-codes.ts';
import { undeliverableTable } from '../format/journal.ts';
import { type Register, wholeNumber } from './command.ts';

const LIMIT = 1_000;
const LIMIT_MAX = 10_000;

interface UndeliverableOptions {
  readonly after: number;
  readonly limit: number;
}

export const registerUndeliverable: Register = (program, run) => {
  program
    .command('undeliverable')
    .description('list messages that had nowhere to go, oldest first')
    .option('--after <seq>', 'only rows after this sequence number', wholeNumber(0), 0)
    .option('--limit <count>', 'rows at most', wholeNumber(1, LIMIT_MAX), LIMIT)
    .action((_options, command) =>
      run<UndeliverableOptions>(command, async (cli, { after, limit }) => {
        const { output } = cli;
        const messages = await cli.reading((troupe) => troupe.undeliverable({ after, limit }));
        if (output.options.json) output.json(messages);
        else if (messages.length > 0) {
          output.lines(undeliverableTable(messages, Date.now(), output.frame));
        }
        const last = messages.at(-1);
        if (last !== undefined && messages.length === limit) {
          output.notice(`There may be more: troupe undeliverable --after ${last.seq}`);
        }
        return EXIT.ok;
      }),
    );
};
