// `troupe check`, what ls and show tell of actors without host, and `run --dev`.

import { copyFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTroupe } from '../../hosts/embedded/index.ts';
import { type TemporaryStore, temporaryStore } from '../kit/index.ts';
import ticket, { part } from './modules/ticket.ts';
import { endAll, moduleFile, startTroupe, troupe } from './support/cli.ts';

let place: TemporaryStore;

beforeAll(async () => {
  place = temporaryStore();
  const host = await openTroupe({ store: place.file, machines: [ticket, part] });
  await host.spawn(ticket, { id: 'open' });
  await host.spawn(part, { id: '1' });
  await host.close();
});

afterAll(() => {
  endAll();
  place.remove();
});

const onStore = (...args: string[]) => troupe([...args, '--store', place.file]);

it('[G4, H5] check ends with 0 and one line when nothing would break', async () => {
  expect(await onStore('check', moduleFile('ticket.ts'))).toEqual({
    code: 0,
    stdout: '2 live actors  nothing would break\n',
    stderr: '',
  });
});

it('[G4, H5] check ends with 1 and names each actor, its code and the mend', async () => {
  const { code, stdout, stderr } = await onStore('check', moduleFile('ticket-changed.ts'));
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
  expect(stdout).toContain('machine ticket  machine_changed\n');
  expect(stdout).toContain('subtask/1  migration_missing\n');
  expect(stdout).toContain('without migrations[1]');
  expect(stdout).toMatch(/2 live actors {2}2 found\n$/);
});

it('[G4, H5] check --json gives a line for each finding, and the count at the end', async () => {
  const { stdout } = await onStore('check', moduleFile('ticket-changed.ts'), '--json');
  const lines = stdout.trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
    { kind: 'finding', machine: 'ticket', code: 'machine_changed' },
    { kind: 'finding', address: 'subtask/1', version: 1, code: 'migration_missing' },
    { kind: 'end', actors: 2, findings: 2 },
  ]);
});

it('[G4, H5] check takes the machines of the configuration, and is refused without any', async () => {
  const config = ['--config', moduleFile('config.ts')];
  const { code, stdout } = await onStore('check', ...config);
  expect(code).toBe(1);
  expect(stdout).toContain('subtask/1  machine_unknown');
  const none = await troupe(['check', '--store', place.file], { cwd: place.folder });
  expect(none).toMatchObject({ code: 2, stdout: '' });
  expect(none.stderr).toContain('name a module with machines');
});

it('[G3, H5] ls and show say what the configuration has no host for, and nothing without one', async () => {
  const config = ['--config', moduleFile('part-config.ts')];
  const list = await onStore('ls', ...config);
  expect(list.stdout).toMatch(/^ticket\/open +active noHost /m);
  expect(list.stdout).toMatch(/^subtask\/1 +active +open/m);
  const shown = await onStore('show', 'ticket/open', ...config);
  expect(shown.stdout).toContain('do not bring ticket in version 1');
  const json = await onStore('show', 'ticket/open', '--json', ...config);
  expect(JSON.parse(json.stdout)).toMatchObject({ noHost: true, status: 'active' });
  expect((await onStore('ls')).stdout).not.toContain('noHost');
});

it('[G1, H5] run refuses a changed machine with 4, and takes it with --dev', async () => {
  const file = `${place.folder}/dev.db`;
  copyFileSync(place.file, file);
  const run = ['run', moduleFile('ticket-changed.ts'), '--id', 'other', '--store', file, '--json'];
  const refused = await troupe(run);
  expect(refused).toMatchObject({ code: 4, stdout: '' });
  expect(JSON.parse(refused.stderr)).toMatchObject({
    code: 'machine_changed',
    details: { machine: 'ticket', version: 1 },
  });
  expect(refused.stderr).toContain('troupe run --dev');
  const taken = startTroupe([...run, '--dev', '--verbose']);
  await taken.prints('"address":"ticket/other"');
  taken.process.kill('SIGINT');
  const { code, stderr } = await taken.ended;
  expect(code).toBe(130);
  expect(stderr).toContain('a machine has changed under its version');
});
