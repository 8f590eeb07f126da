// Options: what a simulation is told, and what it reports.

import type { AnyCallDefinition, AnyMachineDefinition, Boundary } from '../../../actors/index.ts';
import type { MachineEvent } from '../../../actors/step/index.ts';
import type { FaultRates, InjectedFault, ScriptedFault } from './faults.ts';
import type { LedgerEntry } from './ledger.ts';
import type { Random } from './random.ts';
import type { SimulatedCall } from './world.ts';

/** Rows of the journal after which a run ends, when it is not told. */
export const STEPS = 400;

/** Hosts on one store at most. */
export const HOSTS_MAX = 8;

/**
 * What is outside of the actors: who asks them for something, and where their calls go. Its functions may remember what they
 * did, so one world serves one run: make a new one for each seed.
 */
export interface SimulatedWorld {
  /** What the outside does for each call, by the call's name; of a machine's own promise by `<machine>.<source>`. Default: it answers undefined. */
  readonly calls?: Readonly<Record<string, SimulatedCall>>;
  /** A new actor, with an input that its machine's schema takes. Default: one of the machines that take no input, at random. */
  readonly spawn?: (random: Random) => {
    readonly machine: AnyMachineDefinition;
    readonly input?: unknown;
  };
  /**
   * Events that an actor of a machine may be sent from outside, by the machine's name, each with its payload variants. The
   * machine's schema must take them. Default: none.
   */
  readonly events?: Readonly<Record<string, readonly MachineEvent[]>>;
  /** Actors at a time that are asked for something. From 1; default 8. One that has ended or is stuck makes room for another. */
  readonly actorsMax?: number;
}

export interface SimulateOptions {
  /** Everything follows from it: the same seed and code give the same run. */
  readonly seed: number | string;
  /** At least one. */
  readonly machines: readonly AnyMachineDefinition[];
  /** Calls that several machines name. Default: none but those of the machines. */
  readonly calls?: readonly AnyCallDefinition[];
  readonly world?: SimulatedWorld;
  /** Rates of faults, 0–1; default `FAULT_RATES`. Those that are left out keep their default. */
  readonly faults?: Partial<FaultRates>;
  /** Faults at given occasions, counted from 1, besides those by chance. Default: none. An occasion that never came is noted. */
  readonly script?: readonly ScriptedFault[];
  /** Rows of the journal after which the run ends: steps of actors, and what came too late to be one. From 1; default 400. */
  readonly steps?: number;
  /** Hosts that step the store beside each other, 1–8; default 1. Each is started again when it has ended. */
  readonly hosts?: number;
  /** Where the store is: `memory` is fast, `file` uses SQLite's files and locks. Default `memory`. */
  readonly store?: 'memory' | 'file';
  /** Ends the run: it throws the signal's reason. */
  readonly signal?: AbortSignal;
}

/** Something that must not be. */
export interface SimulationFinding {
  /** The check that found it. */
  readonly check: string;
  /** The rule that it breaks. */
  readonly rule: string;
  readonly message: string;
}

export interface SimulationReport {
  readonly seed: string;
  /** Empty when all is well. */
  readonly findings: readonly SimulationFinding[];
  /** What is no finding and yet limits what the run says: why it ended early, what was not checked. For people. */
  readonly notes: readonly string[];
  /** Steps that actors have taken while things went wrong; those of the rest afterwards are not counted. */
  readonly steps: number;
  /** What went wrong by intent, in order. As a script with all rates 0 it goes wrong again. */
  readonly injected: readonly InjectedFault[];
  /** False when machines never rest after the last fault: then it is not checked what they wait for and how a host leaves. */
  readonly isAtRest: boolean;
  /** Lives of hosts. */
  readonly processes: number;
  /** Boundaries at which a process could have died, by name. */
  readonly boundaries: Readonly<Partial<Record<Boundary, number>>>;
  /** Simulated time that passed. Milliseconds. */
  readonly passedMs: number;
  /** Actors by status. */
  readonly actors: Readonly<Record<string, number>>;
  readonly ledger: readonly LedgerEntry[];
  /** SHA-256 of the journal: equal for equal runs. */
  readonly digest: string;
}
