// Cli: the built binary in processes of its own.

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { until } from '../../kit/index.ts';

const BINARY = fileURLToPath(new URL('../../../dist/hosts/cli/main.js', import.meta.url));

/** Past it a command is taken for stuck. Milliseconds. */
const COMMAND_LIMIT_MS = 20_000;

export interface CommandEnd {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunningCommand {
  readonly process: ChildProcess;
  readonly ended: Promise<CommandEnd>;
  /** Settles when stdout holds the text. */
  prints(text: string): Promise<void>;
  /** Settles when stderr holds the text. */
  says(text: string): Promise<void>;
}

export interface CommandOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** What the command reads from stdin. */
  readonly stdin?: string;
}

const running = new Set<ChildProcess>();

/** Runs a command to its end. */
export function troupe(args: readonly string[], options?: CommandOptions): Promise<CommandEnd> {
  return startTroupe(args, options).ended;
}

export function startTroupe(
  args: readonly string[],
  { cwd, env = {}, stdin = '' }: CommandOptions = {},
): RunningCommand {
  const child = spawn(process.execPath, [BINARY, ...args], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  running.add(child);
  child.stdin.end(stdin);
  const written = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => {
    written.stdout += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    written.stderr += chunk.toString();
  });
  const limit = setTimeout(() => child.kill('SIGKILL'), COMMAND_LIMIT_MS);
  const ended = new Promise<CommandEnd>((resolve) => {
    child.once('close', (code) => {
      clearTimeout(limit);
      running.delete(child);
      resolve({ code, ...written });
    });
  });
  const holds = async (stream: 'stdout' | 'stderr', text: string): Promise<void> => {
    const seen = () => written[stream].includes(text) || child.exitCode !== null;
    await until(seen, { what: `'${text}' on ${stream}` });
    if (written[stream].includes(text)) return;
    throw new Error(`no '${text}' on ${stream}, but: ${written.stdout}${written.stderr}`);
  };
  return {
    process: child,
    ended,
    prints: (text) => holds('stdout', text),
    says: (text) => holds('stderr', text),
  };
}

/** Runs a line of bash, in which `"$NODE" "$TROUPE"` is the command. @returns what it prints. */
export async function shell(
  line: string,
  env: Readonly<Record<string, string>>,
  cwd: string,
): Promise<string> {
  const { stdout } = await promisify(execFile)('bash', ['-c', line], {
    cwd,
    env: { ...process.env, NODE: process.execPath, TROUPE: BINARY, ...env },
    timeout: COMMAND_LIMIT_MS,
  });
  return stdout;
}

/** For afterEach: ends what a failed test has left. */
export function endAll(): void {
  for (const child of running) child.kill('SIGKILL');
}

/** The path of a module of these tests. */
export function moduleFile(name: string): string {
  return fileURLToPath(new URL(`../modules/${name}`, import.meta.url));
}
