import type { Replay, Troupe } from '../../embedded/index.ts';
import type { Cli } from '../cli.ts';
import { failureLine, failureOf, UsageError } from '../errors.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { type Replayed, replayedLines, replayProgress, replaySummary } from '../format/replay.ts';
import type { Register } from './command.ts';

/** Actors that are listed at once. */
const PAGE_ACTORS = 1_000;

interface ReplayCommandOptions {
  readonly all?: true;
}

export const registerReplay: Register = (program, run) => {
  program
    .command('replay')
    .description('prove that journals lead to the stored actors, or show where they do not')
    .argument('[address]', 'machine/id')
    .option('--all', 'every actor of the store')
    .addHelpText('after', HELP)
    .action((address: string | undefined, _options, command) =>
      run<ReplayCommandOptions>(command, async (cli, { all }) => {
        if ((address === undefined) === (all === undefined)) {
          throw new UsageError('name one actor, or --all');
        }
        return cli.replaying((troupe) =>
          address === undefined ? replayAll(cli, troupe) : replayOne(cli, troupe, address),
        );
      }),
    );
};

const HELP = `
It begins at the birth, or at the oldest checkpoint of the machine's registered version, and needs a configuration that
names the machines. It exits with 6 when a journal and the code differ; the store is only read.`;

async function replayOne({ output }: Cli, troupe: Troupe, address: string): Promise<ExitCode> {
  const replay = await troupe.replay(address);
  if (output.options.json) output.json(replay);
  else output.lines(replayedLines(replay));
  return replay.divergence === undefined ? EXIT.ok : EXIT.finding;
}

/** An actor that cannot be replayed holds up no other. */
async function replayAll({ output }: Cli, troupe: Troupe): Promise<ExitCode> {
  let replayed: Replayed = { actors: 0, steps: 0, divergences: 0, failures: 0 };
  for await (const address of addressesOf(troupe)) {
    const replay = await replayOrFailure(troupe, address);
    replayed = add(replayed, replay);
    if (output.options.json) output.json(replay);
    else if ('failure' in replay) output.notice(replay.failure);
    else if (replay.divergence !== undefined) output.lines(replayedLines(replay));
    output.screen?.draw([replayProgress(replayed, address, output.frame)]);
  }
  output.screen?.draw([]);
  if (!output.options.json) output.line(replaySummary(replayed));
  if (replayed.divergences > 0) return EXIT.finding;
  return replayed.failures > 0 ? EXIT.failed : EXIT.ok;
}

async function* addressesOf(troupe: Troupe): AsyncGenerator<string> {
  let after: string | undefined;
  do {
    const options = after === undefined ? {} : { after };
    const page = await troupe.list({ limit: PAGE_ACTORS, ...options });
    for (const { address } of page) yield address;
    after = page.length === PAGE_ACTORS ? page.at(-1)?.address : undefined;
  } while (after !== undefined);
}

interface Unreplayed {
  readonly address: string;
  readonly failure: string;
  readonly code: string;
}

async function replayOrFailure(troupe: Troupe, address: string): Promise<Replay | Unreplayed> {
  try {
    return await troupe.replay(address);
  } catch (error) {
    const failure = failureOf(error);
    // Only what is said of this one actor: a store that is away is everybody's.
    if (failure === undefined || !OF_ONE_ACTOR.has(failure.code)) throw error;
    return { address, code: failure.code, failure: failureLine(failure).replace(/^troupe: /, '') };
  }
}

const OF_ONE_ACTOR: ReadonlySet<string> = new Set(['machine_unknown', 'machine_version']);

function add(replayed: Replayed, replay: Replay | Unreplayed): Replayed {
  const { actors, steps, divergences, failures } = replayed;
  if ('failure' in replay) return { ...replayed, failures: failures + 1 };
  return {
    actors: actors + 1,
    steps: steps + replay.steps,
    divergences: divergences + (replay.divergence === undefined ? 0 : 1),
    failures,
  };
}
