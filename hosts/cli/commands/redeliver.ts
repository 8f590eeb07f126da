import { EXIT } from '../exit-codes.ts';
import { type Register, wholeNumber } from './command.ts';
import { asIntervention, type InterventionOptions, interventionOf, tell } from './intervention.ts';

interface RedeliverOptions extends InterventionOptions {
  readonly to?: string;
}

const parseSeq = wholeNumber(1);

export const registerRedeliver: Register = (program, run) => {
  asIntervention(
    program
      .command('redeliver')
      .description('send an undeliverable message again, to its actor or to another, once')
      .argument('<seq>', "its number in 'troupe undeliverable'", parseSeq),
  )
    .option('--to <address>', 'another actor; --revision is then that of this one')
    .action((seq: number, _options, command) =>
      run<RedeliverOptions>(command, async (cli, { to, ...options }) => {
        const { output } = cli;
        await cli.sending(async (troupe) => {
          const target = to === undefined ? {} : { to };
          const receipt = await troupe.redeliver(seq, { ...interventionOf(options), ...target });
          if (output.options.json) return output.json(receipt);
          output.line(`${receipt.messageId} ${receipt.address} ${receipt.seq}`);
          tell(cli, troupe.store, `It is on disk for ${receipt.address}.`);
        });
        return EXIT.ok;
      }),
    );
};
