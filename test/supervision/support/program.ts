// Program: a process of its own that opens a Troupe and does what its parent asks, over IPC.

import { closeSync, openSync } from 'node:fs';
import { pino } from 'pino';
import { setup } from 'xstate';
import { type Boundary, defineMachine } from '../../../actors/index.ts';
import { openTroupe, type Troupe } from '../../../hosts/embedded/index.ts';
import { startWatchdog } from '../../../hosts/embedded/watchdog.ts';
import { behaving, calls, machines } from '../../calls/support/behaving.ts';
import { deadly, passing } from './deadly.ts';
import { ticking } from './ticking.ts';

/** How to open, as JSON. */
export interface Opening {
  readonly store: string;
  /** A client has no machines: it sends and reads beside a host. Default `host`. */
  readonly as?: 'host' | 'client' | 'readonly';
  readonly graceMs?: number;
  /** Kills itself when this boundary is passed for the n-th time, from 1. */
  readonly killAt?: { readonly boundary: Boundary; readonly count: number };
  /** Stops itself there as SIGSTOP does, until somebody sends SIGCONT. */
  readonly stopAt?: Boundary;
  /** A watchdog with limits of the test; default: the host's own. Milliseconds. */
  readonly watchdog?: { readonly limitMs: number; readonly lookMs: number };
}

export interface Request {
  readonly id: number;
  readonly method: string;
  readonly args: readonly unknown[];
}

export interface Reply {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: { readonly code: string; readonly message: string; readonly outcome?: string };
}

/** A second machine: it waits for a timer, and counts how often it rang. */
export const bell = defineMachine({
  version: 1,
  machine: setup({}).createMachine({
    id: 'bell',
    initial: 'waiting',
    states: { waiting: { after: { 150: 'rung' } }, rung: {} },
  }),
});

export const knownMachines = [...machines, bell, deadly, passing, ticking];

/** Real time passes here: no call comes to its limit while a test goes on. */
const longCalls = calls.map((call) => behaving(call.name, call.class, { limitMs: 120_000 }));

let troupe: Troupe | undefined;
let fatal: string | undefined;

function open(opening: Opening): Promise<Troupe> {
  const { store, as = 'host', graceMs, killAt, stopAt, watchdog } = opening;
  let passed = 0;
  let hasStopped = false;
  const boundary = (at: Boundary): void => {
    if (at === killAt?.boundary && ++passed === killAt.count) process.kill(process.pid, 'SIGKILL');
    if (at !== stopAt || hasStopped) return;
    hasStopped = true;
    process.kill(process.pid, 'SIGSTOP');
  };
  return openTroupe({
    store,
    ...(as === 'host' ? { machines: knownMachines, calls: longCalls, boundary } : {}),
    ...(as === 'readonly' ? { readonly: true } : {}),
    ...(graceMs === undefined ? {} : { graceMs }),
    ...(watchdog ? { startWatchdog: () => startWatchdog({ log: pino(), ...watchdog }) } : {}),
    onFatal: (error) => {
      fatal = (error as { readonly code?: string }).code ?? error.message;
    },
  });
}

function opened(): Troupe {
  if (troupe === undefined) throw new Error('nothing is open');
  return troupe;
}

const methods: Readonly<Record<string, (...args: never[]) => unknown>> = {
  open: async (opening: Opening) => {
    troupe = await open(opening);
    return troupe.store;
  },
  spawn: async (machine: string, id: string, input: unknown) => {
    const definition = knownMachines.find(({ name }) => name === machine);
    if (definition === undefined) throw new Error(`no machine '${machine}'`);
    return (await opened().spawn(definition, { id, input: input as never })).address;
  },
  send: (address: string, event: { type: string }, messageId?: string) =>
    opened().send(address, event, messageId === undefined ? {} : { messageId }),
  get: (address: string) => opened().get(address),
  list: () => opened().list({ limit: 1_000 }),
  /** The states of an actor's changes, up to this one. */
  watch: async (address: string, until: string) => {
    const states: unknown[] = [];
    for await (const { state } of opened().watch(address, { after: 0 })) {
      states.push(state);
      if (state === until) break;
    }
    return states;
  },
  close: () => opened().close(),
  /** Forgets the Troupe, so that nothing but itself keeps it alive. */
  forget: () => {
    troupe = undefined;
  },
  /** Starts a watchdog and lets go of everything else that keeps a process alive. */
  watchAlone: () => {
    startWatchdog({ log: pino() });
    process.channel?.unref();
  },
  collectGarbage: () => globalThis.gc?.(),
  fatal: () => fatal,
  /** What a careless library does: opens a file of the store and closes it. */
  touch: (file: string) => closeSync(openSync(file, 'r+')),
  chdir: (folder: string) => process.chdir(folder),
};

process.on('message', (request: Request) => {
  void answer(request).then((reply) => process.send?.(reply));
});

// V9: what a host's program does with the signals of its user.
let signals = 0;
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.on(signal, () => {
    signals++;
    if (signals > 1) process.exit(130);
    void troupe?.close().then(() => process.exit(0));
  });
}

async function answer({ id, method, args }: Request): Promise<Reply> {
  try {
    const run = methods[method];
    if (run === undefined) throw new Error(`no method '${method}'`);
    const result: unknown = await run(...(args as never[]));
    return { id, result };
  } catch (error) {
    const { code = 'threw', message } = error as {
      readonly code?: string;
      readonly message: string;
    };
    return { id, error: { code, message } };
  }
}
