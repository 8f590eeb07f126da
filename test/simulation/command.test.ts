// `troupe simulate`, as it is built.

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import { endAll, startTroupe, troupe } from '../cli/support/cli.ts';

const modules = fileURLToPath(new URL('modules/', import.meta.url));

afterEach(endAll);

it('[simulate, H5] one seed that finds nothing ends with 0 and says what it did', async () => {
  const { code, stdout, stderr } = await troupe(['simulate', '--seed', '5', '--steps', '60']);
  expect(stdout).toMatch(
    /^1 seed {2}\d+ steps {2}\d+ faults? {2}nothing found {2}[\d,]+ steps\/s\n$/,
  );
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
});

it('[simulate, H5] --json prints a report on one line, and --files takes the store to files', async () => {
  const args = ['simulate', '--seed', '5', '--steps', '60', '--json'];
  const inMemory = await troupe(args);
  const inFiles = await troupe([...args, '--files']);
  for (const { code, stdout } of [inMemory, inFiles]) {
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ seed: '5', findings: [], isAtRest: true });
  }
});

it('[simulate, H5] a machine of one’s own with a dead end: exit 6, the finding, and the line that repeats it', async () => {
  const config = join(modules, 'dead-end.config.ts');
  const args = ['simulate', '--seed', '1', '--steps', '20', '--config', config];
  const found = await troupe(args);
  expect(found.code).toBe(6);
  expect(found.stdout).toMatch(/^seed 1: \d+ findings? in \d+ steps with \d+ faults?\n/);
  expect(found.stdout).toContain(
    'waiting (V6): parcel/a1 is in "lost" and waits for nothing that could come',
  );
  const line = `troupe ${args.slice(0, 5).join(' ')} --config ${config}`;
  expect(found.stderr).toBe(`troupe: It happens again with: ${line}\n`);
  // What the line says is true.
  expect((await troupe(args)).stdout).toBe(found.stdout);
});

it('[simulate, H5] a simulation that is none is refused with what it should be', async () => {
  const config = join(modules, 'odd.config.ts');
  const { code, stderr } = await troupe(['simulate', '--config', config]);
  expect(code).toBe(1);
  expect(stderr).toContain('simulation of the configuration is { world, faults, steps, hosts }');
  expect(stderr).toContain('faults');
});

it('[simulate, H5] several hosts, and the same in the line that repeats a finding', async () => {
  const config = join(modules, 'dead-end.config.ts');
  const args = ['simulate', '--seed', '1', '--steps', '20', '--hosts', '2', '--config', config];
  const { code, stderr } = await troupe(args);
  expect(code).toBe(6);
  expect(stderr).toBe(`troupe: It happens again with: troupe ${args.join(' ')}\n`);
});

it('[simulate, H5] a run that throws names its seed', async () => {
  const config = join(modules, 'throwing.config.ts');
  const { code, stderr } = await troupe(['simulate', '--seed', '3', '--config', config]);
  expect(code).toBe(1);
  expect(stderr).toBe(
    `troupe: It happens again with: troupe simulate --seed 3 --config ${config}\ntroupe: nothing to spawn (unexpected)\n`,
  );
});

it('[simulate, H5] one world is not taken for several seeds', async () => {
  const config = join(modules, 'remembering.config.ts');
  const { code, stderr } = await troupe(['simulate', '--minutes', '1', '--config', config]);
  expect(code).toBe(1);
  expect(stderr).toContain('so that each seed gets a world of its own');
  const one = await troupe(['simulate', '--seed', '1', '--steps', '5', '--config', config]);
  expect(one.stderr).not.toContain('a world of its own');
});

it('[simulate, H5] what was not checked is said', async () => {
  const config = join(modules, 'ticker.config.ts');
  const { code, stdout, stderr } = await troupe(['simulate', '--steps', '20', '--config', config]);
  expect(code).toBe(0);
  expect(stdout).toContain('nothing found (1 seed never rested)');
  expect(stderr).toContain('Its machines never rest');
});

it('[simulate, H5] a machine whose own code throws is said, though Troupe kept its promises', async () => {
  const config = join(modules, 'breaking.config.ts');
  const { code, stderr } = await troupe(['simulate', '--steps', '20', '--config', config]);
  expect(code).toBe(0);
  expect(stderr).toContain('Actors of breaking got stuck: it cannot be over.');
});

it('[simulate, H5] a mistake in the world is named by its place, with the code of a wrong option', async () => {
  const config = join(modules, 'mistyped.config.ts');
  const { code, stdout, stderr } = await troupe(['simulate', '--config', config]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(
    /^troupe: world\.events\.parcel\[0\] is 'SEND'\. It is an event: .* \(invalid_option\)\n$/,
  );
});

it('[simulate, H5] an interrupted run says what the seeds so far came to, without a terminal, too', async () => {
  const config = join(modules, 'announcing.config.ts');
  const run = startTroupe(['simulate', '--minutes', '5', '--config', config]);
  await run.says('run 3 begins');
  run.process.kill('SIGINT');
  const { code, stdout, stderr } = await run.ended;
  expect(code).toBe(130);
  expect(stdout).toMatch(/^\d+ seeds {2}\d+ steps {2}.*nothing found/);
  expect(stderr).toMatch(/troupe: Interrupted in seed \d+, which is not counted\.\n$/);
});

it('[simulate, H5] part of a minute is enough', async () => {
  const config = join(modules, 'announcing.config.ts');
  const args = ['simulate', '--minutes', '0.03', '--config', config];
  const { code, stdout, stderr } = await troupe(args);
  expect(code).toBe(0);
  expect(Number.parseInt(stdout, 10)).toBeGreaterThan(1);
  // What differs by its numbers only is said once.
  expect(stderr.split('\n').filter((line) => line.includes('The run ended after'))).toHaveLength(1);
  const odd = await troupe(['simulate', '--minutes', '0']);
  expect(odd).toMatchObject({ code: 2, stderr: expect.stringContaining('It is a number above 0') });
});

it('[simulate, H5] what is no configuration is said, and a store that nothing would touch', async () => {
  const [machine, empty, store] = await Promise.all([
    troupe(['simulate', '--config', join(modules, 'parcel.ts')]),
    troupe(['simulate', '--steps', '20', '--config', join(modules, 'empty.config.ts')]),
    troupe(['simulate', '--store', 'x.db']),
  ]);
  expect(machine.stderr).toContain('{ store, machines, calls, simulation }');
  expect(empty).toMatchObject({ code: 0, stdout: expect.stringContaining('nothing found') });
  expect(empty.stderr).toContain("names no machines: Troupe's own workload is run.");
  expect(store).toMatchObject({ code: 2, stderr: expect.stringContaining('leave --store out') });
});

it('[simulate, H5] a machine in place of a configuration is told how to be named by one', async () => {
  const config = join(modules, '../../explore/modules/newcomer.ts');
  const { code, stderr } = await troupe(['simulate', '--config', config]);
  expect(code).toBe(1);
  expect(stderr).toContain('this is a machine itself; write a file that has it in machines: [it]');
});
