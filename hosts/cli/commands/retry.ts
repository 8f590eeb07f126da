import { EXIT } from '../exit-codes.ts';
import type { Register } from './command.ts';
import { asIntervention, type InterventionOptions, interventionOf, tell } from './intervention.ts';

export const registerRetry: Register = (program, run) => {
  asIntervention(
    program
      .command('retry')
      .description('let a stuck actor take the message again that parked it, then the rest')
      .argument('<address>', 'machine/id'),
  ).action((address: string, _options, command) =>
    run<InterventionOptions>(command, async (cli, options) => {
      const { output } = cli;
      await cli.sending(async (troupe) => {
        const done = await troupe.retry(address, interventionOf(options));
        if (output.options.json) return output.json(done);
        output.line(`${done.address} ${done.seq}`);
        tell(cli, troupe.store, `${address} is active again: see 'troupe show ${address}'.`);
      });
      return EXIT.ok;
    }),
  );
};
