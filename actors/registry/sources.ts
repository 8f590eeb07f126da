// Sources: what the `src` names of a machine stand for: a registered call, a promise, a child machine, a transition.

import type { AnyStateMachine } from 'xstate';
import { TroupeError } from '../../persistence/index.ts';
import { type AnyCallDefinition, type CallClass, requireRange } from '../define-call.ts';
import type { PromiseOptions } from '../define-machine.ts';
import {
  CALL_CLAIM_LIMIT_MS,
  CALL_LIMIT_MS,
  CALL_LIMIT_MS_MAX,
  CALL_LIMIT_MS_MIN,
  LISTENERS_MAX,
  PROMISE_CONCURRENCY,
} from '../limits.ts';
import type { TransitionLogic } from '../step/index.ts';

/** The function behind a promise that a machine brings (`fromPromise`). */
export type PromiseCreator = (args: {
  readonly input: unknown;
  readonly signal: AbortSignal;
  readonly self: unknown;
  readonly system: unknown;
  readonly emit: (event: unknown) => void;
}) => unknown;

/** A callback or an observable, as XState makes them. */
export interface ListenerLogic {
  readonly logic: object;
  /** Whether its machine wants to hear of its snapshots (`onSnapshot`). */
  readonly hasSnapshots: boolean;
}

/** `listener`: it changes nothing by itself, has no time limit, and goes on on another host when its own has ended (K9a). */
export type SpecClass = CallClass | 'listener';

/** How the engine runs a call: where, for how long, how many at once, and what an interruption means. */
export interface CallSpec {
  /** One word for limits and threads: calls of one definition share it, whatever machine orders them. */
  readonly key: string;
  readonly class: SpecClass;
  /** 0: none. */
  readonly limitMs: number;
  readonly claimLimitMs: number;
  readonly concurrency: number;
  readonly runs:
    | { readonly on: 'thread'; readonly call: AnyCallDefinition }
    | { readonly on: 'host'; readonly create: PromiseCreator }
    | { readonly on: 'listener'; readonly listener: ListenerLogic };
}

export type ChildLogic =
  | { readonly kind: 'machine'; readonly machine: AnyStateMachine }
  | { readonly kind: 'transition'; readonly logic: TransitionLogic }
  | { readonly kind: 'promise'; readonly create: PromiseCreator }
  | { readonly kind: 'listener'; readonly logic: object };

/** Tells the kinds of XState's actor logic apart. They carry no tag, so a harmless transition of a blank snapshot tells. */
export function classify(logic: object): ChildLogic {
  if ('root' in logic && 'implementations' in logic) {
    return { kind: 'machine', machine: logic as AnyStateMachine };
  }
  const { start, config, transition } = logic as {
    readonly start?: unknown;
    readonly config: unknown;
    readonly transition: (snapshot: object, event: object, scope: object) => { status?: string };
  };
  if (typeof start !== 'function') {
    return { kind: 'transition', logic: logic as TransitionLogic };
  }
  return resolvesPromises(transition)
    ? { kind: 'promise', create: config as PromiseCreator }
    : { kind: 'listener', logic };
}

function resolvesPromises(
  transition: (snapshot: object, event: object, scope: object) => { status?: string },
): boolean {
  const blank = { status: 'active' };
  try {
    return transition(blank, { type: 'xstate.promise.resolve', data: 0 }, {}).status === 'done';
  } catch {
    // fromCallback looks up its instance in the scope and finds none.
    return false;
  }
}

export function specOfCall(call: AnyCallDefinition): CallSpec {
  return {
    key: call.name,
    class: call.class,
    limitMs: call.limitMs,
    claimLimitMs: call.claimLimitMs,
    concurrency: call.concurrency,
    runs: { on: 'thread', call },
  };
}

/** @throws {TroupeError} `invalid_definition` for a class or a limit that a promise cannot keep. */
export function specOfPromise(
  key: string,
  create: PromiseCreator,
  options: PromiseOptions = {},
): CallSpec {
  requirePromise(key, options);
  return {
    key,
    class: options.class ?? 'effect',
    limitMs: options.limitMs ?? CALL_LIMIT_MS,
    claimLimitMs: CALL_CLAIM_LIMIT_MS,
    concurrency: PROMISE_CONCURRENCY,
    runs: { on: 'host', create },
  };
}

/** @param key Whose limits it shares: `<machine>.<source>`. */
export function specOfListener(key: string, listener: ListenerLogic): CallSpec {
  return {
    key,
    class: 'listener',
    limitMs: 0,
    claimLimitMs: CALL_CLAIM_LIMIT_MS,
    concurrency: LISTENERS_MAX,
    runs: { on: 'listener', listener },
  };
}

function requirePromise(key: string, options: PromiseOptions): void {
  const { class: promiseClass = 'effect', limitMs = CALL_LIMIT_MS } = options;
  if (promiseClass !== 'read' && promiseClass !== 'effect') {
    throw new TroupeError(
      'invalid_definition',
      `The class of promise '${key}' is '${String(promiseClass)}'. A promise is 'read' or 'effect': it cannot be ended from outside, so a replay could run beside it. Make it a call (defineCall) to declare it replayable.`,
    );
  }
  requireRange(`promise '${key}'`, 'limitMs', limitMs, CALL_LIMIT_MS_MIN, CALL_LIMIT_MS_MAX);
}

/** The calls of a host by name. @throws {TroupeError} `call_conflict` when two different definitions share a name. */
export function callsByName(
  calls: readonly AnyCallDefinition[],
): ReadonlyMap<string, AnyCallDefinition> {
  const byName = new Map<string, AnyCallDefinition>();
  for (const call of calls) {
    const existing = byName.get(call.name);
    if (existing && existing !== call) {
      throw new TroupeError(
        'call_conflict',
        `Two different calls are named '${call.name}' (${existing.module} and ${call.module}). Give one another name.`,
      );
    }
    byName.set(call.name, call);
  }
  return byName;
}
