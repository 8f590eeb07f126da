// Process: starts programs that open a store, asks them, kills them, and looks at what they left.

import { type ChildProcess, fork } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { onTestFinished } from 'vitest';
import { temporaryStore } from '../../kit/index.ts';
import type { Opening, Reply } from './program.ts';

const PROGRAM = fileURLToPath(new URL('./program.ts', import.meta.url));

/** How a process ended. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A process that has been started. It is killed when the test ends. */
export interface Program {
  readonly pid: number;
  readonly exited: Promise<Exit>;
  /** What it has written to stderr so far. */
  readonly stderr: () => string;
  /** Runs a method of the program. Rejects with `{ code, message }`, or with `died` when the process ends first. */
  ask<T = unknown>(method: string, ...args: readonly unknown[]): Promise<T>;
  signal(signal: NodeJS.Signals): void;
  /** Sends SIGKILL and waits for the end. */
  kill(): Promise<void>;
}

/** Which file is run, and how. */
export interface ProgramOptions {
  /** Default: program.ts. */
  readonly file?: string;
  /** Arguments of Node. */
  readonly nodeArgs?: readonly string[];
  /** What starts Node, with its own arguments; default: Node itself. */
  readonly under?: readonly [command: string, ...args: string[]];
}

export function startProgram({
  file = PROGRAM,
  nodeArgs = ['--expose-gc', '--import', 'tsx'],
  under,
}: ProgramOptions = {}): Program {
  const [command = process.execPath, ...args] = [...(under ?? []), process.execPath];
  const child = fork(file, [], {
    execPath: command,
    execArgv: [...args, ...nodeArgs],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const exited = new Promise<Exit>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  let stderr = '';
  child.stderr?.on('data', (part: Buffer) => {
    stderr += part.toString();
    process.stderr.write(part);
  });
  const program = {
    pid: child.pid ?? 0,
    exited,
    stderr: () => stderr,
    ...asking(child, exited),
  };
  onTestFinished(() => program.kill());
  return program;
}

function asking(
  child: ChildProcess,
  exited: Promise<Exit>,
): Pick<Program, 'ask' | 'signal' | 'kill'> {
  let asked = 0;
  const pending = new Map<number, (reply: Reply) => void>();
  child.on('message', (reply: Reply) => pending.get(reply.id)?.(reply));
  const died = exited.then(({ code, signal }) => {
    throw Object.assign(new Error(`the process has ended (${signal ?? code})`), { code: 'died' });
  });
  died.catch(() => {});
  return {
    ask: async <T>(method: string, ...args: readonly unknown[]) => {
      const id = ++asked;
      const replied = new Promise<Reply>((resolve) => pending.set(id, resolve));
      child.send({ id, method, args }, () => {});
      const { result, error } = await Promise.race([replied, died]);
      if (error) throw Object.assign(new Error(error.message), error);
      return result as T;
    },
    signal: (signal) => {
      child.kill(signal);
    },
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** A program that has the store open. */
export async function startHost(
  store: string,
  opening: Omit<Opening, 'store'> = {},
): Promise<Program> {
  const program = startProgram();
  await program.ask('open', { store, ...opening });
  return program;
}

/** A store for processes; its folder is removed when the test ends. */
export function storeForTest(): { readonly file: string; readonly folder: string } {
  const store = temporaryStore();
  onTestFinished(() => store.remove());
  return store;
}

/** Committed rows, read through a connection of its own. */
export function rowsOf<TRow = Record<string, unknown>>(file: string, sql: string): TRow[] {
  const connection = new Database(file, { readonly: true, fileMustExist: true, timeout: 5_000 });
  try {
    return connection.prepare(sql).all() as TRow[];
  } finally {
    connection.close();
  }
}

/** Writes as a foreign program would. */
export function write(file: string, sql: string): void {
  const connection = new Database(file, { fileMustExist: true, timeout: 5_000 });
  try {
    connection.exec(sql);
  } finally {
    connection.close();
  }
}

/** Lock files beside a store. */
export function lockFilesOf(file: string): string[] {
  return readdirSync(dirname(file)).filter((name) => name.startsWith(`${basename(file)}.host-`));
}
