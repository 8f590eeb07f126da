// The commands beside a store: what they print, where, and how they exit.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ActorSummary, ActorView, JournalEntry } from '../../hosts/embedded/index.ts';
import { openTroupe } from '../../hosts/embedded/index.ts';
import { type TemporaryStore, temporaryStore } from '../kit/index.ts';
import ticket, { part } from './modules/ticket.ts';
import { endAll, moduleFile, troupe } from './support/cli.ts';

let place: TemporaryStore;

/** A store that a host has left: one ticket of each kind. */
beforeAll(async () => {
  place = temporaryStore();
  const host = await openTroupe({ store: place.file, machines: [ticket, part] });
  for (const id of ['broken', 'closed', 'failed', 'open']) await host.spawn(ticket, { id });
  await host.spawn(ticket, { id: 'divided', input: { withChild: true } });
  const settled = [
    ['ticket/broken', { type: 'BREAK' }],
    ['ticket/closed', { type: 'CLOSE', by: 'ann' }],
    ['ticket/failed', { type: 'FAIL' }],
  ] as const;
  for (const [address, event] of settled) {
    const changes = host.watch(address);
    await host.send(address, event);
    for await (const { kind } of changes) if (kind === 'stuck') break;
  }
  await host.close();
});

afterAll(() => {
  endAll();
  place.remove();
});

const onStore = (...args: string[]) => troupe([...args, '--store', place.file]);

it('[H5] ls prints one line for each actor, and JSON when asked', async () => {
  const text = await onStore('ls');
  expect(text).toMatchObject({ code: 0, stderr: '' });
  const lines = text.stdout.trimEnd().split('\n');
  expect(lines[0]).toMatch(/^ADDRESS +STATUS +STATE +TAGS +REV +CHANGED$/);
  expect(lines.find((line) => line.startsWith('ticket/open'))).toMatch(
    /^ticket\/open +active +open +person timer +1 /,
  );
  const json = await onStore('ls', '--json', '--machine', 'ticket');
  expect(json.stderr).toBe('');
  const actors = JSON.parse(json.stdout) as ActorSummary[];
  expect(actors.map(({ address, status }) => `${address} ${status}`)).toEqual([
    'ticket/broken stuck',
    'ticket/closed done',
    'ticket/divided active',
    'ticket/failed error',
    'ticket/open active',
  ]);
});

it('[H5] ls goes through the pages, and through the children of one actor', async () => {
  const first = await onStore('ls', '--machine', 'ticket', '--limit', '2', '--json');
  const actors = JSON.parse(first.stdout) as ActorSummary[];
  expect(actors.map(({ address }) => address)).toEqual(['ticket/broken', 'ticket/closed']);
  const text = await onStore('ls', '--machine', 'ticket', '--limit', '2');
  expect(text.stderr).toContain("troupe ls --after 'ticket/closed'");
  const next = await onStore('ls', '--machine', 'ticket', '--after', 'ticket/failed', '--json');
  expect(JSON.parse(next.stdout)).toMatchObject([{ address: 'ticket/open' }]);
  const children = await onStore('ls', '--parent', 'ticket/divided', '--json');
  expect(JSON.parse(children.stdout)).toMatchObject([
    { address: 'subtask/divided.part@1', parent: 'ticket/divided' },
  ]);
});

it('[H5] ls exits with 3 when a filter matches nothing', async () => {
  const text = await onStore('ls', '--tag', 'nowhere');
  expect(text).toEqual({ code: 3, stdout: '', stderr: 'troupe: No actor matches.\n' });
  expect(await onStore('ls', '--tag', 'nowhere', '--json')).toEqual({
    code: 3,
    stdout: '[]\n',
    stderr: '',
  });
});

it('[H5] show says why an actor waits', async () => {
  const { code, stdout } = await onStore(
    'show',
    'ticket/open',
    '--config',
    moduleFile('config.ts'),
  );
  expect(code).toBe(0);
  expect(stdout).toMatch(/^waits for {2}the decision of a person, or a timer$/m);
  expect(stdout).toMatch(/^timers {5}3600000\.ticket\.open in (1 h|59 min)/m);
  expect(stdout).toMatch(/^host {7}none steps this store now/m);
  expect(stdout).toContain('Somebody has to close it.');
});

