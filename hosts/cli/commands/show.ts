import type { ExaminedHost } from '../../../actors/doctor/index.ts';
import type { ActorStatus, ActorView, Troupe } from '../../embedded/index.ts';
import type { Cli } from '../cli.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { type ActorFacts, actorText } from '../format/actor.ts';
import { pastText } from '../format/replay.ts';
import { describeState, type StateDescription } from '../format/state.ts';
import { duration } from '../format/time.ts';
import { hostsOf, isStepped } from '../host-status.ts';
import { type Register, wholeNumber } from './command.ts';

/** The newest interventions, which are shown; the journal has all. */
const INTERVENTIONS_MAX = 5;

/** Children that are counted. */
const CHILDREN_MAX = 1_000;

interface ShowOptions {
  readonly at?: number;
}

export const registerShow: Register = (program, run) => {
  program
    .command('show')
    .description('show an actor, and why it waits')
    .argument('<address>', 'machine/id')
    .option('--at <revision>', 'as it was at that revision; needs its machine', wholeNumber(1))
    .action((address: string, _options, command) =>
      run<ShowOptions>(command, async (cli, { at }) => {
        const { output } = cli;
        if (at !== undefined) return showPast(cli, address, at);
        await cli.readingWithCode(async (troupe) => {
          const actor = await troupe.get(address);
          const interventions = await troupe.interventions(address, { limit: INTERVENTIONS_MAX });
          if (output.options.json) return output.json({ ...actor, interventions });
          const facts = { ...(await factsOf(cli, troupe, actor)), interventions };
          output.lines(actorText(facts, Date.now(), output.frame));
        });
        return EXIT.ok;
      }),
    );
};

async function showPast(cli: Cli, address: string, revision: number): Promise<ExitCode> {
  const { output } = cli;
  const past = await cli.replaying((troupe) => troupe.at(address, revision));
  if (output.options.json) output.json(past);
  else output.lines(pastText(past, Date.now(), output.frame));
  return EXIT.ok;
}

async function factsOf(
  cli: Cli,
  troupe: Troupe,
  actor: ActorView,
): Promise<Omit<ActorFacts, 'interventions'>> {
  const hosts = hostsOf(troupe.store);
  return {
    actor,
    description: await descriptionOf(cli, actor),
    children: await childrenOf(troupe, actor),
    isStepped: isStepped(hosts),
    hostText: hostText(hosts, Date.now()),
  };
}

async function descriptionOf(cli: Cli, actor: ActorView): Promise<StateDescription | undefined> {
  const machines = await cli.knownMachines();
  const machine = machines.find(({ name }) => name === actor.machine);
  return machine && describeState(machine.machine, actor.state);
}

async function childrenOf(
  troupe: Troupe,
  { address }: ActorView,
): Promise<Partial<Record<ActorStatus, number>>> {
  const counts: Partial<Record<ActorStatus, number>> = {};
  for (const { status } of await troupe.list({ parent: address, limit: CHILDREN_MAX })) {
    counts[status] = (counts[status] ?? 0) + 1;
  }
  return counts;
}

function hostText(hosts: readonly ExaminedHost[], nowMs: number): string {
  const alive = hosts.filter(({ liveness }) => liveness === 'alive');
  const told = alive.map(
    ({ pid, startedAtMs }) => `process ${pid} since ${duration(nowMs - startedAtMs)}`,
  );
  if (alive.length === 1) return `${told.join()} steps this store`;
  if (alive.length > 1) return `${told.join(', ')} step this store`;
  return hosts.length === 0
    ? 'none steps this store now; what is due waits for the next one (troupe run)'
    : 'the last one has died; the next one settles what it left (troupe run)';
}
