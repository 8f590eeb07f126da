// The README's program is run as it stands there, killed, and run again.

import { spawn } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { blocksOf, newcomersFolder, textOf } from './support.ts';

const readme = textOf('README.md');
let folder = '';

beforeEach(() => {
  folder = newcomersFolder(['xstate']);
  const [program = ''] = blocksOf(readme, 'js');
  // The seconds are shortened; everything else is what a newcomer copies.
  writeFileSync(join(folder, 'countdown.mjs'), program.replace('second: 1_000', 'second: 50'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the program; kills it when it has printed a line. @returns all that it printed. */
async function run(killAt?: string): Promise<string[]> {
  const child = spawn('node', ['countdown.mjs'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    if (line === killAt) child.kill('SIGKILL');
  }
  return lines;
}

it('[V6] the README’s program goes on where kill -9 left it', async () => {
  const first = await run('counting 7');
  expect(first.slice(0, 2)).toEqual(['begins countdown/apollo 10', 'counting 9']);
  const second = await run();
  expect(second[0]).toMatch(/^goes on countdown\/apollo \d$/);
  expect(second.at(-1)).toBe('lifted 0');
  // The kill may come a step late; from there every number is counted once.
  const left = second.slice(1).map((line) => Number(line.split(' ')[1]));
  const start = left[0] ?? -1;
  expect(start).toBeLessThan(8);
  expect(left).toEqual(Array.from({ length: start + 1 }, (_, index) => start - index));
});

it('[V6] the README has at most 150 lines', () => {
  expect(readme.split('\n').length).toBeLessThanOrEqual(150);
});
