import { examine } from '../../../actors/doctor/index.ts';
import { canonicalPath, Store } from '../../../persistence/index.ts';
import { EXIT } from '../exit-codes.ts';
import { diagnosisText } from '../format/doctor.ts';
import type { Register } from './command.ts';

export const registerDoctor: Register = (program, run) => {
  program
    .command('doctor')
    .description('look for damage, for what belongs to nobody, and for what waits; writes nothing')
    .addHelpText('after', HELP)
    .action((_options, command) =>
      run(command, async (cli) => {
        const { output } = cli;
        const store = Store.open(canonicalPath(await cli.store()), 'readonly');
        try {
          const diagnosis = examine(store, Date.now());
          if (output.options.json) output.json(diagnosis);
          else output.lines(diagnosisText(diagnosis, Date.now(), output.frame));
          const isHealthy = diagnosis.findings.every(({ severity }) => severity !== 'error');
          return isHealthy ? EXIT.ok : EXIT.failed;
        } finally {
          store.close();
        }
      }),
    );
};

const HELP = `
Exits with 1 when something needs somebody. It runs beside a host or without one; beside one the file is checked table by
table. It reads each row once: on a store of gigabytes it takes minutes, and hosts go on meanwhile.`;
