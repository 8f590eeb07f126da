// What the corpus is made of: a machine written for plain XState, and the event scripts that drive it.
//
// The machines know nothing of Troupe. Their contexts are JSON-clean (K8) and nothing in them reads a clock or randomness.

import type { AnyEventObject, AnyStateMachine } from 'xstate';

export type Script = readonly AnyEventObject[];

export interface CorpusEntry {
  readonly name: string;
  readonly machine: AnyStateMachine;
  readonly input?: unknown;
  readonly scripts: readonly Script[];
}

/** A script; a bare string is an event without payload. */
export function script(...events: readonly (string | AnyEventObject)[]): Script {
  return events.map((event) => (typeof event === 'string' ? { type: event } : event));
}

/** The event with which XState fires the `after` entry `delay` of the state with that id. */
export function due(delay: number | string, stateId: string): AnyEventObject {
  return { type: `xstate.after.${delay}.${stateId}` };
}

/** The event by which a finished child reports its output. */
export function done(id: string, output?: unknown): AnyEventObject {
  const type = `xstate.done.actor.${id}`;
  return output === undefined ? { type, actorId: id } : { type, output, actorId: id };
}

/** The event by which a failed child reports its error. */
export function failed(id: string, error: unknown): AnyEventObject {
  return { type: `xstate.error.actor.${id}`, error, actorId: id };
}

/** A custom action that does nothing. What counts is that it is ordered. */
export const silent = (): void => {};

/** The same, for actions with parameters. */
export const silentWith = (_args: unknown, _params: Record<string, unknown>): void => {};
