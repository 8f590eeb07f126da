// Watchdog thread: sleeps while no step goes on, else looks now and then, and ends the process when it has seen the same
// step for too long (V3).
//
// It reads no clock. It counts its own looks, so that a process or a machine that was suspended is not taken for a step that
// lasts: while nothing runs, nothing is counted. It is plain JavaScript that imports nothing of ours: a loader of TypeScript
// needs the host's thread, which may be in an endless loop already.

import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';

/** @type {import('./watchdog-memory.ts').WatchdogTask} */
const { memory, limitMs, lookMs } = workerData;
const { step, isAsleep, time, seq, address, addressBytes } = memory;
const looksMax = Math.ceil(limitMs / lookMs);

let seen = 0;
let looks = 0;
for (;;) {
  const number = Atomics.load(step, 0);
  if (number === 0) {
    sleep();
    continue;
  }
  looks = number === seen ? looks + 1 : 0;
  seen = number;
  if (looks >= looksMax) endProcess();
  Atomics.wait(time, 0, 0, lookMs);
}

/** Until the next step begins. */
function sleep() {
  Atomics.store(isAsleep, 0, 1);
  Atomics.wait(step, 0, 0);
  Atomics.store(isAsleep, 0, 0);
  seen = 0;
}

/** `process.exit` would end this thread alone, and a logger would wait for the thread that hangs. */
function endProcess() {
  const actor = Buffer.from(address.subarray(0, addressBytes[0])).toString();
  try {
    writeSync(
      2,
      `troupe: message ${seq[0]} to ${actor} has been in its step for ${limitMs} ms: code of its machine does not come back. This process ends itself. The next host steps the message once more; if that ends the same way, the actor is parked (V3).\n`,
    );
  } catch {
    // A stderr that is closed or full must not keep the process.
  }
  process.kill(process.pid, 'SIGKILL');
}
