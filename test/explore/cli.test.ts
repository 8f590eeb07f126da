// troupe explore, in processes of its own.

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { JournalEntry } from '../../hosts/embedded/index.ts';
import { endAll, shell, troupe } from '../cli/support/cli.ts';
import type { ExploreReport } from '../kit/index.ts';
import { foundBy } from './support.ts';

const newcomer = moduleFile('newcomer.ts');
const lamp = moduleFile('lamp.ts');

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'troupe-explore-'));
});

afterAll(() => {
  endAll();
  rmSync(folder, { recursive: true, force: true });
});

function moduleFile(name: string): string {
  return fileURLToPath(new URL(`modules/${name}`, import.meta.url));
}

const explore = (...args: string[]) => troupe(['explore', ...args], { cwd: folder });

it('[explore] a newcomer learns of a dead end and a stray timer, with the shortest way to each', async () => {
  const { code, stdout, stderr } = await explore(newcomer);
  expect(code).toBe(6);
  const lines = stdout.split('\n');
  expect(lines.filter((line) => /^\d|^ {3}\d/.test(line))).toEqual([
    '1  dead_end in broken',
    '   1. birth → closed',
    '   2. OPEN → open',
    '   3. BREAK → broken',
    '2  stray_timer in closed',
    '   1. birth → closed',
    '   2. OPEN → open',
    '   3. SHUT → closed',
    '   4. timer shut fires → closed',
    expect.stringMatching(/^\d+ states {2}\d+ steps {2}2 found {2}not complete$/),
  ]);
  expect(lines.at(-2)).toBe(
    'Not complete: what lies beyond was not looked at. To see more, cancel a timer before it is armed again.',
  );
  expect(stdout).toMatch(/^states +3 +3$/m);
  expect(stdout).toContain("Timer 'shut' is armed again");
  expect(stderr.trimEnd().split('\n').at(-1)).toBe(
    `troupe: It is found again with: troupe explore ${newcomer}`,
  );
});

it('[explore] each finding is written as a journal, and a program reads the report', async () => {
  const out = join(folder, 'found');
  const { code, stdout, stderr } = await explore(newcomer, '--out', out, '--json');
  expect({ code, stderr }).toEqual({ code: 6, stderr: '' });
  const report = JSON.parse(stdout) as ExploreReport;
  expect(Object.keys(foundBy(report))).toEqual(['dead_end', 'stray_timer']);
  expect(readdirSync(out).toSorted()).toEqual(['1-dead_end.json', '2-stray_timer.json']);
  const journal = JSON.parse(
    readFileSync(join(out, '2-stray_timer.json'), 'utf8'),
  ) as JournalEntry[];
  expect(journal.map(({ seq, revision, state }) => [seq, revision, state])).toEqual([
    [1, 1, 'closed'],
    [2, 2, 'open'],
    [3, 3, 'closed'],
    [4, 4, 'closed'],
  ]);
  expect(journal.at(-1)).toMatchObject({ origin: 'timer', incarnation: 'shut@2', cause: 2 });
});

it('[explore] an events file says what may come; nothing found exits with 0', async () => {
  const events = join(folder, 'lamp.json');
  const variants = { input: { watts: 40 }, events: [{ type: 'ON', by: 'ann' }, { type: 'OFF' }] };
  writeFileSync(events, JSON.stringify(variants));
  const { code, stdout, stderr } = await explore(lamp, '--events', events);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain('2 states  6 steps  nothing found  complete');
  expect(stdout).not.toContain('never');
});

it('[explore] what the events file accepts is no finding', async () => {
  const events = join(folder, 'meant.json');
  writeFileSync(events, JSON.stringify({ accepts: ['dead_end', 'stray_timer'] }));
  const { code, stdout, stderr } = await explore(newcomer, '--events', events);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain('1 of kind dead_end accepted, as was told.');
  expect(stdout).toContain('nothing found');
});

it('[explore] what was not reached is named', async () => {
  const events = join(folder, 'off.json');
  writeFileSync(events, JSON.stringify({ input: { watts: 40 }, events: [{ type: 'OFF' }] }));
  const { code, stdout } = await explore(lamp, '--events', events);
  expect(code).toBe(0);
  expect(stdout).toContain('  never entered: lamp.on\n');
  expect(stdout).toContain('  never taken: lamp.off: ON → lamp.on\n');
});

it('[explore] a limit is part of the line that repeats it, and is said', async () => {
  const { code, stdout, stderr } = await explore(newcomer, '--states-max', '5');
  expect(code).toBe(6);
  expect(stdout).toContain('There are more than 5 states; the rest was not looked at.');
  expect(stderr).toBe(
    `troupe: It is found again with: troupe explore ${newcomer} --states-max 5\n`,
  );
});

