// Calls: a host with real threads and a clock that the test moves, and what its calls witness.

import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import { ThreadPool } from '../../../actors/calls/index.ts';
import { workerEntry } from '../../../adapters/index.ts';
import {
  openTestTroupe,
  type TestTroupe,
  type TestTroupeOptions,
  temporaryStore,
  until,
} from '../../kit/index.ts';
import { calls, type Kept, machines } from './behaving.ts';

export * from './behaving.ts';

/** A host on a virtual clock with real worker threads; it is closed when the test ends. */
export async function openThreads(options: TestTroupeOptions = {}): Promise<TestTroupe> {
  const pool = new ThreadPool({ workerEntry, log: pino({ level: 'silent' }) });
  return openForTest({ machines, calls, pool, ...options });
}

/** A test's host; it is closed when the test ends. */
export async function openForTest(options: TestTroupeOptions): Promise<TestTroupe> {
  const test = await openTestTroupe(options);
  opened.push(test);
  onTestFinished(closeAll);
  return test;
}

let opened: TestTroupe[] = [];

/** Hosts end before the files go into which their threads may still write, whatever was made first. */
async function closeAll(): Promise<void> {
  const closing = opened;
  opened = [];
  await Promise.all(closing.map((test) => test.close()));
}

/** The context of the one actor, once it is in this state. */
export async function keptIn(test: TestTroupe, address: string, state: string): Promise<Kept> {
  const view = await until(
    async () => {
      const found = await test.troupe.get(address);
      return found.state === state ? found : undefined;
    },
    { limitMs: 15_000, what: `${address} in '${state}'` },
  );
  return view.context as Kept;
}

/** Lines that calls appended, as words. */
export interface Witness {
  readonly file: string;
  lines(): readonly string[];
  /** Settles when so many lines begin with this word. */
  seen(word: string, count?: number): Promise<void>;
  count(word: string): number;
}

/** A fresh witness file, and a folder for gates; removed when the test ends. */
export function witness(): Witness & { gate(name: string): Gate } {
  const place = temporaryStore();
  onTestFinished(async () => {
    await closeAll();
    place.remove();
  });
  const { folder } = place;
  const file = join(folder, 'witness');
  appendFileSync(file, '');
  const lines = () => readFileSync(file, 'utf8').split('\n').filter(Boolean);
  const count = (word: string) => lines().filter((line) => line.startsWith(word)).length;
  return {
    file,
    lines,
    count,
    seen: async (word, wanted = 1) => {
      await until(() => count(word) >= wanted, {
        limitMs: 15_000,
        what: `${wanted} × '${word}' in ${lines().join(', ').slice(0, 500)}`,
      });
    },
    gate: (name) => {
      const gate = join(folder, name);
      return {
        file: gate,
        open: () => writeFileSync(gate, ''),
        isOpen: () => existsSync(gate),
      };
    },
  };
}

/** A file for which a call waits. */
export interface Gate {
  readonly file: string;
  open(): void;
  isOpen(): boolean;
}
