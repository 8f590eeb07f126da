// `npm start`, as it is built, where no terminal is.

import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type TemporaryStore, temporaryStore, until } from '../kit/index.ts';

const MAIN = fileURLToPath(new URL('../../dist/examples/archive/main.js', import.meta.url));

let place: TemporaryStore;

beforeEach(() => {
  place = temporaryStore();
});

afterEach(() => place.remove());

function start(...args: string[]) {
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: { ...process.env, TMPDIR: place.folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const written = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => {
    written.stdout += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    written.stderr += chunk.toString();
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { child, written, ended };
}

/** The folder that the line of --resume names. */
function resumable(stdout: string): string {
  return /npm start -- --resume (\S+)/.exec(stdout)?.[1] ?? '';
}

/** Names of what lies in a folder, in order. */
function entriesOf(folder: string): string[] {
  return readdirSync(folder).toSorted((a, b) => (a < b ? -1 : 1));
}

it('[K9] without a terminal it prints the line that a person would type, types it, and ends', async () => {
  const { written, ended } = start();
  expect(await ended).toBe(0);
  const base = resumable(written.stdout);
  expect(written.stdout).toContain(
    `npx troupe send archive/sample '{"type":"APPROVE"}' --store ${base}/troupe.db`,
  );
  expect(written.stdout).toMatch(/^message-\d+ archive\/sample \d+$/m);
  expect(written.stdout).toContain('12/12  packed');
  expect(written.stdout).toContain('12 of 12 originals deleted, after an approval.');
  expect(written.stdout).toContain(`npx troupe ls --store ${base}/troupe.db`);
  expect(entriesOf(join(base, 'originals'))).toEqual(['data', 'logs', 'music', 'notes', 'photos']);
}, 60_000);

it('[V6] killed at any moment it goes on with the line that it has printed', async () => {
  const first = start();
  await until(() => first.written.stdout.includes('3/12  packed'), { limitMs: 20_000 });
  first.child.kill('SIGKILL');
  await first.ended;
  const base = resumable(first.written.stdout);
  const second = start('--resume', base);
  await until(() => second.written.stdout.includes('deleted  '), { limitMs: 30_000 });
  second.child.kill('SIGKILL');
  await second.ended;
  const third = start('--resume', base);
  expect(await third.ended).toBe(0);
  expect(third.written.stdout).toContain('Going on with');
  expect(third.written.stdout).toContain('12 of 12 originals deleted, after an approval.');
}, 90_000);

it('[V9] SIGTERM closes it cleanly and says how to go on', async () => {
  const { child, written, ended } = start();
  await until(() => written.stdout.includes('1/12  packed'), { limitMs: 20_000 });
  child.kill('SIGTERM');
  expect(await ended).toBe(130);
  const base = resumable(written.stdout);
  expect(written.stdout).toContain(`Stopped. It goes on with: npm start -- --resume ${base}`);
  expect(entriesOf(base)).toEqual(['originals', 'packed', 'troupe.db']);
});

it('[K9] files of its own a person decides about: without one they stay', async () => {
  const folder = join(place.folder, "it's mine");
  mkdirSync(folder);
  writeFileSync(join(folder, 'a.txt'), 'a');
  const { written, ended } = start(folder);
  expect(await ended).toBe(0);
  expect(written.stdout).toContain('these files are yours');
  expect(written.stdout).toContain('The originals stay, as was decided.');
  expect(existsSync(join(folder, 'a.txt'))).toBe(true);
  expect(existsSync(join(`${folder}-archive`, 'packed', 'a.txt.gz'))).toBe(true);
  const again = start('--resume', `${folder}-archive`);
  expect(await again.ended).toBe(0);
  expect(again.written.stdout).toContain('The originals stay, as was decided.');
});

it('[H5] what is not there is named, and nothing is made', async () => {
  const folder = start(join(place.folder, 'nowhere'));
  expect(await folder.ended).toBe(1);
  expect(folder.written.stderr).toBe(`There is no folder ${place.folder}/nowhere.\n`);
  const resume = start('--resume', place.folder);
  expect(await resume.ended).toBe(1);
  expect(resume.written.stderr).toContain('holds no archive');
  expect(readdirSync(place.folder)).toEqual([]);
  rmSync(place.folder, { recursive: true });
});
