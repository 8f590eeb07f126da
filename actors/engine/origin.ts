// Origin: what kind of message carried an event into a step, from a message's row or a journal's.

import { assert, type MessageRow } from '../../persistence/index.ts';
import type { Origin } from '../step/index.ts';

/** A timer that another actor armed comes as an event: its arming is the sender's, not the receiver's. */
export function originOf({
  kind,
  incarnation,
  actor,
  sender,
  seq,
}: Pick<MessageRow, 'kind' | 'incarnation' | 'actor' | 'sender' | 'seq'>): Origin {
  if (kind === 'event' || kind === 'init') return { kind: 'event' };
  if (kind === 'timer' && sender !== actor) return { kind: 'event' };
  assert(incarnation !== null, `message ${seq} of kind ${kind} has no incarnation`);
  return { kind, incarnation };
}
