// `troupe run`: the host of a store, and what is done beside it.

import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type TemporaryStore, temporaryStore, until } from '../kit/index.ts';
import { endAll, moduleFile, type RunningCommand, startTroupe, troupe } from './support/cli.ts';

let place: TemporaryStore;

beforeEach(() => {
  place = temporaryStore();
});

afterEach(() => {
  endAll();
  place.remove();
});

const ticket = moduleFile('ticket.ts');

const onStore = (...args: string[]) => troupe([...args, '--store', place.file]);

const startRun = (...args: string[]): RunningCommand => startRunOf('a', ...args);

const startRunOf = (id: string, ...args: string[]): RunningCommand =>
  startTroupe(['run', ticket, '--id', id, ...args, '--store', place.file]);

it('[H5, M1] send reaches an actor while run goes on, and run ends with its output', async () => {
  const run = startRun();
  await run.prints('ticket/a open');
  const sent = await onStore('send', 'ticket/a', '{"type":"CLOSE","by":"ann"}');
  expect(sent.code).toBe(0);
  expect(sent.stdout).toMatch(/^message-\d+ ticket\/a \d+\n$/);
  const end = await run.ended;
  expect(end.code).toBe(0);
  expect(end.stdout).toMatch(/ticket\/a open → closed\n.*ticket\/a closed \(done\)\n/);
  expect(end.stdout).toContain('"by": "ann"');
  expect(end.stderr).toContain('troupe: ticket/a has ended: closed.');
});

it('[H5, M3] an own message id makes send repeatable, and refuses another content', async () => {
  const run = startRun();
  await run.prints('ticket/a open');
  const send = (event: string) => onStore('send', 'ticket/a', event, '--message-id', 'x', '--json');
  const first = await send('{"type":"CLOSE"}');
  await run.ended;
  const again = await send('CLOSE');
  expect(again.code).toBe(0);
  expect(again.stdout).toBe(first.stdout);
  expect(JSON.parse(first.stdout)).toMatchObject({ messageId: 'x', address: 'ticket/a' });
  const other = await send('FAIL');
  expect(other.code).toBe(4);
  expect(JSON.parse(other.stderr)).toMatchObject({ code: 'message_id_conflict' });
});

it('[H5, V5] a second run of the same store is a second host: both follow their actors', async () => {
  const run = startRun();
  await run.prints('ticket/a open');
  const second = startRunOf('b');
  await second.prints('ticket/b open');
  const shown = await onStore('show', 'ticket/a');
  expect(shown.stdout).toContain(`process ${run.process.pid}`);
  expect(shown.stdout).toContain(`process ${second.process.pid}`);
});

it('[H5, V9] a signal closes run cleanly, exits with 130 and says how to go on', async () => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    const run = startRun();
    await run.prints('ticket/a open');
    run.process.kill(signal);
    const end = await run.ended;
    expect(end.code).toBe(130);
    expect(end.stderr).toContain(`It goes on with: npx troupe run ${ticket} --id a --store`);
  }
  const shown = await onStore('show', 'ticket/a');
  expect(shown.stdout).toMatch(/^host {7}none steps this store now/m);
  expect(shown.stdout).toMatch(/^revision {3}1, /m);
});

it('[H5, V9] a second signal ends run at once; signals that npx doubles are one', async () => {
  const module = moduleFile('slow.ts');
  const run = startTroupe(['run', module, '--id', 'a', '--store', place.file]);
  await run.prints('slow/a working');
  const beganAtMs = performance.now();
  run.process.kill('SIGINT');
  run.process.kill('SIGINT');
  await run.says('Once more ends at once');
  await until(() => performance.now() - beganAtMs > 700, { what: 'a second press of Ctrl-C' });
  expect(run.process.exitCode).toBe(null);
  run.process.kill('SIGINT');
  expect((await run.ended).code).toBe(130);
  // Far less than the grace that the running call would have got.
  expect(performance.now() - beganAtMs).toBeLessThan(4_000);
});

