import type { Cli } from '../cli.ts';
import type { ExitCode } from '../exit-codes.ts';
import { Interruption } from '../interruption.ts';
import { Seeds, type SeedsOptions } from '../seeds.ts';
import { seedRunner } from '../simulation.ts';
import { positiveNumber, type Register, requireNoStore, wholeNumber } from './command.ts';

const MINUTES_MAX = 10_000;
const STEPS_MAX = 1_000_000;
const HOSTS_MAX = 8;

export const registerSimulate: Register = (program, run) => {
  program
    .command('simulate')
    .description('run machines on simulated time, with everything that may go wrong, and check')
    .option('--seed <number>', 'the seed of the first run', wholeNumber(0), 1)
    .option(
      '--minutes <count>',
      'seed after seed for so long, as 0.5; without it one seed',
      positiveNumber(MINUTES_MAX),
    )
    .option(
      '--steps <count>',
      'rows of the journal in each run, about; default 400',
      wholeNumber(1, STEPS_MAX),
    )
    .option(
      '--hosts <count>',
      'hosts beside each other on the store; default 1',
      wholeNumber(1, HOSTS_MAX),
    )
    .option('--files', "the store in SQLite's files, with their locks, instead of in memory")
    .addHelpText('after', HELP)
    .action((_options, command) => run<SeedsOptions>(command, simulateSeeds));
};

const HELP = `
With a configuration its machines are run, in the world that its 'simulation' describes: { world, faults, steps, hosts }, or
a function that returns it; see docs/testing.md. Without world.events actors are born and sent nothing. Without a
configuration, Troupe's own workload. It ends at the first run in which something was found, with 6.`;

async function simulateSeeds(cli: Cli, options: SeedsOptions): Promise<ExitCode> {
  requireNoStore('simulate', options);
  const config = await cli.config();
  if (config.file !== undefined && config.machines.length === 0) {
    cli.output.notice(`${config.file} names no machines: Troupe's own workload is run.`);
  }
  using interruption = new Interruption(() => {});
  const runSeed = await seedRunner(config, options, interruption.signal);
  const seeds = new Seeds(cli, options);
  try {
    return await seeds.run(runSeed);
  } catch (error) {
    if (interruption.signal.aborted) return seeds.tellInterrupted();
    seeds.tellThrown(error);
    throw error;
  } finally {
    seeds.end();
  }
}
