// World: where the calls of a simulation go, and what the outside does with them. Every effect is in the ledger.

import type { Attempt, CallPool } from '../../../actors/index.ts';
import type { FaultPlan } from './faults.ts';
import type { Ledger } from './ledger.ts';
import type { Random } from './random.ts';
import { randomOf } from './random.ts';
import type { Owner, Timeline } from './timeline.ts';
import { WorldAttempt } from './world-attempt.ts';

/** What a simulated call knows when it does its work outside. */
export interface Outside {
  readonly callId: string;
  readonly attempt: number;
  /** The same for every attempt of a call. */
  readonly idempotencyKey: string;
  /** Times that this call has reached the outside before: more than 0 only for a repetition. */
  readonly reachedBefore: number;
  readonly random: Random;
}

/** What the outside does with a request. What it throws is what the function throws; `outcome: 'failed'` says that nothing happened. */
export type SimulatedCall = (input: unknown, outside: Outside) => unknown;

export interface WorldParts {
  readonly timeline: Timeline;
  readonly faults: FaultPlan;
  readonly ledger: Ledger;
  readonly seed: string;
  readonly calls: Readonly<Record<string, SimulatedCall>>;
  /** Whether the claim of an attempt by this host is on disk now. */
  readonly isClaimed: (callId: string, attempt: number, host: string) => boolean;
  /** Called when an answer is about to come in. */
  readonly onReply: (callId: string) => void;
}

export class World {
  readonly parts: WorldParts;
  readonly random: Random;
  private readonly reached = new Map<string, number>();

  constructor(parts: WorldParts) {
    this.parts = parts;
    this.random = randomOf(`${parts.seed}/world`);
  }

  /** Where the calls of one process run. */
  poolOf(process: SimulatedProcess): CallPool & { crash(): void } {
    const running = new Set<WorldAttempt>();
    return {
      start: (attempt) => {
        const started = new WorldAttempt(this, process, attempt, () => running.delete(started));
        running.add(started);
        started.begin();
        return started;
      },
      close: async () => {
        for (const attempt of running) attempt.kill();
      },
      crash: () => {
        for (const attempt of running) attempt.crash();
      },
    };
  }

  /** The outside does what it was asked. @throws what the simulated call throws. */
  reach(attempt: Attempt, process: SimulatedProcess): unknown {
    const { callId, spec, idempotencyKey } = attempt;
    const reachedBefore = this.reached.get(callId) ?? 0;
    const call = this.parts.calls[spec.key];
    const outside = {
      callId,
      attempt: attempt.attempt,
      idempotencyKey,
      reachedBefore,
      random: this.random,
    };
    const output = call?.(attempt.input, outside);
    // Only what did not throw has happened.
    this.reached.set(callId, reachedBefore + 1);
    this.parts.ledger.note('reached', attempt, process.number);
    return output;
  }
}

export interface SimulatedProcess extends Owner {
  /** Counted from 1. */
  readonly number: number;
  /** The name of its host in the store. */
  readonly incarnation: string;
}
