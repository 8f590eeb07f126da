// Ready: which messages may be stepped now, in which order (M2, T4).

import type { MessageRow, Store } from '../../persistence/index.ts';
import type { Group } from './group.ts';

/**
 * The next messages of the machines that this host knows: by the time at which they became ready, then by sequence.
 */
export function readyMessages(
  group: Group,
  machines: readonly string[],
  limit: number,
): MessageRow[] {
  const { store, nowMs } = group;
  const ready = machines.flatMap((machine) => store.messages.ready(machine, nowMs, limit));
  ready.push(...group.arrived());
  if (ready.length < 2) return ready;
  ready.sort((a, b) => a.ready_at - b.ready_at || a.seq - b.seq);
  return ready.length > limit ? ready.slice(0, limit) : ready;
}

/**
 * Those that were on disk before this transaction, and stand behind no other of their actor that was not: only these can be
 * named when the host dies in their step (V3).
 */
export function onDisk(ready: readonly MessageRow[], committedSeq: number): MessageRow[] {
  const waiting = new Set<string>();
  return ready.filter(({ seq, actor }) => {
    if (seq > committedSeq) waiting.add(actor);
    return !waiting.has(actor);
  });
}

/** The next time at which a timer of these machines is due. Milliseconds since 1970. */
export function nextDueMs(store: Store, machines: readonly string[]): number | undefined {
  let next: number | undefined;
  for (const machine of machines) {
    const dueMs = store.messages.nextDueMs(machine);
    if (dueMs !== undefined && (next === undefined || dueMs < next)) next = dueMs;
  }
  return next;
}
