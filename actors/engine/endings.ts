// Endings: what leaves with an actor that ends or is stopped: timers, mailbox, calls, children (K5, C7).

import type { ActorAddress, CallRow, CallStatus } from '../../persistence/index.ts';
import { changesNothing } from '../calls/settlement.ts';
import type { Group } from './group.ts';

/** An actor has come to its end by its own step. */
export function endActor(group: Group, address: ActorAddress, atMs: number): void {
  group.store.messages.endOf(address, 'actor_final', group.nowMs, atMs);
}

/** Stops an actor and all below it: they take no further step. @returns who was stopped: no cache may keep them. */
export function stopTree(
  group: Group,
  address: ActorAddress,
  cause: number,
): readonly ActorAddress[] {
  const { store } = group;
  const stopped = store.actors.tree(address).map(({ id }) => id);
  for (const id of stopped) {
    const atMs = Math.max(group.nowMs, store.actors.get(id)?.updated_at ?? 0);
    store.actors.stop(id, atMs);
    group.touched.add(id);
    store.messages.endOf(id, 'actor_stopped', group.nowMs, atMs);
    store.journal.append({
      actor: id,
      revision: undefined,
      atMs,
      kind: 'stopped',
      event: undefined,
      cause,
    });
    for (const call of store.calls.openOfActor(id)) cancelCall(group, call);
  }
  return stopped;
}

/** A call that nobody claimed is withdrawn, certainly not started; a running one is asked to stop (C1, C7). */
export function cancelCall(group: Group, call: CallRow | undefined): void {
  if (call === undefined) return;
  const isWaiting = call.status === 'ordered' || call.status === 'stubbed';
  if (isWaiting) group.store.calls.settle(call.id, withdrawnAs(call), undefined);
  if (call.status !== 'claimed') return;
  group.store.calls.settle(call.id, 'cancelling', undefined);
  group.performance.aborts.push(call.id);
}

/** What waits for another attempt has run before, and how that went nobody knows. */
function withdrawnAs(call: CallRow): CallStatus {
  if (call.attempt === 0) return 'notStarted';
  return changesNothing(call) ? 'cancelled' : 'unknown';
}
