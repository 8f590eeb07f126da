// Ending: the events by which XState tells a machine how what it has invoked or spawned has ended.

import type { MachineEvent } from './effects.ts';

/** The call or child has answered; XState's `onDone` takes it. `actorId` is the id by which the machine knows it. */
export function doneEvent(actorId: string, output: unknown): MachineEvent {
  return { type: `xstate.done.actor.${actorId}`, output, actorId };
}

/** The call or child has failed; XState's `onError` takes it. */
export function errorEvent(actorId: string, error: unknown): MachineEvent {
  return { type: `xstate.error.actor.${actorId}`, error, actorId };
}
