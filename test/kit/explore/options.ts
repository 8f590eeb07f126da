// Options: what an exploration is told, and what it reports.

import type { ContextFrom } from 'xstate';
import type {
  ActorAddress,
  AnyCallDefinition,
  AnyMachineDefinition,
} from '../../../actors/index.ts';
import type { Effect, MachineEvent } from '../../../actors/step/index.ts';
import type { Coverage } from './coverage.ts';
import type { Path } from './path.ts';
import type { Stimulus } from './stimulus.ts';

/** States that are looked at, when the exploration is not told. */
export const STATES_MAX = 20_000;

/** Live timers of one id with which a state is still looked at. */
export const TIMERS_OF_ONE_ID_MAX = 2;

/** Messages of an actor to itself that may wait while something else comes first. */
export const MAILBOX_MAX = 3;

/** Any XState machine: what is wrapped by `defineMachine`, or bare. */
export type Explorable = AnyMachineDefinition | AnyMachineDefinition['machine'];

/** The context of what is explored. */
export type ContextOf<TExplorable> = TExplorable extends {
  readonly machine: infer TMachine extends AnyMachineDefinition['machine'];
}
  ? ContextFrom<TMachine>
  : TExplorable extends AnyMachineDefinition['machine']
    ? ContextFrom<TExplorable>
    : unknown;

/** An actor between two steps, as invariants see it. Plain JSON; a copy. */
export interface ExploredState<TContext = unknown> {
  readonly status: 'active' | 'done' | 'error' | 'stopped';
  readonly value: unknown;
  readonly context: TContext;
  readonly tags: readonly string[];
  readonly output: unknown;
  readonly error: unknown;
  /** Live timers, in the order in which they were armed. `delayMs` counts from there. */
  readonly timers: readonly { readonly id: string; readonly delayMs: number }[];
  /** Calls that were ordered and have not answered. */
  readonly calls: readonly {
    readonly id: string;
    readonly source: string;
    readonly input: unknown;
  }[];
  /** Children that are machines and have not ended. */
  readonly children: readonly {
    readonly id: string;
    readonly source: string;
    readonly input: unknown;
  }[];
  /** What it has sent to itself and not taken yet, oldest first. */
  readonly mailbox: readonly MachineEvent[];
}

/** The step that led to a state. */
export interface Edge<TContext = unknown> {
  /** Undefined at the birth. */
  readonly before: ExploredState<TContext> | undefined;
  readonly stimulus: Stimulus;
  /** What the step ordered. */
  readonly effects: readonly Effect[];
}

/**
 * What must hold in every state, however it was reached: it is asked after every step, also of those that lead to a state
 * seen before. `false`, or a text that says why, is a finding, and so is what it throws.
 */
export type Invariant<TContext = unknown> = (
  state: ExploredState<TContext>,
  edge: Edge<TContext>,
) => boolean | string;

