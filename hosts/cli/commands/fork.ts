import { userInfo } from 'node:os';
import { EXIT } from '../exit-codes.ts';
import { quote } from '../shell.ts';
import { type Register, wholeNumber } from './command.ts';

interface ForkCommandOptions {
  readonly revision: number;
  readonly reason: string;
  readonly by?: string;
  readonly id?: string;
  readonly live?: true;
}

export const registerFork: Register = (program, run) => {
  program
    .command('fork')
    .description('make a new actor that begins as another was at one of its revisions')
    .argument('<address>', 'machine/id')
    .requiredOption('--revision <number>', 'where it begins', wholeNumber(1))
    .requiredOption('--reason <text>', 'why; it is kept in both journals')
    .option('--by <name>', 'who; default: the user of this process')
    .option('--id <id>', 'the second part of its address; default: a new one')
    .option('--live', 'let it act on the outside: its calls run, open ones once more')
    .addHelpText('after', HELP)
    .action((address: string, _options, command) =>
      run<ForkCommandOptions>(command, async (cli, options) => {
        const { output } = cli;
        const { revision, reason, id, live } = options;
        const fork = await cli.intervening((troupe) =>
          troupe.fork(address, {
            revision,
            reason,
            by: options.by ?? userInfo().username,
            calls: live ? 'live' : 'stubbed',
            ...(id === undefined ? {} : { id }),
          }),
        );
        if (output.options.json) output.json(fork);
        else output.line(fork.address);
        output.notice(`It begins at revision ${revision}: troupe show ${quote(fork.address)}`);
        return EXIT.ok;
      }),
    );
};

const HELP = `
Without --live nothing that the fork orders acts on the outside: its calls and custom actions do not run, what it sends
to other actors is kept as undeliverable. Its timers get the time that they had left; its children and waiting messages
are not forked. Needs a configuration that names the machine.`;