it('[H5] show says what broke a stuck actor, and counts children', async () => {
  const stuck = await onStore('show', 'ticket/broken');
  expect(stuck.stdout).toMatch(/^stuck {6}machine_threw: the ticket is torn$/m);
  expect(stuck.stdout).toContain('It could not take BREAK');
  expect(stuck.stdout).toMatch(/^mailbox {4}1, held: BREAK$/m);
  const divided = await onStore('show', 'ticket/divided');
  expect(divided.stdout).toContain('children   1 active: troupe ls --parent ticket/divided');
  const json = await onStore('show', 'ticket/closed', '--json');
  expect(JSON.parse(json.stdout) as ActorView).toMatchObject({
    address: 'ticket/closed',
    status: 'done',
    output: { by: 'ann' },
  });
});

it('[H5] journal prints what happened, from where it is asked to', async () => {
  const json = await onStore('journal', 'ticket/closed', '--json');
  const entries = JSON.parse(json.stdout) as JournalEntry[];
  expect(entries.map(({ event }) => (event as { type: string }).type)).toEqual([
    'xstate.init',
    'CLOSE',
  ]);
  const from = String(entries[1]?.seq);
  const text = await onStore('journal', 'ticket/closed', '--from', from);
  expect(text.stdout.trimEnd().split('\n')).toHaveLength(2);
  expect(text.stdout).toMatch(/ 2 {2}CLOSE {2}closed +cancel timer 3600000\.ticket\.open/);
  const stuck = await onStore('journal', 'ticket/broken');
  expect(stuck.stdout).toMatch(/stuck: BREAK +open +machine_threw the ticket is torn/);
});

it('[H5] send to who takes nothing is refused, and undeliverable lists what was kept', async () => {
  const final = await onStore('send', 'ticket/closed', 'CLOSE');
  expect(final).toMatchObject({ code: 4, stdout: '' });
  expect(final.stderr).toMatch(/^troupe: ticket\/closed has ended\. .* \(actor_final\)\n$/);
  const stuck = await onStore('send', 'ticket/broken', 'CLOSE', '--json');
  expect(stuck.code).toBe(4);
  expect(JSON.parse(stuck.stderr)).toMatchObject({
    code: 'actor_stuck',
    outcome: 'notWritten',
    details: { address: 'ticket/broken' },
  });
  expect(await onStore('send', 'ticket/nobody', 'CLOSE')).toMatchObject({ code: 3, stdout: '' });
  const kept = await onStore('undeliverable');
  expect(kept.stdout).toMatch(/actor_final +ticket\/closed +CLOSE +\(outside\)/);
  const json = await onStore('undeliverable', '--json');
  expect(JSON.parse(json.stdout)).toMatchObject([
    { reason: 'actor_final' },
    { reason: 'actor_unknown', message: { actor: 'ticket/nobody' } },
  ]);
});

it('[H5] unknown actors exit with 3, in text and in JSON', async () => {
  for (const command of ['show', 'journal']) {
    const text = await onStore(command, 'ticket/nobody');
    expect(text).toMatchObject({ code: 3, stdout: '' });
    expect(text.stderr).toBe(
      "troupe: There is no actor ticket/nobody. See 'troupe ls'. (actor_unknown)\n",
    );
    const json = await onStore(command, 'ticket/nobody', '--json');
    expect(JSON.parse(json.stderr)).toMatchObject({ code: 'actor_unknown' });
  }
});

