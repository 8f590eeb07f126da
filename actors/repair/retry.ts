// Retry: lets a stuck actor go on with the message that parked it (K6a).
//
// K6a  that message is stepped again, and what came to the actor meanwhile after it, by T4.
// V3   hosts that died while they stepped it count no more: the operator wants another try.
// J5   the journal keeps what the actor was stuck on, and who let it go on.

import type { ActorAddress } from '../../persistence/index.ts';
import type { Group } from '../engine/group.ts';
import { appendIntervention, type Intervened, type Intervention } from '../intervention.ts';
import { stuckReasonOf } from '../view.ts';
import { release, requireStuck } from './stuck-actors.ts';

/** @throws {TroupeError} see `requireStuck`: nothing was written. */
export function retry(group: Group, address: ActorAddress, intervention: Intervention): Intervened {
  const row = requireStuck(group.store, address, intervention.revision);
  const { code, messageSeq } = stuckReasonOf(row) ?? {};
  const seq = appendIntervention(group, address, 'retry', intervention, {
    error: code,
    message: messageSeq,
  });
  release(group, row);
  return { address, seq };
}
