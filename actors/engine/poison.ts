// Poison: a message in which hosts die again and again parks its actor, so that it does not end every host to come (V3).

import type { HostRow, MessageRow } from '../../persistence/index.ts';
import { DEATHS_MAX } from '../limits.ts';
import { StepError } from '../step/index.ts';
import type { Group } from './group.ts';
import { eventType, park } from './park.ts';

/**
 * Counts the death of a host for the message in whose step it died, and parks the actor at the last death that is borne.
 * Call it for each dead host, in the transaction that deletes the host's row: so it counts once.
 * @throws only what the storage throws.
 */
export function countDeaths(group: Group, host: HostRow): void {
  const noted = group.store.stepNotes.read(host.incarnation);
  if (noted === undefined) return;
  if (noted.isNew) {
    group.hasUnnamedDeath = true;
    return;
  }
  const message = group.store.messages.countDeath(noted.seq);
  if (message === undefined) return;
  group.wrote = true;
  if (message.deaths < DEATHS_MAX) return;
  group.touched.add(message.actor);
  park(group, message, poisoned(message));
}

function poisoned(message: MessageRow): StepError {
  return new StepError(
    'message_poisoned',
    `${message.deaths} hosts died while they stepped message ${message.seq} (${eventType(message)}): code of machine '${message.machine}' ended the process, or ran for longer than a step may. The message is kept. Mend the machine before it is retried.`,
  );
}
