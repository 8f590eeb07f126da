// Host end: what it means for the others that a host has ended. Its calls are settled, and the actors that are bound to it are
// told, in the transaction that deletes its row (V4, V4a, C5).

import type { Logger } from 'pino';
import type { CallRow, HostRow, Store } from '../persistence/index.ts';
import { answer, changesNothing, settleInterrupted } from './calls/index.ts';
import type { Group } from './engine/group.ts';
import { deliver } from './engine/mailbox.ts';
import { countDeaths } from './engine/poison.ts';

/** The type of the event that tells a bound actor that its host has ended; its `host` is the incarnation. */
export const HOST_ENDED = 'HOST_ENDED';

/** Of these hosts, those whose end is proven. Probed outside any transaction: a host that is dead stays dead. */
export function provenDead(store: Store, hosts: readonly HostRow[]): HostRow[] {
  return hosts.filter((host) => store.hostLocks.probe(host) === 'dead');
}

/**
 * Deletes the rows of dead hosts and settles what no living host holds: their calls, and those of a row that an operator has
 * removed. The message in whose step a host died is told of it (V3). What another host has settled meanwhile is left as it is.
 */
export function settleHosts(group: Group, dead: readonly HostRow[], log: Logger): void {
  for (const host of dead) {
    if (!removeHost(group, host.incarnation)) continue;
    countDeaths(group, host);
    log.info({ host: host.incarnation }, 'an earlier host is dead');
  }
  settleCallsWithoutHost(group, log);
}

/** Deletes a host's row and tells the actors that are bound to it (V4a). @returns false when it was deleted already. */
export function removeHost(group: Group, incarnation: string): boolean {
  const { store } = group;
  if (!store.hosts.remove(incarnation)) return false;
  const event = JSON.stringify({ type: HOST_ENDED, host: incarnation });
  for (const to of store.actors.boundTo(incarnation)) {
    const isReady = deliver(group, {
      to,
      from: incarnation,
      event,
      kind: 'event',
      cause: undefined,
    });
    group.delivered ||= isReady;
  }
  return true;
}

/** Calls that were claimed by hosts that have no row any more. */
export function settleCallsWithoutHost(group: Group, log: Logger): void {
  const calls = group.store.calls.withoutHost();
  for (const call of calls) settle(group, call);
  if (calls.length > 0) log.info({ calls: calls.length }, 'calls of earlier hosts are settled');
}

function settle(group: Group, call: CallRow): void {
  if (call.status === 'claimed') {
    answer(group, call, settleInterrupted(call));
    return;
  }
  // It was asked to stop and its actor has gone on: nobody waits for the answer.
  group.store.calls.settle(call.id, changesNothing(call) ? 'cancelled' : 'unknown', undefined);
}
