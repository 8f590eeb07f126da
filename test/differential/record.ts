// What is compared: one step of either side as a plain record.
//
// A record holds all that K9 names: value, context, history, tags, meta, status, output, error and the ordered actions,
// and the children with their sources. Functions are left out, and a reference to an actor becomes its id, because the two sides
// hold different objects there.

import type { AnyMachineSnapshot } from 'xstate';

export interface ActionRecord {
  readonly type: string;
  readonly params: unknown;
  /** What the action saw when it was ordered. */
  readonly context: unknown;
  readonly event: unknown;
}

export interface StepRecord {
  readonly value: unknown;
  readonly context: unknown;
  readonly history: Readonly<Record<string, readonly string[]>>;
  readonly tags: readonly string[];
  readonly meta: unknown;
  readonly status: string;
  readonly output: unknown;
  readonly error: unknown;
  readonly children: readonly ChildRecord[];
  readonly actions: readonly ActionRecord[];
}

export interface ChildRecord {
  readonly id: string;
  readonly src: unknown;
  readonly systemId: unknown;
}

/** A step that threw; both sides must give the same message. */
export interface ThrowRecord {
  readonly threw: string;
}

export type Outcome = StepRecord | ThrowRecord;

/** An executable action of XState's, as either side collects it. */
export interface RawAction {
  readonly type: string;
  readonly params: unknown;
  readonly info: unknown;
}

export function recordOf(snapshot: AnyMachineSnapshot, actions: readonly RawAction[]): StepRecord {
  return {
    value: plain(snapshot.value),
    context: plain(snapshot.context),
    history: historyOf(snapshot),
    tags: [...snapshot.tags].sort(),
    meta: plain(snapshot.getMeta()),
    status: snapshot.status,
    output: plain(snapshot.output),
    error: plain(snapshot.error),
    children: Object.entries(snapshot.children).map(childOf),
    actions: actions.map(actionOf),
  };
}

export function didThrow(outcome: Outcome): outcome is ThrowRecord {
  return 'threw' in outcome;
}

function historyOf(snapshot: AnyMachineSnapshot): Record<string, readonly string[]> {
  const entries = Object.entries(snapshot.historyValue);
  return Object.fromEntries(
    entries.map(([id, nodes]) => [id, (nodes ?? []).map((node) => node.id)]),
  );
}

function childOf([id, child]: [string, unknown]): ChildRecord {
  const { src, systemId } = (child ?? {}) as {
    readonly src?: unknown;
    readonly systemId?: unknown;
  };
  return { id, src, systemId };
}

function actionOf({ type, params, info }: RawAction): ActionRecord {
  const { context, event, self } = info as { context: unknown; event: unknown; self: unknown };
  return {
    type,
    params: paramsOf(type, params, self),
    context: plain(context),
    event: plain(event),
  };
}

function paramsOf(type: string, params: unknown, self: unknown): unknown {
  const resolved = plain(params, self);
  if (type !== 'xstate.spawnChild') return resolved;
  // The id may be a function there; the reference has the resolved one.
  const { actorRef } = params as { readonly actorRef?: { readonly id: string } };
  return { ...(resolved as object), id: actorRef?.id };
}

/** A copy of JSON data with actors as ids, errors as messages, and without functions and what is undefined. */
function plain(value: unknown, self?: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (value === self) return { self: true };
  if (isActor(value)) return { actor: value.id };
  if (value instanceof Error) return { error: value.message };
  if (Array.isArray(value)) return value.map((part) => plain(part, self));
  const parts = Object.entries(value).filter(
    ([, part]) => part !== undefined && typeof part !== 'function',
  );
  return Object.fromEntries(parts.map(([key, part]) => [key, plain(part, self)]));
}

function isActor(value: object): value is { readonly id: string } {
  return 'sessionId' in value && 'id' in value && typeof value.id === 'string';
}
