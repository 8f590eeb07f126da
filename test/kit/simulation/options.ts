// Options: what a simulation is told, and what it reports.

import type { AnyCallDefinition, AnyMachineDefinition, Boundary } from '../../../actors/index.ts';
import type { FaultRates, InjectedFault, ScriptedFault } from './faults.ts';
import type { LedgerEntry } from './ledger.ts';
import type { Random } from './random.ts';
import type { SimulatedCall } from './world.ts';

/** What is outside of the actors: who asks them for something, and where their calls go. */
export interface SimulatedWorld {
  /** What the outside does for each call, by the call's name; of a machine's own promise by `<machine>.<source>`. Default: it answers undefined. */
  readonly calls?: Readonly<Record<string, SimulatedCall>>;
  /** A new actor. Default: each machine that takes no input in turn. */
  readonly spawn?: (random: Random) => {
    readonly machine: AnyMachineDefinition;
    readonly input?: unknown;
  };
  /** Events that an actor of a machine may be sent from outside, by the machine's name, each with its payload variants. */
  readonly events?: Readonly<Record<string, readonly { readonly type: string }[]>>;
  /** Actors at a time that are asked for something. One that has ended or is stuck makes room for another. Default 8. */
  readonly actorsMax?: number;
}

export interface SimulateOptions {
  /** Everything follows from it: the same seed and code give the same run. */
  readonly seed: number | string;
  readonly machines: readonly AnyMachineDefinition[];
  readonly calls?: readonly AnyCallDefinition[];
  readonly world?: SimulatedWorld;
  /** Rates of faults, 0–1; default `FAULT_RATES`. Those that are left out keep their default. */
  readonly faults?: Partial<FaultRates>;
  /** Faults at given occasions, besides those by chance. */
  readonly script?: readonly ScriptedFault[];
  /** Steps of actors after which the run ends. Default 400. */
  readonly steps?: number;
  /** Where the store is: `memory` is fast, `file` uses SQLite's files and locks. Default `memory`. */
  readonly store?: 'memory' | 'file';
}

/** Something that must not be. */
export interface Finding {
  /** The check that found it. */
  readonly check: string;
  /** The rule that it breaks, where there is one. */
  readonly rule: string | undefined;
  readonly message: string;
}

export interface SimulationReport {
  readonly seed: string;
  /** Empty when all is well. */
  readonly findings: readonly Finding[];
  /** Steps that actors have taken while things went wrong; those of the rest afterwards are not counted. */
  readonly steps: number;
  /** What went wrong by intent, in order. As a script with all rates 0 it goes wrong again. */
  readonly injected: readonly InjectedFault[];
  /** False when machines that never rest let no time pass after the last fault: then it is not checked what they wait for. */
  readonly isAtRest: boolean;
  /** Lives of the host. */
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
