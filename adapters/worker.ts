// Worker entry: what a worker thread runs, one call at a time (C2). It answers with JSON text, never with an object,
// so that nothing but data can come back.

import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { MessagePort } from 'node:worker_threads';
import type { CallContext, CallFunction } from './contract.ts';

/** One call on its way into a thread. The port carries the abort inwards and log lines outwards. */
export interface WorkerTask {
  readonly module: string;
  readonly input: unknown;
  readonly callId: string;
  readonly attempt: number;
  readonly idempotencyKey: string;
  /** An answer with more JSON than this is malformed: the host's thread is not held up by reading it. Characters. */
  readonly answerCharactersMax: number;
  readonly port: MessagePort;
}

export type WorkerAnswer =
  | { readonly kind: 'answered'; readonly json: string | undefined }
  | { readonly kind: 'malformed'; readonly why: string }
  | {
      readonly kind: 'threw';
      readonly error: {
        readonly code: string;
        readonly message: string;
        readonly outcome?: 'failed';
        readonly details?: string;
      };
    };

/** A log line of a call. */
export interface WorkerLog {
  readonly message: string;
  readonly details: string | undefined;
}

const loaded = new Map<string, CallFunction>();

export default async function runTask(task: WorkerTask): Promise<WorkerAnswer> {
  const controller = new AbortController();
  task.port.once('message', () => controller.abort());
  try {
    const run = await load(task.module);
    return toAnswer(
      await run(task.input, contextOf(task, controller.signal)),
      task.answerCharactersMax,
    );
  } catch (thrown) {
    return { kind: 'threw', error: describe(thrown, task.answerCharactersMax) };
  } finally {
    task.port.close();
  }
}

async function load(module: string): Promise<CallFunction> {
  const known = loaded.get(module);
  if (known !== undefined) return known;
  let run: unknown;
  try {
    run = (await importModule(module)).default;
  } catch (error) {
    throw notLoaded(`The module ${module} does not load: ${messageOf(error)}`);
  }
  if (typeof run !== 'function') {
    throw notLoaded(`The module ${module} has no function as its default export.`);
  }
  loaded.set(module, run as CallFunction);
  return run as CallFunction;
}

/**
 * On Node 20 tsx serves `require` in a worker thread, but not `import()` (tsx 4.23, found by trying it), so TypeScript
 * goes that way when no other loader takes it.
 */
async function importModule(module: string): Promise<{ readonly default?: unknown }> {
  try {
    return (await import(module)) as { readonly default?: unknown };
  } catch (error) {
    if ((error as { readonly code?: string }).code !== 'ERR_UNKNOWN_FILE_EXTENSION') throw error;
    return createRequire(import.meta.url)(fileURLToPath(module)) as { readonly default?: unknown };
  }
}

/** A module that does not load has done nothing: that is certain. */
function notLoaded(message: string): Error {
  return Object.assign(new Error(message), { code: 'call_module_invalid', outcome: 'failed' });
}

function contextOf(task: WorkerTask, signal: AbortSignal): CallContext {
  return {
    callId: task.callId,
    attempt: task.attempt,
    idempotencyKey: task.idempotencyKey,
    signal,
    log: (message, details) => {
      const line: WorkerLog = { message, details: toJson(details) };
      task.port.postMessage(line);
    },
  };
}

function toAnswer(output: unknown, charactersMax: number): WorkerAnswer {
  let json: string | undefined;
  try {
    json = JSON.stringify(output, refuseLoss) as string | undefined;
  } catch (error) {
    return { kind: 'malformed', why: messageOf(error) };
  }
  return json === undefined || json.length <= charactersMax
    ? { kind: 'answered', json }
    : {
        kind: 'malformed',
        why: `it has ${json.length} characters; at most ${charactersMax} are taken`,
      };
}

/** A replacer that stops at what JSON would drop or change without a word. Properties that are undefined may go. */
function refuseLoss(this: unknown, key: string, part: unknown): unknown {
  // The holder still has what toJSON has replaced in `part`.
  const value = (this as Readonly<Record<string, unknown>>)[key];
  const found = lossOf(value, Array.isArray(this));
  if (found === undefined) return part;
  throw new TypeError(`${key === '' ? 'it' : `'${key}'`} is ${found}`);
}

function lossOf(value: unknown, isInArray: boolean): string | undefined {
  switch (typeof value) {
    case 'function':
    case 'symbol':
    case 'bigint':
      return `a ${typeof value}`;
    case 'number':
      return Number.isFinite(value) ? undefined : String(value);
    case 'undefined':
      return isInArray ? 'undefined in an array' : undefined;
    case 'object':
      return isPlain(value) ? undefined : `a ${value?.constructor?.name || 'object of a class'}`;
    default:
      return undefined;
  }
}

function isPlain(value: object | null): boolean {
  if (value === null || Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function describe(
  thrown: unknown,
  charactersMax: number,
): Extract<WorkerAnswer, { kind: 'threw' }>['error'] {
  const { code, outcome, details } = (
    typeof thrown === 'object' && thrown !== null ? thrown : {}
  ) as Record<string, unknown>;
  const json = toJson(details);
  return {
    code: typeof code === 'string' ? code.slice(0, charactersMax) : 'threw',
    message: messageOf(thrown).slice(0, charactersMax),
    ...(outcome === 'failed' ? { outcome } : {}),
    ...(json === undefined || json.length > charactersMax ? {} : { details: json }),
  };
}

function messageOf(thrown: unknown): string {
  const { message } = Object(thrown) as { readonly message?: unknown };
  return typeof message === 'string' ? message : textOf(thrown);
}

function toJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    // Circular or a bigint: a log line or an error without its details is better than none.
    return undefined;
  }
}

/** Whatever was thrown has some text: an object without a prototype has none of its own. */
function textOf(thrown: unknown): string {
  try {
    return String(thrown);
  } catch {
    return `something of type ${typeof thrown} that has no text`;
  }
}
