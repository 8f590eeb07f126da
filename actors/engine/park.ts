// Park: makes an actor stuck on a message, and keeps both for an operator (K6, V3).

import type { MessageRow } from '../../persistence/index.ts';
import { parseStored } from '../json.ts';
import { type MachineEvent, messageOf, StepError } from '../step/index.ts';
import { originColumns } from './commit-step.ts';
import { endsGroup, type Group } from './group.ts';

/**
 * Parks the message's actor. Parking itself must not end the host: an actor that cannot even be parked is put aside, its
 * mailbox held (V1). @throws only what the storage throws.
 */
export function park(group: Group, message: MessageRow, reason: StepError): void {
  try {
    group.part(() => write(group, message, reason));
  } catch (error) {
    if (endsGroup(error)) throw error;
    group.store.messages.hold(message.actor);
  }
}

/** K6: the snapshot, the message and the timers stay; nothing of this actor is stepped until an operator comes. */
function write(group: Group, message: MessageRow, error: StepError): void {
  const { store } = group;
  const row = store.actors.get(message.actor);
  const atMs = Math.max(group.nowMs, message.ready_at, row?.updated_at ?? 0);
  const parked = {
    code: error.code,
    message: error.message,
    messageSeq: message.seq,
    event: eventType(message),
    state: parseStored(row?.state ?? null) ?? null,
  };
  store.actors.park(message.actor, JSON.stringify(parked), atMs);
  store.messages.hold(message.actor);
  store.journal.append({
    actor: message.actor,
    revision: undefined,
    atMs,
    kind: 'stuck',
    event: message.event,
    ...originColumns(message),
    effects: JSON.stringify([{ code: error.code, message: error.message }]),
    state: row?.state ?? undefined,
  });
}

/** @throws {StepError} when the stored event is damaged (V8). */
export function parseEvent(message: MessageRow): MachineEvent {
  try {
    return JSON.parse(message.event) as MachineEvent;
  } catch (error) {
    throw new StepError(
      'event_damaged',
      `The stored event of message ${message.seq} is not JSON: ${messageOf(error)}`,
    );
  }
}

/** For people: the type of a message's event. */
export function eventType(message: MessageRow): string {
  try {
    return parseEvent(message).type;
  } catch {
    return '(damaged)';
  }
}
