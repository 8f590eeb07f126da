// Watchdog thread: sleeps while no step goes on, else looks now and then, and ends the process when it has seen the same
// step for too long (V3).
//
// It reads no clock. It counts its own looks, so that a process or a machine that was suspended is not taken for a step that
// lasts: while nothing runs, nothing is counted.

import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { ADDRESS_LENGTH, NUMBER, SLEEPS, TIME, type WatchdogTask } from './watchdog-memory.ts';

const { memory, limitMs, lookMs } = workerData as WatchdogTask;
const { numbers, seq, address } = memory;
const looksMax = Math.ceil(limitMs / lookMs);

watch();

function watch(): never {
  let seen = 0;
  let looks = 0;
  for (;;) {
    const number = Atomics.load(numbers, NUMBER);
    if (number === 0) sleep();
    looks = number === seen && number !== 0 ? looks + 1 : 0;
    seen = number;
    if (looks >= looksMax) endProcess();
    if (number !== 0) Atomics.wait(numbers, TIME, 0, lookMs);
  }
}

/** Until the next step begins. */
function sleep(): void {
  Atomics.store(numbers, SLEEPS, 1);
  Atomics.wait(numbers, NUMBER, 0);
  Atomics.store(numbers, SLEEPS, 0);
}

/** From a thread `process.exit` would end the thread alone, and a logger would wait for the thread that hangs. */
function endProcess(): void {
  const text = Buffer.from(address.subarray(0, numbers[ADDRESS_LENGTH])).toString();
  try {
    writeSync(
      2,
      `troupe: message ${seq[0]} to ${text} has been in its step for ${limitMs} ms: code of its machine does not come back. This process ends itself; the next host steps the message once more, and then parks the actor (V3).\n`,
    );
  } catch {
    // A stderr that is closed or full must not keep the process.
  }
  process.kill(process.pid, 'SIGKILL');
}
