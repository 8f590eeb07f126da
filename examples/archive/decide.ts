// Decide: gets a person's answer to "delete the originals?" at a terminal. Where there is none, it shows the line that
// a person would type, and types it.

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { fileURLToPath } from 'node:url';
import type { Troupe } from '../../hosts/embedded/index.ts';
import type { Place } from './place.ts';
import { quote } from './quote.ts';

export interface Decision {
  readonly troupe: Troupe;
  readonly address: string;
  readonly place: Place;
  readonly files: number;
  /** Aborts when somebody else has answered, or nobody waits for it any more. */
  readonly signal: AbortSignal;
}

/** Settles when the answer is on disk, or the signal has aborted. */
export async function decide(decision: Decision): Promise<void> {
  if (process.stdin.isTTY && process.stdout.isTTY) await ask(decision);
  else await typeIt(decision);
}

async function ask({ troupe, address, files, signal }: Decision): Promise<void> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  // While it reads, the terminal gives Ctrl-C to it alone.
  terminal.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  try {
    const answer = await terminal.question(`Delete the ${files} originals? [y/N] `, { signal });
    const type = /^y(es)?$/i.test(answer.trim()) ? 'APPROVE' : 'KEEP';
    // The same answer twice, after a crash between the two, is one message.
    await troupe.send(address, { type }, { messageId: `terminal-${type}` });
  } catch (error) {
    if (!signal.aborted) throw error;
    console.log('');
  } finally {
    terminal.close();
  }
}

/** What belongs to a person is not deleted without one. */
async function typeIt({ address, place, files, signal }: Decision): Promise<void> {
  const line = (type: string) =>
    `npx troupe send ${quote(address)} '${JSON.stringify({ type })}' --store ${quote(place.store)}`;
  console.log(`\nAll files are packed and verified; the ${files} originals wait for a decision:`);
  console.log(`  ${line('APPROVE')}`);
  if (!place.isSample) console.log(`  ${line('KEEP')}`);
  console.log(
    place.isSample
      ? 'There is no terminal to ask at, so this types that line itself:'
      : 'There is no terminal to ask at, and these files are yours: this types the second line itself.',
  );
  await run(line(place.isSample ? 'APPROVE' : 'KEEP'), signal);
}

async function run(line: string, signal: AbortSignal): Promise<void> {
  const child = spawn(line, { shell: true, cwd: packageFolder(), stdio: ['ignore', 1, 2], signal });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('exit', resolve);
    child.once('error', (error) => (signal.aborted ? resolve(0) : reject(error)));
  });
  if (code !== 0 && !signal.aborted) throw new Error(`${line} ended with exit code ${code}`);
}

/** Where npx finds this very Troupe. */
function packageFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(`${folder}/package.json`)) folder = dirname(folder);
  return folder;
}
