// Faults: makes system calls of a living process fail, and mends them again; or only counts them. It needs strace, which npm test brings.

import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { until } from '../../kit/index.ts';
import type { Program } from '../../supervision/support/process.ts';
import type { Site } from './hosts.ts';

export interface Fault {
  /** How many calls have failed by it. */
  failures(): number;
  /** Settles when the process is as it was. */
  mend(): Promise<void>;
}

/** System calls of a process as they are made. */
export interface Trace {
  /** How many have been made, those that were made to fail among them. */
  count(): number;
}

let traces = 0;

/**
 * Lets system calls of a process fail from now on. @param calls Names as strace knows them, with commas.
 * @param error What they fail with, e.g. `EIO`.
 */
export async function breakCalls(
  program: Pick<Program, 'pid'>,
  site: Site,
  calls: string,
  error: string,
): Promise<Fault> {
  const { file, end } = await attach(program, site, calls, [
    '-e',
    `inject=${calls}:error=${error}`,
  ]);
  return { failures: () => readFileSync(file, 'utf8').split('(INJECTED)').length - 1, mend: end };
}

/** Counts system calls of a process from now on. @param calls Names as strace knows them, with commas. */
export async function traceCalls(
  program: Pick<Program, 'pid'>,
  site: Site,
  calls: string,
): Promise<Trace> {
  const { file } = await attach(program, site, calls, []);
  // A call that another thread interrupts in the trace has a second line, `resumed`.
  const made = (line: string) => line.includes('(') && !line.includes('resumed>');
  return { count: () => readFileSync(file, 'utf8').split('\n').filter(made).length };
}

async function attach(
  { pid }: Pick<Program, 'pid'>,
  { ledger }: Site,
  calls: string,
  options: readonly string[],
): Promise<{ readonly file: string; readonly end: () => Promise<void> }> {
  const file = join(ledger, '..', `trace-${++traces}`);
  const own = ['-f', '-o', file, '-e', `trace=${calls}`, ...options, '-p', String(pid)];
  const strace = spawn('strace', own, { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  strace.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  const ended = new Promise<void>((resolve, reject) => {
    strace.once('error', reject);
    strace.once('exit', () => resolve());
  });
  const end = async (): Promise<void> => {
    strace.kill('SIGINT');
    await ended;
  };
  onTestFinished(end);
  await Promise.race([
    until(() => said.includes('attached'), { what: `strace -p ${pid}` }),
    ended.then(() => {
      throw new Error(`strace has ended: ${said}`);
    }),
  ]);
  return { file, end };
}
