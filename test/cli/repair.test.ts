// The commands of an operator: what they print, what they ask for, and how they exit.

import { userInfo } from 'node:os';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Diagnosis } from '../../actors/doctor/index.ts';
import { type JournalEntry, openTroupe, type Troupe } from '../../hosts/embedded/index.ts';
import { type TemporaryStore, temporaryStore, until } from '../kit/index.ts';
import ticket, { part } from './modules/ticket.ts';
import { endAll, troupe } from './support/cli.ts';

let place: TemporaryStore;
let host: Troupe;
let count = 0;
let id = '';

beforeAll(async () => {
  place = temporaryStore();
  host = await openTroupe({ store: place.file, machines: [ticket, part] });
});

/** Each test has a ticket of its own that is stuck, beside a host that lives. */
beforeEach(async () => {
  id = `ticket/torn-${++count}`;
  await host.spawn(ticket, { id: `torn-${count}` });
  await host.send(id, { type: 'BREAK' });
  await isStuck();
});

afterAll(async () => {
  endAll();
  await host.close();
  place.remove();
});

const isStuck = () =>
  until(async () => (await host.get(id)).status === 'stuck', { what: `${id} is stuck` });

const onStore = (...args: string[]) => troupe([...args, '--store', place.file]);

const why = ['--reason', 'glued', '--by', 'ann'];
const seen = ['--revision', '1', ...why];

describe('stuck', () => {
  it('[J5, H5] lists who waits, and prints how to go on', async () => {
    const text = await onStore('stuck', '--after', `ticket/torn-${count - 1}x`);
    expect(text.code).toBe(0);
    expect(text.stdout).toMatch(/^ADDRESS +REV +SINCE +STATE +MESSAGE +EVENT +ERROR$/m);
    const row = text.stdout.split('\n').find((line) => line.startsWith(`${id} `));
    expect(row).toMatch(/ 1 +[\d:]+ +open +\d+ +BREAK +machine_threw: the ticket is torn$/);
    expect(text.stderr).toContain(`troupe retry ${id} --revision 1 --reason WHY`);
    const json = await onStore('stuck', '--json', '--machine', 'ticket');
    expect(JSON.parse(json.stdout)).toEqual(
      expect.arrayContaining([expect.objectContaining({ address: id, revision: 1, held: 2 })]),
    );
  });

  it('[H5] exits with 3 when a filter matches nothing', async () => {
    const end = await onStore('stuck', '--machine', 'nothing');
    expect(end).toEqual({ code: 3, stdout: '', stderr: 'troupe: No actor is stuck.\n' });
  });

  it('[J5, H5] show prints each way out as it can be typed', async () => {
    const { stdout } = await onStore('show', id);
    const [{ reason } = { reason: undefined }] = (await host.stuck({ limit: 1_000 })).filter(
      ({ address }) => address === id,
    );
    expect(stdout).toContain(`troupe retry ${id} --revision 1 --reason WHY`);
    expect(stdout).toContain(
      `troupe skip ${id} --revision 1 --message ${reason?.messageSeq} --reason WHY`,
    );
    expect(stdout).toContain(`troupe stop ${id} --revision 1 --reason WHY`);
  });
});

