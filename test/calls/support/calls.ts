// Calls: a machine with one call, calls that behave as their input says, and a host with real threads.

import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import { assign, fromPromise, setup } from 'xstate';
import { z } from 'zod';
import { ThreadPool } from '../../../actors/calls/index.ts';
import { type CallClass, type CallOptions, defineCall, defineMachine } from '../../../actors/index.ts';
import { workerEntry } from '../../../adapters/index.ts';
import {
  openTestTroupe,
  type TestTroupe,
  type TestTroupeOptions,
  temporaryStore,
  until,
} from '../../kit/index.ts';
import type { Act } from '../modules/behave.ts';

/** What the machine keeps of its call. */
export interface Kept {
  readonly input: unknown;
  readonly output: unknown;
  readonly error: unknown;
  readonly pings: number;
}

const placeholder = fromPromise<unknown, unknown>(() => Promise.reject(new Error('no call')));

/** A machine of this id that invokes the call `source` with its own input, keeps what comes back, and can leave or ask again. */
export function callerOf(id: string, source: string) {
  const machine = setup({
    types: {} as {
      context: Kept;
      input: unknown;
      events: { type: 'PING' } | { type: 'LEAVE' } | { type: 'AGAIN' } | { type: 'END' };
    },
    actors: { [source]: placeholder } as Record<string, typeof placeholder>,
  }).createMachine({
    id,
    context: ({ input }) => ({ input, output: null, error: null, pings: 0 }),
    initial: 'working',
    on: {
      PING: { actions: assign({ pings: ({ context }) => context.pings + 1 }) },
      AGAIN: { target: '.working', reenter: true },
      END: '.over',
    },
    states: {
      working: {
        invoke: {
          id: 'work',
          src: source,
          input: ({ context }) => context.input,
          onDone: {
            target: 'done',
            actions: assign({ output: ({ event }) => event.output ?? null }),
          },
          onError: { target: 'failed', actions: assign({ error: ({ event }) => event.error }) },
        },
        on: { LEAVE: 'left' },
      },
      done: {},
      failed: {},
      left: {},
      over: { type: 'final' },
    },
  });
  return defineMachine({ machine, version: 1 });
}

/** A call whose function is `modules/behave.ts`. */
export function behaving(
  name: string,
  callClass: CallClass,
  options: Partial<CallOptions<string, unknown, unknown>> = {},
) {
  return defineCall({
    name,
    module: new URL('../modules/behave.ts', import.meta.url),
    class: callClass,
    limitMs: 1_000,
    input: z.unknown(),
    output: z.unknown(),
    ...options,
  });
}

export const readMachine = callerOf('reader', 'look');
export const effectMachine = callerOf('actor', 'act');
export const replayableMachine = callerOf('repeater', 'repeat');
export const machines = [readMachine, effectMachine, replayableMachine];

/** One call of each class. */
export const calls = [
  behaving('look', 'read'),
  behaving('act', 'effect'),
  behaving('repeat', 'replayable'),
];

/** A host on a virtual clock with real worker threads; it is closed when the test ends. */
export async function openThreads(options: TestTroupeOptions = {}): Promise<TestTroupe> {
  const pool = new ThreadPool({ workerEntry, log: pino({ level: 'silent' }) });
  return openForTest({ machines, calls, pool, ...options });
}

/** A test's host; it is closed when the test ends. */
export async function openForTest(options: TestTroupeOptions): Promise<TestTroupe> {
  const test = await openTestTroupe(options);
  onTestFinished(() => test.close());
  return test;
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
  const { folder, remove } = temporaryStore();
  onTestFinished(remove);
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

/** An input for `behave`. */
export function doing(acts: readonly Act[], file?: string): { acts: readonly Act[] } {
  return { acts, ...(file === undefined ? {} : { witness: file }) };
}
