// Scripted pool: calls that do what the test says, when it says so. Nothing runs on a thread.

import type {
  Attempt,
  AttemptEnd,
  CallPool,
  Cut,
  RunningAttempt,
  ThrownData,
} from '../../actors/index.ts';

/** One attempt that the engine has started. The first of answer, throw, cut and kill ends it; later ones do nothing. */
export interface ScriptedAttempt {
  readonly callId: string;
  /** The call's name; of a machine's own promise `<machine>.<source>`. */
  readonly source: string;
  /** From 1. */
  readonly attempt: number;
  readonly idempotencyKey: string;
  readonly input: unknown;
  /** The engine has asked it to stop. */
  readonly isAborted: boolean;
  readonly isEnded: boolean;
  /** Answers. The output is checked by the call's schema, as any other. */
  answer(output?: unknown): void;
  /** Throws inside the function. */
  throw(error: ThrownData): void;
  /** Ends it from outside. */
  cut(by: Cut, why?: string): void;
  /** What a promise that was given up answers in the end. */
  answerLate(output?: unknown): void;
}

export interface ScriptedPoolOptions {
  /** Called for every attempt when it starts, for a test that answers by a rule. */
  readonly onStart?: (attempt: ScriptedAttempt) => void;
}

export interface ScriptedPool extends CallPool {
  /** Every attempt that was started, in order. */
  readonly started: readonly ScriptedAttempt[];
  /** Those that have not ended. */
  readonly running: readonly ScriptedAttempt[];
  /** The newest attempt of a call by its source. @throws {Error} when none was started. */
  newest(source: string): ScriptedAttempt;
}

/** A pool under the control of a test. It may serve one host after the other. */
export function scriptedPool(options: ScriptedPoolOptions = {}): ScriptedPool {
  const started: Scripted[] = [];
  return {
    started,
    get running() {
      return started.filter(({ isEnded }) => !isEnded);
    },
    newest: (source) => {
      const found = started.findLast((attempt) => attempt.source === source);
      if (found !== undefined) return found;
      const names = started.map((attempt) => attempt.source).join(', ') || 'none';
      throw new Error(`no call '${source}' was started (started: ${names})`);
    },
    start: (attempt) => {
      const scripted = new Scripted(attempt);
      started.push(scripted);
      options.onStart?.(scripted);
      return scripted.running;
    },
    close: async () => {
      for (const attempt of started) attempt.cut('thread_ended', 'the pool was closed');
    },
  };
}

class Scripted implements ScriptedAttempt {
  readonly callId: string;
  readonly source: string;
  readonly attempt: number;
  readonly idempotencyKey: string;
  readonly input: unknown;
  readonly running: RunningAttempt;
  isAborted = false;
  isEnded = false;
  private settle: (end: AttemptEnd) => void = () => {};
  private settleLate: (end: AttemptEnd) => void = () => {};

  constructor({ callId, spec, attempt, idempotencyKey, input }: Attempt) {
    this.callId = callId;
    this.source = spec.key;
    this.attempt = attempt;
    this.idempotencyKey = idempotencyKey;
    this.input = input;
    this.running = {
      end: new Promise((resolve) => {
        this.settle = resolve;
      }),
      late: new Promise((resolve) => {
        this.settleLate = resolve;
      }),
      abort: () => {
        this.isAborted = true;
      },
      kill: () => this.cut('thread_ended', 'its thread was ended'),
    };
  }

  answer(output?: unknown): void {
    this.end({ kind: 'answered', output });
  }

  throw(error: ThrownData): void {
    this.end({ kind: 'threw', error });
  }

  cut(by: Cut, why = 'the test cut it'): void {
    this.end({ kind: 'cut', by, why });
  }

  answerLate(output?: unknown): void {
    this.settleLate({ kind: 'answered', output });
  }

  private end(end: AttemptEnd): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.settle(end);
  }
}