describe('an intervention', () => {
  it('[K6a, J5, H5] retry has the host step the message again', async () => {
    const end = await onStore('retry', id, ...seen, '--json');
    expect(end).toMatchObject({ code: 0, stderr: '' });
    const { seq } = JSON.parse(end.stdout) as { readonly seq: number };
    await until(async () => (await host.journal(id)).at(-1)?.kind === 'stuck');
    const journal = await host.journal(id);
    expect(journal.map(({ kind }) => kind)).toEqual(['step', 'stuck', 'intervention', 'stuck']);
    expect(journal[2]).toMatchObject({ seq, event: { by: 'ann', reason: 'glued', revision: 1 } });
    const text = await onStore('journal', id);
    expect(text.stdout).toMatch(/ retry by ann +open +glued \(message \d+\)$/m);
    const shown = await onStore('show', id);
    expect(shown.stdout).toMatch(/^operators +[\d:]+ retry by ann: glued \(message \d+\)$/m);
    const json = await onStore('show', id, '--json');
    expect(JSON.parse(json.stdout)).toMatchObject({ address: id, interventions: [{ seq }] });
  });

  it('[K6a, J5, H5] skip goes on, and redeliver brings the message back once', async () => {
    const skipped = await onStore('skip', id, ...seen);
    expect(skipped.code).toBe(0);
    const [address, , undeliverable = ''] = skipped.stdout.trimEnd().split(' ');
    expect(address).toBe(id);
    expect(skipped.stderr).toContain(`kept as undeliverable ${undeliverable} (troupe redeliver)`);
    await until(async () => (await host.get(id)).status === 'active');
    const first = await onStore('redeliver', undeliverable, ...seen, '--json');
    expect(JSON.parse(first.stdout)).toMatchObject({ address: id });
    await isStuck();
    const again = await onStore('redeliver', undeliverable, ...seen, '--json');
    expect(again).toEqual(first);
    const elsewhere = await onStore('redeliver', undeliverable, ...seen, '--to', 'ticket/other');
    expect(elsewhere).toMatchObject({ code: 4, stdout: '' });
    expect(elsewhere.stderr).toContain('(message_redelivered)');
    const kept = await onStore('undeliverable');
    expect(kept.stdout).toMatch(new RegExp(`skipped +${id} +BREAK +\\(outside\\) +${id}$`, 'm'));
  });

  it('[J5, H5] stop prints who takes no further step', async () => {
    const end = await onStore('stop', id, ...seen);
    expect(end).toMatchObject({ code: 0, stdout: `${id}\n` });
    expect(await host.get(id)).toMatchObject({ status: 'stopped' });
  });

  it('[J5] is by the user of this system when nobody is named', async () => {
    await onStore('stop', id, '--revision', '1', '--reason', 'torn');
    const [deed] = await host.interventions(id);
    expect((deed as JournalEntry).event).toMatchObject({ by: userInfo().username });
  });

  const refusals = [
    ['another revision', ['retry', '--revision', '7', ...why], 4, 'revision_conflict'],
    ['another message', ['skip', ...seen, '--message', '1000000'], 4, 'revision_conflict'],
    ['an empty reason', ['retry', '--revision', '1', '--reason', ' '], 2, 'invalid_intervention'],
    ['no reason', ['retry', '--revision', '1'], 2, 'usage'],
    ['no revision', ['stop', ...why], 2, 'usage'],
    ['a revision that is no number', ['skip', '--revision', 'one', ...why], 2, 'usage'],
  ] as const;
  it.each(refusals)(
    '[J5, H5] with %s is refused',
    async (_what, [command, ...args], code, error) => {
      const end = await onStore(command, id, ...args, '--json');
      expect(end).toMatchObject({ code, stdout: '' });
      expect(JSON.parse(end.stderr)).toMatchObject({ code: error });
      expect(await host.interventions(id)).toEqual([]);
    },
  );

  it('[J5, H5] of nobody exits with 3, of who is not stuck with 4', async () => {
    expect(await onStore('retry', 'ticket/nobody', ...seen)).toMatchObject({ code: 3 });
    expect(await onStore('redeliver', '100000', ...seen)).toMatchObject({ code: 3 });
    await host.spawn(ticket, { id: `well-${count}` });
    const well = await onStore('retry', `ticket/well-${count}`, ...seen);
    expect(well).toMatchObject({ code: 4, stdout: '' });
    expect(well.stderr).toContain('(actor_not_stuck)');
  });
});

describe('doctor', () => {
  it('[J9, H5] beside a host names what needs somebody, and the host goes on', async () => {
    const text = await onStore('doctor');
    expect(text).toMatchObject({ code: 1, stderr: '' });
    expect(text.stdout).toMatch(/^hosts +\w+, process \d+, alive, since /m);
    expect(text.stdout).toMatch(/^error +stuck: /m);
    expect(text.stdout).toMatch(/^ +mend: troupe stuck$/m);
    const json = await onStore('doctor', '--json');
    const { hosts, findings } = JSON.parse(json.stdout) as Diagnosis;
    expect(hosts).toMatchObject([{ pid: process.pid, liveness: 'alive' }]);
    expect(findings.map(({ code }) => code)).toEqual(['stuck']);
    await host.spawn(ticket, { id: `after-${count}` });
  });

  it('[J9, H5] exits with 0 on a store that is well, with a host or without', async () => {
    const well = temporaryStore();
    const other = await openTroupe({ store: well.file, machines: [ticket, part] });
    await other.spawn(ticket, { id: 'divided', input: { withChild: true } });
    expect(await troupe(['doctor', '--store', well.file])).toMatchObject({ code: 0, stderr: '' });
    await other.close();
    const end = await troupe(['doctor', '--store', well.file]);
    expect(end).toMatchObject({ code: 0, stderr: '' });
    expect(end.stdout).toMatch(/^hosts +none$/m);
    expect(end.stdout).toMatch(/^actors +subtask, version 1: 1 active, 0 stuck$/m);
    expect(end.stdout).toContain('Nothing is wrong.');
    well.remove();
  });

  it('[H5] exits with 5 where there is no store', async () => {
    expect(await troupe(['doctor', '--store', `${place.folder}/no.db`])).toMatchObject({ code: 5 });
  });
});
