import { EXIT } from '../exit-codes.ts';
import type { Register } from './command.ts';
import { asIntervention, type InterventionOptions, interventionOf } from './intervention.ts';

export const registerStop: Register = (program, run) => {
  asIntervention(
    program
      .command('stop')
      .description('end an actor and all below it; its calls are cancelled, its mailbox is kept')
      .argument('<address>', 'machine/id'),
  ).action((address: string, _options, command) =>
    run<InterventionOptions>(command, async (cli, options) => {
      const { output } = cli;
      await cli.sending(async (troupe) => {
        const done = await troupe.stop(address, interventionOf(options));
        if (output.options.json) return output.json(done);
        output.lines([...done.stopped]);
        output.notice("What waited for them is kept: see 'troupe undeliverable'.");
      });
      return EXIT.ok;
    }),
  );
};