it('[H5, V6] run goes on with an actor of equal id and input after kill -9', async () => {
  const run = startRun('--input', '{"withChild":true}');
  await run.prints('subtask/a.part@1 open');
  run.process.kill('SIGKILL');
  await run.ended;
  const dead = await onStore('show', 'ticket/a');
  expect(dead.stdout).toMatch(/^host {7}the last one has died/m);
  const waiting = await onStore('send', 'subtask/a.part@1', 'CLOSE');
  expect(waiting.stderr).toContain('No host steps this store now');
  const other = await onStore('run', ticket, '--id', 'a');
  expect(other.code).toBe(4);
  expect(other.stderr).toContain('(actor_exists)');
  const again = await onStore('run', ticket, '--id', 'a', '--input', '{"withChild":true}');
  expect(again.code).toBe(0);
  expect(again.stderr).toContain('ticket/a is there already');
  expect(again.stdout).toContain('ticket/a closed (done)');
});

it('[H5] run of an actor that has ended prints its output and does nothing', async () => {
  const run = startRun('--quiet');
  await until(async () => (await onStore('send', 'ticket/a', 'CLOSE')).code === 0);
  expect(await run.ended).toEqual({ code: 0, stdout: '{"by":"nobody"}\n', stderr: '' });
  const again = await startRun('--quiet').ended;
  expect(again).toEqual({ code: 0, stdout: '{"by":"nobody"}\n', stderr: '' });
});

it('[H5, K6] run exits with 1 and the way out when its actor is stuck or fails', async () => {
  const stuck = startRun();
  await stuck.prints('ticket/a open');
  await onStore('send', 'ticket/a', 'BREAK');
  const end = await stuck.ended;
  expect(end.code).toBe(1);
  expect(end.stderr).toContain(
    "troupe: ticket/a is stuck in open: the ticket is torn. See: troupe show 'ticket/a'. (actor_stuck)",
  );
  const failing = startTroupe(['run', ticket, '--id', 'b', '--store', place.file, '--json']);
  await failing.prints('"address":"ticket/b"');
  await onStore('send', 'ticket/b', 'FAIL');
  const failed = await failing.ended;
  expect(failed.code).toBe(1);
  expect(JSON.parse(failed.stderr)).toMatchObject({
    code: 'actor_failed',
    details: { address: 'ticket/b', status: 'error' },
  });
});

it('[H5] run --json prints each change and the end, one JSON object a line', async () => {
  const run = startRun('--json', '--input', '{"withChild":true}');
  await run.prints('"address":"subtask/a.part@1"');
  await onStore('send', 'subtask/a.part@1', 'CLOSE');
  const { code, stdout, stderr } = await run.ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { address: string; kind: string; state?: unknown });
  expect(lines.map(({ address, kind, state }) => [address, kind, state])).toEqual(
    expect.arrayContaining([
      ['ticket/a', 'step', 'divided'],
      ['subtask/a.part@1', 'step', 'open'],
      ['subtask/a.part@1', 'step', 'closed'],
      ['ticket/a', 'step', 'closed'],
    ]),
  );
  expect(lines.at(-1)).toMatchObject({ kind: 'end', address: 'ticket/a', status: 'done' });
});

it('[H5] run reads its input from a file and from stdin, and checks it', async () => {
  const file = join(place.folder, 'input.json');
  writeFileSync(file, '{"withChild":"yes"}');
  const fromFile = await onStore('run', ticket, '--input', `@${file}`);
  expect(fromFile.code).toBe(2);
  expect(fromFile.stderr).toMatch(/withChild.*\(invalid_input\)\n$/);
  const fromStdin = await troupe(['run', ticket, '--input', '@-', '--store', place.file], {
    stdin: '{"unknown":1}',
  });
  expect(fromStdin.code).toBe(2);
  expect(fromStdin.stderr).toContain('(invalid_input)');
});

it('[H5] run says what a module lacks', async () => {
  const several = await onStore('run', moduleFile('several.ts'));
  expect(several.code).toBe(1);
  expect(several.stderr).toContain(
    'has no machine as its default export (it exports subtask, ticket)',
  );
  const alone = join(place.folder, 'alone.ts');
  copyFileSync(ticket, alone);
  const end = await onStore('run', alone);
  expect(end.code).toBe(1);
  expect(end.stderr).toMatch(/Install tsx in its project.*\(loader_missing\)|does not load/);
});
