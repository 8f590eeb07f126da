// Watchdog: a thread that ends this process when one step lasts too long (V3). Machine code runs on the host's own thread:
// when it loops for ever, nothing there can end it.
//
// The host writes into memory that both threads see: the number of the step, and what it steps. While no step goes on the
// thread sleeps and costs nothing.

import { url as debuggerUrl } from 'node:inspector';
import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import type { Watchdog } from '../../actors/index.ts';
import { STEP_MS_MAX } from '../../actors/limits.ts';
import { layOut, type WatchdogMemory, type WatchdogTask } from './watchdog-memory.ts';

/** How often the thread looks while steps are taken, when it is not told. Milliseconds. */
const LOOK_MS = 500;

export interface WatchdogOptions {
  readonly log: Logger;
  /** Longest time of one step. Milliseconds; default 10_000. */
  readonly limitMs?: number;
  /** How often it looks: a step may last so much longer. Milliseconds; default 500. */
  readonly lookMs?: number;
}

/**
 * Starts the thread; it keeps no process alive. @returns undefined while a debugger is attached: whoever thinks at a
 * breakpoint must not lose the process.
 */
export function startWatchdog(options: WatchdogOptions): Watchdog | undefined {
  const { log, limitMs = STEP_MS_MAX, lookMs = LOOK_MS } = options;
  if (debuggerUrl() !== undefined) {
    log.warn('a debugger is attached: no step is ended, however long it lasts');
    return undefined;
  }
  const memory = layOut();
  const thread = startThread({ memory, limitMs, lookMs });
  thread.on('error', (error) => log.error({ error: error.message }, 'the watchdog has ended'));
  return { ...tellingIn(memory), close: () => thread.terminate().then(() => {}) };
}

function startThread(task: WatchdogTask): Worker {
  const thread = new Worker(new URL('./watchdog-thread.mjs', import.meta.url), {
    workerData: task,
    execArgv: [],
    name: 'troupe watchdog',
  });
  thread.unref();
  return thread;
}

/** Numbers of steps begin again after this. */
const STEP_NUMBER_MAX = 0x3fff_ffff;

function tellingIn(memory: WatchdogMemory): Pick<Watchdog, 'begin' | 'end'> {
  const { step, isAsleep, seq, addressBytes } = memory;
  const address = Buffer.from(memory.address.buffer);
  let number = 0;
  return {
    begin: (message) => {
      seq[0] = message.seq;
      addressBytes[0] = address.write(message.actor);
      number = (number % STEP_NUMBER_MAX) + 1;
      Atomics.store(step, 0, number);
      if (Atomics.load(isAsleep, 0) === 1) Atomics.notify(step, 0);
    },
    end: () => {
      Atomics.store(step, 0, 0);
    },
  };
}
