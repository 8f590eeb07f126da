// Machines: what a host registers. A machine written for plain XState is given a version and schemas, nothing else.

import type {
  AnyActorLogic,
  AnyStateMachine,
  ContextFrom,
  EventFromLogic,
  InputFrom,
  OutputFrom,
  StateMachine,
} from 'xstate';
import type { z } from 'zod';
import { ADDRESS_CHARACTERS_MAX, TroupeError } from '../persistence/index.ts';
import type { AnyCallDefinition, CallClass, CallDefinition } from './define-call.ts';
import type { Migration } from './step/index.ts';

/** The named actors of a machine made by `setup({ actors })`, by their names. */
type ActorsOf<TMachine> =
  TMachine extends StateMachine<
    infer _C,
    infer _E,
    infer _Ch,
    infer TActor,
    infer _A,
    infer _G,
    infer _D,
    infer _S,
    infer _T,
    infer _I,
    infer _O,
    infer _Em,
    infer _M,
    infer _Co
  >
    ? TActor
    : never;

type NamedActor<TMachine, TName> = Extract<ActorsOf<TMachine>, { src: TName }>;

type LogicOf<TMachine, TName> = [NamedActor<TMachine, TName>] extends [never]
  ? never
  : NamedActor<TMachine, TName> extends { logic: infer TLogic extends AnyActorLogic }
    ? TLogic
    : never;

/** A call that fits the machine's actor of its name, or `never`, so that a misfit does not compile. */
type FittingCall<TMachine, TCall> =
  TCall extends CallDefinition<infer TName, infer TInput, infer TOutput>
    ? [LogicOf<TMachine, TName>] extends [never]
      ? never
      : InputFrom<LogicOf<TMachine, TName>> extends TInput
        ? TOutput extends OutputFrom<LogicOf<TMachine, TName>>
          ? TCall
          : never
        : never
    : never;

type FittingCalls<TMachine, TCalls extends readonly unknown[]> = {
  readonly [K in keyof TCalls]: FittingCall<TMachine, TCalls[K]>;
};

export interface MachineSchemas<TMachine extends AnyStateMachine> {
  /** Checked by `spawn` before anything is written (`invalid_input`). Its parsed value is what is stored. */
  readonly input?: z.ZodType<InputFrom<TMachine>>;
  /** Checked when a stored actor is loaded: what does not fit parks the actor. */
  readonly context?: z.ZodType<ContextFrom<TMachine>>;
  /** Checked by `send` before anything is written (`invalid_event`). Its parsed value is what is stored. */
  readonly events?: z.ZodType<EventFromLogic<TMachine>>;
  /** Checked when the machine ends: what does not fit parks the actor. */
  readonly output?: z.ZodType<OutputFrom<TMachine>>;
}

/** How a promise that the machine brings itself is treated as a call. */
export interface PromiseOptions {
  /** Default `effect`: interrupted, its outcome is unknown (C3, C5). Only a call on a thread of its own can be replayable. */
  readonly class?: Exclude<CallClass, 'replayable'>;
  /** Longest time of one attempt. Milliseconds, 1_000–120_000; default 30_000. */
  readonly limitMs?: number;
}

export interface MachineOptions<
  TMachine extends AnyStateMachine,
  TCalls extends readonly unknown[],
> {
  /** An XState 5 machine with an id of its own. Nothing of Troupe is imported inside it. */
  readonly machine: TMachine;
  /**
   * A whole number from 1. Raise it when stored actors would read the new machine differently: another chart, another form of
   * the context, functions that do something else. Another chart under the same version is refused (`machine_changed`).
   */
  readonly version: number;
  readonly schemas?: MachineSchemas<TMachine>;
  /** Registered calls; each replaces the machine's actor of its name and must fit its types. */
  readonly calls?: TCalls & FittingCalls<TMachine, TCalls>;
  /** Promises that stay on the host's thread, by source name. */
  readonly promises?: Readonly<Record<string, PromiseOptions>>;
  /** Refuses custom actions (named or inline functions): they are notifications, at most once (K8). Default false. */
  readonly strict?: boolean;
  /**
   * From each earlier version to the next one, without a gap up to `version`: `{ 1: (stored) => ({ ...stored, … }) }` makes
   * an actor of version 1 one of version 2. Run with the actor's next step; an actor of a version without one is parked
   * (`migration_missing`).
   */
  readonly migrations?: Readonly<Record<number, Migration>>;
  /**
   * The same for children that only this machine names and that have its version, by source (`upload`, below it
   * `upload.part`). Those whose chart has not changed need none.
   */
  readonly childMigrations?: Readonly<Record<string, Readonly<Record<number, Migration>>>>;
}

