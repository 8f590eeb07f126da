import { EXIT } from '../exit-codes.ts';
import { type Register, wholeNumber } from './command.ts';
import { asIntervention, type InterventionOptions, interventionOf, tell } from './intervention.ts';

interface SkipOptions extends InterventionOptions {
  readonly message?: number;
  readonly evenIfAwaited?: boolean;
}

export const registerSkip: Register = (program, run) => {
  asIntervention(
    program
      .command('skip')
      .description('let a stuck actor go on without the message that parked it, which is kept')
      .argument('<address>', 'machine/id'),
  )
    .option(
      '--message <seq>',
      'refuse when it is stuck on another message (troupe stuck, show)',
      wholeNumber(1),
    )
    .option('--even-if-awaited', 'also an answer or a timer that the machine waits for')
    .action((address: string, _options, command) =>
      run<SkipOptions>(command, async (cli, { message, evenIfAwaited, ...options }) => {
        const { output } = cli;
        await cli.sending(async (troupe) => {
          const intervention = { ...interventionOf(options), message, evenIfAwaited };
          const done = await troupe.skip(address, intervention);
          if (output.options.json) return output.json(done);
          output.line(`${done.address} ${done.seq} ${done.undeliverable}`);
          const kept = `its message is kept as undeliverable ${done.undeliverable} (troupe redeliver)`;
          tell(cli, troupe.store, `${address} is active again; ${kept}.`);
        });
        return EXIT.ok;
      }),
    );
};
