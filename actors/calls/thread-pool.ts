// Thread pool: registered calls on worker threads, one at a time per thread, each call with threads of its own (C2).
//
// A pool for each call keeps a function that hangs from holding the threads of another. Threads are made when they are
// needed and leave when they have been idle.

import { MessageChannel } from 'node:worker_threads';
import type { Logger } from 'pino';
import { Piscina } from 'piscina';
import type { AnyCallDefinition } from '../define-call.ts';
import { parseBy } from '../issues.ts';
import { EVENT_BYTES_MAX } from '../limits.ts';
import type { Attempt, AttemptEnd, CallPool, RunningAttempt } from '../ports.ts';
import { messageOf } from '../step/index.ts';
import { startListener } from './listener.ts';
import { findModule, loaderArguments } from './module-file.ts';
import { startPromise } from './promise-pool.ts';

/** An idle thread leaves after this. Milliseconds. */
const THREAD_IDLE_MS = 30_000;

/** Heap of one thread. A call that needs more ends its thread, not the host. Megabytes. */
const THREAD_HEAP_MB = 512;

/** What the worker entry answers; see `adapters/worker.ts`. */
interface WorkerAnswer {
  readonly kind: 'answered' | 'malformed' | 'threw';
  readonly json?: string;
  readonly why?: string;
  readonly error?: {
    readonly code: string;
    readonly message: string;
    readonly outcome?: 'failed';
    readonly details?: string;
  };
}

export interface ThreadPoolOptions {
  /** The module that a worker thread runs. */
  readonly workerEntry: URL;
  readonly log: Logger;
}

export class ThreadPool implements CallPool {
  private readonly pools = new Map<string, { readonly pool: Piscina; readonly module: string }>();
  private readonly options: ThreadPoolOptions;
  /** Threads that were ended and have not ended yet: what waits in the operating system cannot be cut short. */
  private readonly ending = new Set<Promise<void>>();

  constructor(options: ThreadPoolOptions) {
    this.options = options;
  }

  /**
   * Makes the pool of a call without starting a thread, so that a missing module is found before anything is stepped.
   * @throws {TroupeError} `call_module_missing`, `loader_missing`.
   */
  prepare(call: AnyCallDefinition): void {
    if (this.pools.has(call.name)) return;
    const module = findModule(call.module, `call '${call.name}'`);
    const entry = findModule(this.options.workerEntry.href, 'the worker entry');
    // One loader serves both: a loader twice would load twice.
    const [loader] = [loaderArguments(module), loaderArguments(entry)].filter(
      ({ length }) => length > 0,
    );
    const pool = new Piscina({
      filename: entry,
      minThreads: 0,
      maxThreads: call.concurrency,
      concurrentTasksPerWorker: 1,
      idleTimeout: THREAD_IDLE_MS,
      resourceLimits: { maxOldGenerationSizeMb: THREAD_HEAP_MB },
      ...(loader ? { execArgv: [...loader] } : {}),
    });
    // A thread that ends between two calls: nobody waits for it.
    pool.on('error', (error: unknown) =>
      this.options.log.warn({ call: call.name, error: messageOf(error) }, 'a worker thread ended'),
    );
    this.pools.set(call.name, { pool, module });
  }

  start(attempt: Attempt): RunningAttempt {
    const { runs } = attempt.spec;
    if (runs.on === 'host') return startPromise(runs.create, attempt);
    if (runs.on === 'listener') return startListener(runs.listener, attempt);
    const input = parseBy(runs.call.input, attempt.input);
    if ('why' in input) return refused(attempt, input.why);
    return this.startTask(runs.call, attempt, input.data);
  }

  /** V4: settles when the last thread has really ended, for so long the host holds its lock. */
  async close(): Promise<void> {
    await Promise.all([...this.pools.values()].map(({ pool }) => pool.destroy()));
    await Promise.all(this.ending);
  }

  private startTask(call: AnyCallDefinition, attempt: Attempt, input: unknown): RunningAttempt {
    this.prepare(call);
    const prepared = this.pools.get(call.name);
    if (prepared === undefined) throw new Error(`no pool of call '${call.name}'`);
    const { port1: near, port2: far } = new MessageChannel();
    const threadEnded = new Promise<void>((resolve) => near.once('close', resolve));
    near.on('message', (line: { readonly message: string; readonly details?: string }) =>
      this.options.log.info(
        { call: call.name, callId: attempt.callId, details: line.details },
        line.message,
      ),
    );
    const killer = new AbortController();
    const task = {
      module: prepared.module,
      input,
      callId: attempt.callId,
      attempt: attempt.attempt,
      idempotencyKey: attempt.idempotencyKey,
      answerCharactersMax: EVENT_BYTES_MAX,
      port: far,
    };
    const answer: Promise<WorkerAnswer> = prepared.pool.run(task, {
      signal: killer.signal,
      transferList: [far],
    });
    const thread: TaskThread = {
      // A task that no thread has taken yet still owns its port here: closing it is then the end of it.
      ended: () => {
        far.close();
        return threadEnded;
      },
      forget: () => near.close(),
      mustEnd: attempt.spec.class === 'replayable',
    };
    return {
      end: this.endOf(answer, thread),
      abort: () => near.postMessage('abort'),
      kill: () => killer.abort(),
    };
  }

  /**
   * Waits for the answer. When the thread was ended instead, a replayable call waits until that has really happened, for
   * it runs again (C3); of any other the outcome is known at once.
   */
  private async endOf(answer: Promise<WorkerAnswer>, thread: TaskThread): Promise<AttemptEnd> {
    try {
      const end = toEnd(await answer);
      thread.forget();
      return end;
    } catch (error) {
      const ended = this.keepUntilEnded(thread);
      if (thread.mustEnd) await ended;
      return { kind: 'cut', by: 'thread_ended', why: `its thread ended (${messageOf(error)})` };
    }
  }

  private async keepUntilEnded(thread: TaskThread): Promise<void> {
    const ended = thread.ended();
    this.ending.add(ended);
    await ended;
    this.ending.delete(ended);
    thread.forget();
  }
}

/** The thread of one task, as far as its end is concerned. */
interface TaskThread {
  /** Settles when it has really ended. */
  readonly ended: () => Promise<void>;
  /** Lets go of the port to it. */
  readonly forget: () => void;
  readonly mustEnd: boolean;
}

function toEnd(answer: WorkerAnswer): AttemptEnd {
  const { error } = answer;
  if (error !== undefined) {
    const { details, ...rest } = error;
    return {
      kind: 'threw',
      error: details === undefined ? rest : { ...rest, details: JSON.parse(details) as unknown },
    };
  }
  if (answer.kind === 'malformed')
    return { kind: 'malformed', why: answer.why ?? 'it is not JSON' };
  return {
    kind: 'answered',
    output: answer.json === undefined ? undefined : (JSON.parse(answer.json) as unknown),
  };
}

/** An input that does not fit never reached a thread: that is certain. */
function refused(attempt: Attempt, why: string): RunningAttempt {
  const message = `The input of call '${attempt.spec.key}' does not fit its schema: ${why}`;
  return {
    end: Promise.resolve({
      kind: 'threw',
      error: { code: 'input_invalid', message, outcome: 'failed' },
    }),
    abort: () => {},
    kill: () => {},
  };
}
