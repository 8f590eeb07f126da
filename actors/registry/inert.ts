// Inert: a copy of a machine in which no child can run: every source is replaced by logic that does nothing (DESIGN).

import { type AnyStateMachine, createMachine } from 'xstate';
import { MICROSTEPS_MAX } from '../limits.ts';

/** Logic that holds its input and never moves. Children in a stepped snapshot are descriptors only. */
export const INERT_LOGIC = Object.freeze({
  config: undefined,
  transition: (snapshot: unknown) => snapshot,
  getInitialSnapshot: (_scope: unknown, input: unknown) => ({
    status: 'active',
    output: undefined,
    error: undefined,
    input,
  }),
  getPersistedSnapshot: (snapshot: unknown) => snapshot,
  restoreSnapshot: (snapshot: unknown) => snapshot,
});

interface RootConfig extends StateConfig {
  readonly context?: unknown;
}

interface StateConfig {
  readonly states?: Readonly<Record<string, StateConfig>>;
  readonly invoke?: InvokeConfig | readonly InvokeConfig[];
}

interface InvokeConfig {
  readonly src: unknown;
}

/**
 * Copies a machine with inert children and a bound on eventless loops (K7). Inline invoke logic in the configuration is
 * replaced in place, so that XState keeps its own name for it. XState hands a context that is no function to every actor
 * as the same object; here each gets its own, so that no actor can change the birth of another (K1).
 */
export function inertCopy(machine: AnyStateMachine, calls: readonly string[]): AnyStateMachine {
  const { context, ...root } = machine.config as RootConfig;
  const config = inertState(root);
  const options = { ...(machine.options as object | undefined), maxIterations: MICROSTEPS_MAX };
  const actors = Object.fromEntries(
    [...Object.keys(machine.implementations.actors), ...calls].map((source) => [
      source,
      INERT_LOGIC,
    ]),
  );
  return createMachine(
    { ...config, ...contextOf(context), options } as never,
    { ...machine.implementations, actors } as never,
  ) as AnyStateMachine;
}

function contextOf(context: unknown): { readonly context?: unknown } {
  if (context === undefined) return {};
  return { context: typeof context === 'function' ? context : () => copyOfPlain(context) };
}

/** Copies objects and arrays; what is neither is not JSON, and is refused when the actor is born (K8). */
function copyOfPlain(value: unknown, copies = new Map<unknown, unknown>()): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const known = copies.get(value);
  if (known !== undefined) return known;
  if (Array.isArray(value)) {
    const copy: unknown[] = [];
    copies.set(value, copy);
    for (const part of value) copy.push(copyOfPlain(part, copies));
    return copy;
  }
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  const copy: Record<string, unknown> = {};
  copies.set(value, copy);
  for (const [key, part] of Object.entries(value)) copy[key] = copyOfPlain(part, copies);
  return copy;
}

function inertState(state: StateConfig): StateConfig {
  return {
    ...state,
    ...(state.invoke === undefined ? {} : { invoke: inertInvokes(state.invoke) }),
    ...(state.states === undefined
      ? {}
      : {
          states: Object.fromEntries(
            Object.entries(state.states).map(([key, child]) => [key, inertState(child)]),
          ),
        }),
  };
}

function inertInvokes(
  invoke: InvokeConfig | readonly InvokeConfig[],
): InvokeConfig | readonly InvokeConfig[] {
  const inert = (config: InvokeConfig): InvokeConfig =>
    typeof config.src === 'string' ? config : { ...config, src: INERT_LOGIC };
  return Array.isArray(invoke)
    ? (invoke as readonly InvokeConfig[]).map(inert)
    : inert(invoke as InvokeConfig);
}
