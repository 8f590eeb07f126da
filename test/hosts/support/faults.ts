// Faults: makes system calls of a living process fail, and mends them again. It needs strace, which npm test brings.

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

let faults = 0;

/**
 * Lets system calls of a process fail from now on. @param calls Names as strace knows them, with commas.
 * @param error What they fail with, e.g. `EIO`.
 */
export async function breakCalls(
  { pid }: Pick<Program, 'pid'>,
  { ledger }: Site,
  calls: string,
  error: string,
): Promise<Fault> {
  const trace = join(ledger, '..', `trace-${++faults}`);
  const inject = ['-e', `trace=${calls}`, '-e', `inject=${calls}:error=${error}`];
  const strace = spawn('strace', ['-f', '-o', trace, ...inject, '-p', String(pid)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  strace.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  const ended = new Promise<void>((resolve, reject) => {
    strace.once('error', reject);
    strace.once('exit', () => resolve());
  });
  const mend = async (): Promise<void> => {
    strace.kill('SIGINT');
    await ended;
  };
  onTestFinished(mend);
  await Promise.race([
    until(() => said.includes('attached'), { what: `strace -p ${pid}` }),
    ended.then(() => {
      throw new Error(`strace has ended: ${said}`);
    }),
  ]);
  return { failures: () => readFileSync(trace, 'utf8').split('(INJECTED)').length - 1, mend };
}
