// Faults: what goes wrong in a simulation, by probability or by script, and what did go wrong.

import type { Random } from './random.ts';

/** How likely each fault is at each occasion, 0–1. */
export interface FaultRates {
  /** The process ends at a boundary of a commit, of an opening or of a leaving: an occasion at each of them. */
  readonly crash: number;
  /** A commit fails and nothing of it is there. */
  readonly commitLost: number;
  /** A commit fails, and all of it is there. */
  readonly commitKept: number;
  /** The disk is full for a while: an occasion at each transaction. */
  readonly diskFull: number;
  /** Another process has the store for a moment. */
  readonly busy: number;
  /** The wall clock is changed: an occasion at each action from outside. */
  readonly clockJump: number;
  /** The host closes by itself: an occasion at each action from outside. */
  readonly shutdown: number;
  /** A host stands still for a while, alive and with its locks: an occasion at each action from outside. */
  readonly suspended: number;
  /** The outside does what it was asked, and its answer is lost. */
  readonly replyLost: number;
  /** The answer comes after the call's time limit. */
  readonly replyLate: number;
  /** The answer comes twice. */
  readonly replyDoubled: number;
  /** The outside does what it was asked, and the answer cannot be read. */
  readonly replyMalformed: number;
  /** A thread hangs, before or after the outside has done what it was asked. */
  readonly threadStalled: number;
  /** A thread ends, before or after the outside has done what it was asked. */
  readonly threadDied: number;
  /** The function throws: it says that nothing happened, or it does not know. */
  readonly callThrew: number;
}

export type FaultName = keyof FaultRates;

/** One fault of a script: at the n-th occasion of its kind, counted from 1. */
export interface ScriptedFault {
  readonly fault: FaultName;
  readonly occasion: number;
}

/** One fault that happened. Repeated as a script, it happens again. */
export interface InjectedFault extends ScriptedFault {
  /** Milliseconds that had passed. */
  readonly passedMs: number;
  /** Where: the boundary, or the call. */
  readonly where: string;
}

/** Rates that hold when a simulation names none: a bad day. */
export const FAULT_RATES: FaultRates = {
  crash: 0.004,
  commitLost: 0.002,
  commitKept: 0.002,
  diskFull: 0.002,
  busy: 0.01,
  clockJump: 0.02,
  shutdown: 0.01,
  suspended: 0.02,
  replyLost: 0.04,
  replyLate: 0.03,
  replyDoubled: 0.05,
  replyMalformed: 0.04,
  threadStalled: 0.04,
  threadDied: 0.04,
  callThrew: 0.06,
};

/** Nothing goes wrong. */
export const NO_FAULTS: FaultRates = Object.freeze(
  Object.fromEntries(Object.keys(FAULT_RATES).map((name) => [name, 0])),
) as unknown as FaultRates;

export class FaultPlan {
  readonly injected: InjectedFault[] = [];
  /** From the end of the run on nothing goes wrong any more. */
  isOver = false;
  private readonly rates: FaultRates;
  private readonly script: ReadonlyMap<string, ScriptedFault>;
  private readonly random: Random;
  private readonly passedMs: () => number;
  private readonly occasions = new Map<FaultName, number>();

  constructor(
    rates: FaultRates,
    script: readonly ScriptedFault[],
    random: Random,
    passedMs: () => number,
  ) {
    this.rates = rates;
    this.script = new Map(script.map((scripted) => [keyOf(scripted), scripted]));
    this.random = random;
    this.passedMs = passedMs;
  }

  /** Faults of the script whose occasion has not come. */
  get missedOccasions(): readonly ScriptedFault[] {
    return [...this.script.values()].filter(
      ({ fault, occasion }) => occasion > (this.occasions.get(fault) ?? 0),
    );
  }

  /** One occasion of a fault. @returns whether it happens. */
  happens(fault: FaultName, where: string): boolean {
    if (this.isOver) return false;
    const occasion = (this.occasions.get(fault) ?? 0) + 1;
    this.occasions.set(fault, occasion);
    // Drawn in any case: a script must not change what else is drawn.
    const isDrawn = this.random.chance(this.rates[fault]);
    if (!isDrawn && !this.script.has(keyOf({ fault, occasion }))) return false;
    this.injected.push({ fault, occasion, passedMs: this.passedMs(), where });
    return true;
  }
}

function keyOf({ fault, occasion }: ScriptedFault): string {
  return `${fault}#${occasion}`;
}
