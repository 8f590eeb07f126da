// Stop: an operator ends an actor, as `stopChild` of its parent would (K5, C7).
//
// It and all below it take no further step: timers go, mailboxes are kept as undeliverable, calls are withdrawn or asked
// to stop. Unlike `stopChild` it comes from outside, so a parent that waits for the actor learns it as an error.

import type { ActorAddress, ActorRow } from '../../persistence/index.ts';
import { stopTree } from '../engine/endings.ts';
import type { Group } from '../engine/group.ts';
import { deliver } from '../engine/mailbox.ts';
import {
  appendIntervention,
  type Intervened,
  type Intervention,
  requireSeen,
} from '../intervention.ts';
import { errorEvent } from '../step/index.ts';
import { requireLive } from './stuck-actors.ts';

/** What a stop has done. */
export interface Stopped extends Intervened {
  /** Who takes no further step: the actor and all below it that had not ended. */
  readonly stopped: readonly ActorAddress[];
}

/** @throws {TroupeError} `actor_unknown`, `revision_conflict`, `actor_final`, `actor_stopped`: nothing was written. */
export function stop(group: Group, address: ActorAddress, intervention: Intervention): Stopped {
  const row = requireLive(requireSeen(group.store, address, intervention.revision));
  const seq = appendIntervention(group, address, 'stop', intervention);
  const stopped = stopTree(group, address, seq);
  tellParent(group, row, intervention, seq);
  return { address, seq, stopped };
}

/** The parent's step judges whether it still waits for this child (C4). */
function tellParent(
  group: Group,
  row: ActorRow,
  { by, reason }: Intervention,
  cause: number,
): void {
  if (row.parent === null || row.child_id === null) return;
  const error = { code: 'actor_stopped', message: `${by} has stopped ${row.id}: ${reason}` };
  deliver(group, {
    to: row.parent,
    from: row.id,
    event: JSON.stringify(errorEvent(row.child_id, error)),
    kind: 'actor',
    incarnation: row.id,
    cause,
  });
}
