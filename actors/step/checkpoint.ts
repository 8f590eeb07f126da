// Checkpoint: an actor as the journal keeps it, so that a replay need not begin at its birth (J2). Pure.

import type { Armings } from './effects.ts';
import { messageOf, StepError } from './error.ts';
import type { SteppedMachine } from './registered.ts';
import { type ActorState, revive } from './step.ts';

const SNAPSHOT = '{"snapshot":';
const ARMINGS = ',"armings":';

/** The actor as the journal keeps it at a checkpoint. Both parts are JSON: parsed and written again they might differ by a byte. */
export function checkpointOf({ text, armings }: Pick<ActorState, 'text' | 'armings'>): string {
  return `${SNAPSHOT}${text}${ARMINGS}${JSON.stringify(armings)}}`;
}

/**
 * The actor of a checkpoint, its snapshot's text as it was to the byte.
 * @throws {StepError} `snapshot_damaged` when the text is no checkpoint; what `revive` throws.
 */
export function atCheckpoint(
  machine: SteppedMachine,
  actor: Pick<ActorState, 'address' | 'parent' | 'childId' | 'revision'>,
  checkpoint: string,
): ActorState {
  const armings = armingsIn(checkpoint);
  const end = `${ARMINGS}${JSON.stringify(armings)}}`;
  if (!checkpoint.startsWith(SNAPSHOT) || !checkpoint.endsWith(end)) {
    throw damaged('its parts are not where they belong');
  }
  const text = checkpoint.slice(SNAPSHOT.length, -end.length);
  return revive(machine, { ...actor, text, armings });
}

function armingsIn(checkpoint: string): Armings {
  let parsed: { readonly armings?: Partial<Armings> } | null;
  try {
    parsed = JSON.parse(checkpoint) as typeof parsed;
  } catch (error) {
    throw damaged(`it is not JSON: ${messageOf(error)}`);
  }
  const armings = parsed?.armings;
  if (armings?.timers && armings.calls && armings.actors) return armings as Armings;
  throw damaged('it has no armings');
}

function damaged(why: string): StepError {
  return new StepError('snapshot_damaged', `A checkpoint is damaged: ${why}.`);
}
