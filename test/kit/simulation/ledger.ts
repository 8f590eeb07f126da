// Ledger: what really happened outside, written by the outside itself, never by the engine.

import type { Attempt } from '../../../actors/index.ts';

/**
 * `started`: a host began an attempt; `reached`: the outside did what it was asked; `ended`: the attempt's thread ended, or
 * with it its host.
 */
export interface LedgerEntry {
  readonly what: 'started' | 'reached' | 'ended';
  readonly callId: string;
  readonly attempt: number;
  readonly class: Attempt['spec']['class'];
  /** The incarnation of the process, counted from 1. */
  readonly process: number;
  readonly passedMs: number;
  /** Of `started`: whether the claim of this very attempt was on disk. */
  readonly wasClaimed?: boolean;
  /** Of `ended`, when it ended with an answer. */
  readonly output?: unknown;
}

export class Ledger {
  readonly entries: LedgerEntry[] = [];
  private readonly passedMs: () => number;

  constructor(passedMs: () => number) {
    this.passedMs = passedMs;
  }

  note(
    what: LedgerEntry['what'],
    { callId, attempt, spec }: Attempt,
    process: number,
    facts: Pick<LedgerEntry, 'wasClaimed' | 'output'> = {},
  ): void {
    this.entries.push({
      what,
      callId,
      attempt,
      class: spec.class,
      process,
      passedMs: this.passedMs(),
      ...facts,
    });
  }
}