it.each([
  ['no command', []],
  ['an unknown command', ['shw']],
  ['an unknown option', ['ls', '--lmit', '3']],
  ['a missing argument', ['show']],
  ['too many arguments', ['show', 'a/b', 'c/d']],
  ['a limit of 0', ['ls', '--limit', '0']],
  ['a limit that is no number', ['journal', 'a/b', '--limit', 'ten']],
  ['a status that is none', ['ls', '--status', 'asleep']],
  ['an event that is no JSON', ['send', 'ticket/open', '{type:CLOSE}']],
  ['an event without a type', ['send', 'ticket/open', '{"kind":"CLOSE"}']],
  ['a reserved event', ['send', 'ticket/open', 'xstate.init']],
  ['a file that is not there', ['send', 'ticket/open', '@nowhere.json']],
  ['an address that is none', ['send', 'nowhere', 'CLOSE']],
  ['a module that is not there', ['run', 'nowhere.js']],
  ['an input that is no JSON', ['run', 'nowhere.js', '--input', '{']],
  ['a configuration that is not there', ['show', 'ticket/open', '--config', 'nowhere.js']],
])('[H5] %s is a mistake of usage: exit 2, one line on stderr', async (_name, args) => {
  const [text, json] = await Promise.all([onStore(...args), onStore(...args, '--json')]);
  expect(text).toMatchObject({ code: 2, stdout: '' });
  expect(text.stderr.trimEnd().split('\n').at(-1)).toMatch(/^troupe: .+ \((usage|invalid_\w+)\)$/);
  expect(json).toMatchObject({ code: 2, stdout: '' });
  expect(Object.keys(JSON.parse(json.stderr) as object)).toEqual(
    expect.arrayContaining(['code', 'message', 'details']),
  );
});

it('[H5] a mistyped command is answered with the one that is meant', async () => {
  const { stderr } = await onStore('jurnal');
  expect(stderr).toBe("troupe: unknown command 'jurnal'. Did you mean journal? (usage)\n");
});

it('[H5] help and version are data', async () => {
  const help = await troupe(['--help']);
  expect(help).toMatchObject({ code: 0, stderr: '' });
  expect(help.stdout).toContain('130 interrupted');
  const lsHelp = await troupe(['ls', '--help']);
  expect(lsHelp.stdout).toContain('--parent <address>');
  expect(lsHelp.stdout).toContain('--json');
  const version = await troupe(['--version']);
  expect(version.stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});

it('[H5] a store that cannot be reached exits with 5', async () => {
  const text = join(place.folder, 'text.db');
  writeFileSync(text, 'this is a letter, not a database'.repeat(50));
  const cases = [
    [join(place.folder, 'nowhere.db'), 'store_missing'],
    [text, 'store_damaged'],
    [place.folder, 'store_damaged'],
  ] as const;
  for (const [store, code] of cases) {
    for (const args of [['ls'], ['send', 'a/b', 'GO']]) {
      const end = await troupe([...args, '--store', store, '--json']);
      expect(end).toMatchObject({ code: 5, stdout: '' });
      expect(JSON.parse(end.stderr)).toMatchObject({ code });
    }
  }
});

it('[H5] quiet leaves only the data, verbose adds the stack of a failure', async () => {
  const quiet = await onStore('ls', '--tag', 'nowhere', '--quiet');
  expect(quiet).toEqual({ code: 3, stdout: '', stderr: '' });
  const failing = await onStore('run', moduleFile('throws-at-load.ts'), '--verbose');
  expect(failing.code).toBe(1);
  expect(failing.stderr).toContain('this module does not want to be loaded (module_invalid)');
  expect(failing.stderr).toMatch(/\n {4}at /);
});

it('[H5] the configuration of this folder names the store', async () => {
  const folder = join(place.folder, 'project');
  mkdirSync(folder);
  writeFileSync(join(folder, 'troupe.config.mjs'), "export default { store: '../troupe.db' };\n");
  const { code, stdout } = await troupe(['ls', '--json'], { cwd: folder });
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toHaveLength(6);
  const other = await troupe(['ls', '--store', 'other.db'], { cwd: folder });
  expect(other.code).toBe(5);
});

it('[H5] a configuration that is broken hides no store that is named', async () => {
  const folder = join(place.folder, 'broken-project');
  mkdirSync(folder);
  writeFileSync(join(folder, 'troupe.config.mjs'), 'export default { stores: 1 };\n');
  const unnamed = await troupe(['ls'], { cwd: folder });
  expect(unnamed.code).toBe(1);
  expect(unnamed.stderr).toContain('must export default { store, machines, calls, simulation }');
  const named = await troupe(['show', 'ticket/open', '--store', place.file], { cwd: folder });
  expect(named.code).toBe(0);
  expect(named.stderr).toContain('Going on without it.');
});

it('[H5] a machine that the configuration knows checks what is sent to it', async () => {
  const config = moduleFile('config.ts');
  const end = await onStore('send', 'ticket/open', 'SHUT', '--config', config);
  expect(end).toMatchObject({ code: 2, stdout: '' });
  expect(end.stderr).toContain("the event does not fit machine 'ticket'");
});
