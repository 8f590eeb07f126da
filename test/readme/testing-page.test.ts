// docs/testing.md: its files are saved as they stand there, its commands are run, and what they print is what it says.

import { execFile } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type CommandEnd, endAll, troupe } from '../cli/support/cli.ts';
import { blocksOf, newcomersFolder, textOf } from './support.ts';

const page = textOf('docs/testing.md');
const MISTAKE = "onDone: 'paid' }";
const MENDED = "onDone: 'paid', onError: 'unclear' }";
const WAY_ON = "unclear: { on: { SETTLE: 'paid', REJECT: 'rejected' } }";

const packages = ['xstate', 'zod', 'vitest', 'typescript', 'tsx', '@types/node'];
let folder = '';

beforeAll(() => {
  folder = newcomersFolder(packages);
  for (const block of blocksOf(page, 'ts')) {
    const name = /^\/\/ (\S+)\n/.exec(block)?.[1] ?? 'unnamed.ts';
    save(name, block);
  }
  const [events = ''] = blocksOf(page, 'json');
  save('charge.json', events);
  save('package.json', '{ "type": "module" }');
});

afterAll(() => {
  endAll();
  rmSync(folder, { recursive: true, force: true });
});

function save(name: string, text: string): void {
  writeFileSync(join(folder, name), text);
}

/** Saves the machine with some of its text replaced. */
function saveCharge(...changes: readonly (readonly [from: string, to: string])[]): void {
  let text = blocksOf(page, 'ts')[0] ?? '';
  for (const [from, to] of changes) {
    expect(text).toContain(from);
    text = text.replace(from, to);
  }
  save('charge.ts', text);
}

/** Runs a command of the page in the folder. */
function run(line: string): Promise<CommandEnd> {
  expect(page).toContain(line);
  const args = line.replace(/^npx troupe /, '').split(' ');
  return troupe(args, { cwd: folder });
}

/** What a block shows that is no command. */
function shown(block: string | undefined): string[] {
  return (block ?? '').split('\n').filter((line) => line !== '' && !line.startsWith('$'));
}

const EXPLORE = 'npx troupe explore charge.ts --events charge.json';
const SIMULATE = 'npx troupe simulate --config troupe.config.ts';

it('[explore] the page’s first exploration finds what it shows', async () => {
  saveCharge();
  const { code, stdout, stderr } = await run(EXPLORE);
  expect(code).toBe(6);
  const lines = `${stdout}${stderr}`.split('\n');
  expect(lines).toEqual(expect.arrayContaining(shown(blocksOf(page, 'console')[0])));
});

it('[explore] what the page calls a mend leaves nothing to be found', async () => {
  saveCharge([MISTAKE, MENDED]);
  const { code, stdout } = await run(EXPLORE);
  expect(stdout).toMatch(/nothing found {2}complete\n$/);
  expect(code).toBe(0);
});

it('[simulate] the page’s configuration runs and finds nothing', async () => {
  saveCharge([MISTAKE, MENDED]);
  const { code, stdout, stderr } = await run(SIMULATE);
  expect(stdout).toMatch(/^1 seed .*nothing found/);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
});

it('[simulate] without the way on it finds what the page shows, with the line that repeats it', async () => {
  saveCharge([MISTAKE, MENDED], [WAY_ON, 'unclear: {}']);
  const { code, stdout, stderr } = await run(SIMULATE);
  expect(code).toBe(6);
  const [finding = '', again] = shown(blocksOf(page, 'console')[1]);
  expect(stdout).toContain(finding.slice(finding.indexOf('is in')));
  expect(stderr.trimEnd()).toBe(again);
});

it('[explore, simulate] the page’s test is well typed and green, and an invariant that does not hold turns it red', async () => {
  saveCharge([MISTAKE, MENDED]);
  const compile = ['typescript/bin/tsc', '--noEmit', '--strict', '--allowImportingTsExtensions'];
  const compiled = await node([
    ...compile,
    '--module',
    'nodenext',
    'charge.test.ts',
    'troupe.config.ts',
  ]);
  expect(compiled).toEqual({ code: 0, stdout: '' });
  const green = await node(['vitest/vitest.mjs', 'run', '--reporter', 'dot']);
  expect(green.stdout).toContain('4 passed');
  expect(green.code).toBe(0);
  saveCharge([MISTAKE, MENDED], [WAY_ON, WAY_ON.replace("'rejected'", "'paying'")]);
  const red = await node(['vitest/vitest.mjs', 'run', '--reporter', 'dot', '-t', 'approved']);
  expect(red.stdout).toContain("Invariant 'once' does not hold.");
  expect(red.code).toBe(1);
});

it('[explore] the page has at most 150 lines', () => {
  expect(page.split('\n').length).toBeLessThanOrEqual(150);
});

/** Runs a program of the folder's packages. */
async function node([module = '', ...args]: readonly string[]): Promise<{
  code: unknown;
  stdout: string;
}> {
  const { VITEST: _vitest, ...env } = process.env;
  try {
    const program = join(folder, 'node_modules', module);
    const { stdout } = await promisify(execFile)(process.execPath, [program, ...args], {
      cwd: folder,
      env: { ...env, NO_COLOR: '1' },
    });
    return { code: 0, stdout };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: unknown; stdout: string; stderr: string };
    return { code, stdout: `${stdout}${stderr}` };
  }
}