export interface ExploreOptions<TContext = unknown> {
  /** The input of the birth, checked by the machine's schema. Default undefined. Not beside `inputs`. */
  readonly input?: unknown;
  /** Several births instead of one; at least one. Not beside `input`. */
  readonly inputs?: readonly unknown[];
  /**
   * Events from outside, each with its payload variants; or a function that says which may come in a state. Default: one
   * without payload for each type that the machine names in an `on`. One that no state knows is refused.
   */
  readonly events?:
    | readonly MachineEvent[]
    | ((state: ExploredState<TContext>) => readonly MachineEvent[]);
  /** What a call or child machine may answer, by source. Default: one `undefined`. It must fit the call's or the child's output schema. */
  readonly results?: Readonly<Record<string, readonly unknown[]>>;
  /** What a call or child machine may fail with, by source. Default: by the class of the call, each outcome that Troupe can report; one error for a child. */
  readonly errors?: Readonly<Record<string, readonly unknown[]>>;
  readonly invariants?: Readonly<Record<string, Invariant<TContext>>>;
  /**
   * What of the context tells states apart, as JSON. Default: all of it. Times and random ids that were made by steps
   * count only by where they are equal, or no state would be met twice: a machine that decides by how much time lies between
   * two of them is told apart by what this adds, such as `isOverdue`.
   */
  readonly abstract?: (context: TContext) => unknown;
  /** States from which nothing is tried any more. */
  readonly until?: (state: ExploredState<TContext>) => boolean;
  /** What is meant to be so and no finding. How often it was met is said: `notes`. Default: none. */
  readonly accepts?: readonly AcceptableKind[];
  /** States at most. From 1; default 20_000. What is left out is said: `limits`. */
  readonly statesMax?: number;
  /** Steps of the longest path. From 1; default: no limit. */
  readonly depthMax?: number;
  /** The actor's parent, for machines that send to theirs. Default: none. */
  readonly parent?: ActorAddress;
  /** Further machines and calls of the host: children that are registered themselves, calls that several machines name. */
  readonly machines?: readonly AnyMachineDefinition[];
  readonly calls?: readonly AnyCallDefinition[];
  /** Called each time 250 more states have been looked at. */
  readonly onProgress?: (progress: ExploreProgress) => void;
}

export interface ExploreProgress {
  /** States found. */
  readonly states: number;
  /** Of these, not looked at yet. */
  readonly queue: number;
  readonly steps: number;
}

/** What was found: see `ExploreFinding.message` for what to do about it. */
export type FindingKind =
  /** An invariant does not hold. */
  | 'invariant'
  /** Machine code threw, or did what a step refuses: the actor would be stuck. */
  | 'threw'
  /** A step from the stored text is another one than from the actor in memory. */
  | 'restore_differs'
  /** Nothing can move the actor any more, and it has not ended. */
  | 'dead_end'
  /** A timer fires where no state knows its event. */
  | 'stray_timer'
  /** What a call or child failed with ends the actor. */
  | 'unhandled_error'
  /** The answer of an arming that is gone moved the actor. */
  | 'late_moved';

/** Findings that may be meant: the others are always mistakes. */
export type AcceptableKind = (typeof ACCEPTABLE_KINDS)[number];

export const ACCEPTABLE_KINDS = ['dead_end', 'stray_timer', 'unhandled_error'] as const;

export interface ExploreFinding {
  readonly kind: FindingKind;
  readonly message: string;
  /** The state value where it was found; null before the first step. */
  readonly state: unknown;
  /** The shortest way there: what happened, from the birth on. */
  readonly path: Path;
}

/** Why an exploration is not complete. */
export type ExploreLimit =
  /** Every birth failed: there was no state to look at. */
  | 'birth'
  /** More states than `statesMax`. */
  | 'states'
  /** Longer paths than `depthMax`. */
  | 'depth'
  /** A timer was armed again and again while earlier ones of its id were live: from 3 of them on nothing more was tried. */
  | 'timers'
  /** More than 3 messages of an actor to itself waited: then they came before anything else. */
  | 'mailbox'
  /** Events of the machine were not tried: their payload is not known. */
  | 'events'
  /** Calls or children never answered: what they answer is not known. */
  | 'results';

export interface ExploreReport {
  readonly machine: string;
  /** Of one kind at one place the shortest one. */
  readonly findings: readonly ExploreFinding[];
  /** True when every state that these stimuli can reach was looked at. */
  readonly isComplete: boolean;
  readonly limits: readonly ExploreLimit[];
  /** What the limits were about, for people. */
  readonly notes: readonly string[];
  readonly states: number;
  /** Steps that were taken, each from memory and from the stored text. */
  readonly steps: number;
  /** Late and doubled answers that were tried. */
  readonly late: number;
  /** Steps of the longest of the shortest paths, the birth included. */
  readonly depth: number;
  readonly coverage: Coverage;
}
