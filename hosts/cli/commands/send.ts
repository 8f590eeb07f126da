import type { AnyMachineDefinition } from '../../embedded/index.ts';
import type { Cli } from '../cli.ts';
import { UsageError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import { hostsOf, isStepped } from '../host-status.ts';
import { readJson } from '../json-argument.ts';
import type { Register } from './command.ts';

interface SendOptions {
  readonly messageId?: string;
}

interface EventArgument {
  readonly type: string;
}

export const registerSend: Register = (program, run) => {
  program
    .command('send')
    .description('send an event to an actor; done once it is on disk')
    .argument('<address>', 'machine/id')
    .argument('<event>', 'a type, JSON (\'{"type":"APPROVE"}\'), or @file with JSON')
    .option('--message-id <id>', 'your own id: the same id and event are taken once, for ever')
    .action((address: string, text: string, _options, command) =>
      run<SendOptions>(command, async (cli, { messageId }) => {
        const { output } = cli;
        const event = await checked(cli, address, eventOf(text));
        await cli.sending(async (troupe) => {
          const options = messageId === undefined ? {} : { messageId };
          const receipt = await troupe.send(address, event, options);
          if (output.options.json) return output.json(receipt);
          output.line(`${receipt.messageId} ${receipt.address} ${receipt.seq}`);
          output.notice(`${event.type} is on disk for ${address}.`);
          if (isStepped(hostsOf(troupe.store))) return;
          output.notice('No host steps this store now; the next one takes it (troupe run).');
        });
        return EXIT.ok;
      }),
    );
};

/** `APPROVE`, `{"type":"APPROVE"}` or `@event.json`. */
function eventOf(text: string): EventArgument {
  const isType = !/^[{@["\s]/.test(text);
  if (isType) return { type: text };
  const event = readJson(text, 'The event');
  if (typeof event === 'object' && event !== null && 'type' in event) return event as EventArgument;
  throw new UsageError('the event must be an object with a type, for example {"type":"APPROVE"}');
}

/** A machine that the configuration knows checks the event before it is sent. */
async function checked(cli: Cli, address: string, event: EventArgument): Promise<EventArgument> {
  const machines: readonly AnyMachineDefinition[] = await cli.knownMachines();
  const machine = machines.find(({ name }) => address.startsWith(`${name}/`));
  const parsed = machine?.schemas.events?.safeParse(event);
  if (parsed === undefined) return event;
  if (parsed.success) return parsed.data as EventArgument;
  const why = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw new UsageError(`the event does not fit machine '${machine?.name}': ${why.join('; ')}`);
}
