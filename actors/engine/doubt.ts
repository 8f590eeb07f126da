// Doubt: a group whose commit failed, and which may be on disk all the same (V7).
//
// SQLite may have written the group before its sync failed. What is then seen depends on who looks: a process that opens the
// store anew may find the group in the WAL, while the index that others share leaves it out. A fence settles it: a commit
// after which the group is there for everybody or for nobody. Only then is its number looked for.

import type { Store } from '../../persistence/index.ts';

const FENCE = 'fence';

/**
 * Opens the store anew, commits a fence, and looks for the group. One attempt.
 * @param group The number of the group in the row of its host.
 * @returns `busy` when another process writes: ask again; `fenced` when the host has no row any more.
 * @throws what the storage throws: the doubt stays.
 */
export function lookForGroup(
  store: Store,
  host: string,
  group: number,
): 'written' | 'notWritten' | 'busy' | 'fenced' {
  store.files.requireOwn();
  store.reopen();
  if (!store.begin()) return 'busy';
  store.setMeta(FENCE, `${host} ${group}`);
  store.files.requireOwn();
  store.commit();
  store.checkpoint();
  const last = store.hosts.lastGroup(host);
  if (last === undefined) return 'fenced';
  return last === group ? 'written' : 'notWritten';
}