it('[explore] the last line says that an exploration without findings is no proof, and which limit to raise', async () => {
  const events = join(folder, 'one.json');
  const variants = { input: { watts: 40 }, events: [{ type: 'ON', by: 'ann' }] };
  writeFileSync(events, JSON.stringify(variants));
  const { code, stdout } = await explore(lamp, '--events', events, '--states-max', '1');
  expect(code).toBe(0);
  const [total, last] = stdout.trimEnd().split('\n').slice(-2);
  expect(total).toMatch(/nothing found {2}not complete$/);
  expect(last).toMatch(/^Not complete: .* raise --states-max/);
});

it('[explore] a typo in the events file is named, with what the machine knows', async () => {
  const events = join(folder, 'typo.json');
  writeFileSync(events, JSON.stringify({ events: [{ type: 'OPN' }] }));
  const { code, stdout, stderr } = await explore(newcomer, '--events', events);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toBe(
    "troupe: events: no state of door knows 'OPN'. Its events are: OPEN, SHUT, PUSH, BREAK. (invalid_event)\n",
  );
});

it('[explore] an events file that is no JSON is no word of a shell', async () => {
  const events = join(folder, 'torn.json');
  writeFileSync(events, '{ "events": ');
  const { code, stderr } = await explore(newcomer, '--events', events);
  expect(code).toBe(2);
  expect(stderr).toMatch(/torn\.json is not JSON \(.*\)\. \(usage\)\n$/);
});

it('[explore] --out is refused before anything is explored when it is no folder', async () => {
  const out = join(folder, 'a-file');
  writeFileSync(out, 'mine');
  const { code, stdout, stderr } = await explore(newcomer, '--out', out);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain('the journals of --out cannot be written');
  expect(readFileSync(out, 'utf8')).toBe('mine');
});

it('[explore] --out removes the journals of findings that are mended, and nothing else', async () => {
  const out = join(folder, 'mended');
  const meant = join(folder, 'dead-end.json');
  writeFileSync(meant, JSON.stringify({ accepts: ['dead_end'] }));
  await explore(newcomer, '--out', out);
  writeFileSync(join(out, '1-notes.json'), '{}');
  await explore(newcomer, '--out', out, '--events', meant);
  expect(readdirSync(out).toSorted()).toEqual(['1-notes.json', '1-stray_timer.json']);
});

it('[explore] no store is taken: it would not be looked at', async () => {
  const { code, stderr } = await explore(newcomer, '--store', 'troupe.db');
  expect(code).toBe(2);
  expect(stderr).toBe('troupe: explore touches no store of yours: leave --store out (usage)\n');
});

it('[explore] a birth without an input that it needs is said with how to give one, and nothing is listed as missed', async () => {
  const bill = join(folder, 'bill.mjs');
  writeFileSync(
    bill,
    `import { createMachine } from '${import.meta.resolve('xstate')}';
     export default createMachine({
       id: 'bill',
       context: ({ input }) => ({ invoice: input.invoice }),
       initial: 'open',
       states: { open: { on: { PAY: 'paid' } }, paid: { type: 'final' } },
     });\n`,
  );
  const { code, stdout } = await explore(bill);
  expect(code).toBe(6);
  expect(stdout).toContain('It was born without an input');
  expect(stdout).toContain('0 states  1 step  1 found  not complete');
  expect(stdout).toContain('give it an input in the file of --events');
  expect(stdout).not.toContain('never');
});

it('[explore, H5] what was found is the exit code, whoever reads the output', async () => {
  const line = (reader: string) =>
    `"$NODE" "$TROUPE" explore "$MACHINE" | ${reader}; echo "\${PIPESTATUS[0]}"`;
  for (const reader of ['cat > all', 'head -1 > one', 'true']) {
    expect((await shell(line(reader), { MACHINE: newcomer }, folder)).trim()).toBe('6');
  }
  expect(readFileSync(join(folder, 'one'), 'utf8')).toBe('1  dead_end in broken\n');
});

it('[explore] what cannot be explored is refused as everywhere', async () => {
  const odd = join(folder, 'odd.json');
  writeFileSync(odd, '{ "event": [] }');
  const plain = join(folder, 'plain.mjs');
  writeFileSync(plain, 'export default {};\n');
  const [missing, noInput, oddEvents, noMachine] = await Promise.all([
    explore(join(folder, 'nowhere.ts')),
    explore(lamp),
    explore(newcomer, '--events', odd),
    explore(plain),
  ]);
  expect(missing).toMatchObject({ code: 2, stdout: '' });
  expect(noInput).toMatchObject({ code: 2, stdout: '' });
  expect(noInput.stderr).toMatch(
    /lamp is born without an input, and that does not fit its schema.*\(invalid_input\)\n$/,
  );
  expect(oddEvents.code).toBe(2);
  expect(oddEvents.stderr).toContain('odd.json must hold');
  expect(noMachine.code).toBe(1);
  expect(noMachine.stderr).toContain('has no machine as its default export');
});