export interface MachineDefinition<TMachine extends AnyStateMachine = AnyStateMachine> {
  readonly kind: 'machine';
  /** The machine's id: the first part of every address. */
  readonly name: string;
  readonly machine: TMachine;
  readonly version: number;
  readonly schemas: MachineSchemas<TMachine>;
  readonly calls: readonly AnyCallDefinition[];
  readonly promises: Readonly<Record<string, PromiseOptions>>;
  readonly strict: boolean;
  readonly migrations: Readonly<Record<number, Migration>>;
  readonly childMigrations: Readonly<Record<string, Readonly<Record<number, Migration>>>>;
}

/** A machine of any types, as lists of machines hold it. */
export interface AnyMachineDefinition extends Omit<MachineDefinition, 'machine' | 'schemas'> {
  readonly machine: AnyStateMachine;
  readonly schemas: {
    readonly input?: z.ZodType;
    readonly context?: z.ZodType;
    readonly events?: z.ZodType;
    readonly output?: z.ZodType;
  };
}

/**
 * Gives a machine what durability needs: a version, schemas, calls. Pure; the machine is checked when a host opens (K8).
 * @throws {TroupeError} `invalid_definition` when the machine has no usable id, the version is no whole number from 1, or
 * migrations have a gap.
 */
export function defineMachine<
  TMachine extends AnyStateMachine,
  const TCalls extends readonly unknown[] = readonly [],
>(options: MachineOptions<TMachine, TCalls>): MachineDefinition<TMachine> {
  const name = options.machine.id;
  requireName(name);
  if (!Number.isInteger(options.version) || options.version < 1) {
    throw new TroupeError(
      'invalid_definition',
      `The version of machine '${name}' is ${options.version}. It is a whole number from 1.`,
    );
  }
  const { migrations = {}, childMigrations = {} } = options;
  for (const each of [migrations, ...Object.values(childMigrations)]) {
    requireConsecutive(name, options.version, each);
  }
  return Object.freeze({
    kind: 'machine' as const,
    name,
    machine: options.machine,
    version: options.version,
    schemas: options.schemas ?? {},
    calls: (options.calls ?? []) as readonly AnyCallDefinition[],
    promises: options.promises ?? {},
    strict: options.strict ?? false,
    migrations,
    childMigrations,
  });
}

function requireName(name: string): void {
  if (name === '(machine)') {
    throw new TroupeError(
      'invalid_definition',
      "The machine has no id. Give it one in createMachine({ id: 'archive', … }): it is the first part of its actors' addresses.",
    );
  }
  if (/[/\s]/.test(name) || name.length > ADDRESS_CHARACTERS_MAX / 4) {
    throw new TroupeError(
      'invalid_definition',
      `The machine's id '${name}' must have no '/' and no white space, and at most ${ADDRESS_CHARACTERS_MAX / 4} characters.`,
    );
  }
}

/** Versions that are too old for anybody's store may be left out; one in between may not. */
function requireConsecutive(
  name: string,
  version: number,
  migrations: Readonly<Record<number, Migration>>,
): void {
  const from = Object.keys(migrations).map(Number);
  const expected = from.map((_, index) => version - from.length + index);
  const isConsecutive = from.every((each, index) => each === expected[index] && each >= 1);
  if (isConsecutive && Object.values(migrations).every((each) => typeof each === 'function'))
    return;
  throw new TroupeError(
    'invalid_definition',
    `The migrations of machine '${name}' are from ${from.join(', ')}. They are functions from each version to the next one, without a gap, the last from ${version - 1} to ${version}.`,
  );
}

/** The event type of a machine definition, for `send`. */
export type EventOf<TDefinition> =
  TDefinition extends MachineDefinition<infer TMachine> ? EventFromLogic<TMachine> : never;

/** The input type of a machine definition, for `spawn`. */
export type InputOf<TDefinition> =
  TDefinition extends MachineDefinition<infer TMachine> ? InputFrom<TMachine> : never;
