// Ledger: what really happened outside, written by the outside itself, never by the engine.

import type { Attempt, AttemptEnd } from '../../../actors/index.ts';

/**
 * `started`: a host began an attempt; `reached`: the outside did what it was asked; `aborted`: the attempt was asked to stop;
 * `ended`: the attempt's thread ended, or with it its host.
 */
export interface LedgerEntry {
  readonly what: 'started' | 'reached' | 'aborted' | 'ended';
  readonly callId: string;
  readonly attempt: number;
  /** The call's name; of a machine's own promise `<machine>.<source>`. */
  readonly source: string;
  readonly class: Attempt['spec']['class'];
  /** The life of the host that ran it, counted from 1. */
  readonly process: number;
  readonly passedMs: number;
  /** Of `started`: whether the claim of this very attempt by this very host was on disk. */
  readonly wasClaimed?: boolean;
  /** Of `ended`. */
  readonly end?: AttemptEnd;
}

/** A transaction that a host has committed. */
export interface CommittedGroup {
  /** The life of the host, as in the ledger. */
  readonly process: number;
  readonly passedMs: number;
}

/** What a log action of a machine said. */
export interface Told {
  readonly actor: string;
  readonly value: unknown;
  /** The last journal row then. */
  readonly afterRow: number;
  /** Whether a transaction was open then: nothing may be told before its commit. */
  readonly isInTransaction: boolean;
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
    facts: Pick<LedgerEntry, 'wasClaimed' | 'end'> = {},
  ): void {
    this.entries.push({
      what,
      callId,
      attempt,
      source: spec.key,
      class: spec.class,
      process,
      passedMs: this.passedMs(),
      ...facts,
    });
  }
}
