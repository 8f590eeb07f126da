// Sender: a process beside a host. It writes messages in transactions of its own and steps nothing (G3).

import type { Logger } from 'pino';
import { type Store, TroupeError } from '../persistence/index.ts';
import { KeptRefusal } from './engine/admission.ts';
import { arrivalOf, Group } from './engine/group.ts';
import type { Feed } from './feed.ts';
import { POLL_MS } from './limits.ts';
import type { Clock } from './ports.ts';
import { messageOf } from './step/index.ts';
import type { Writing } from './troupe.ts';
import { writeTransaction } from './write-transaction.ts';

export function openSender(
  store: Store,
  feed: Feed,
  clock: Clock,
  log: Logger,
  isReadonly: boolean,
): Writing {
  const stopPolling = pollCommits(store, feed, clock, log);
  const inTurn = oneByOne();
  return {
    host: undefined,
    write: async (run) => {
      if (isReadonly) throw readonly(store);
      const result = await inTurn(() =>
        writeTransaction(store, clock, () => writeIn(store, clock, run)),
      );
      feed.notify();
      if (result instanceof KeptRefusal) throw result.error;
      return result;
    },
    close: async () => {
      stopPolling();
      feed.close();
      store.close();
    },
  };
}

/** Writes of one process take their turns here, so that each waits for the store only when it is its own. */
function oneByOne(): <T>(write: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (write) => {
    const result = last.then(write);
    last = result.catch(() => {});
    return result;
  };
}

function readonly(store: Store): TroupeError {
  return new TroupeError(
    'store_not_writable',
    `This Troupe was opened for reading ${store.file}. Open it without readonly to send.`,
  );
}

function writeIn<T>(store: Store, clock: Clock, run: (group: Group) => T): T {
  store.requireSchema();
  const nowMs = clock.now();
  // What it would owe the outside world, a host does: that of the calls that were cancelled, when it sees this commit.
  const group = new Group(store, nowMs, arrivalOf(store, nowMs), new Set());
  const written = run(group);
  group.close();
  return written;
}

/** Tells watchers that somebody has written. @returns what ends it. */
function pollCommits(store: Store, feed: Feed, clock: Clock, log: Logger): () => void {
  let disarm = () => {};
  let seen = store.dataVersion();
  const look = (): void => {
    try {
      const version = store.dataVersion();
      if (version !== seen) feed.notify();
      seen = version;
    } catch (error) {
      // Nobody waits for this look, and another follows; who reads or writes meets the error itself.
      log.warn({ error: messageOf(error) }, 'the store could not be looked at');
    }
  };
  const poll = (): void => {
    disarm = clock.after(POLL_MS, () => {
      look();
      poll();
    });
  };
  poll();
  return () => disarm();
}
