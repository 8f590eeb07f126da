// Host status: who steps a store, by its lock (V4). For people: nothing is decided by it.

import { type ExaminedHost, examineHosts } from '../../actors/doctor/index.ts';
import { Store } from '../../persistence/index.ts';

/** The hosts that a store names. Must not be called in a process that is the host itself. */
export function hostsOf(file: string): ExaminedHost[] {
  const store = Store.open(file, 'readonly');
  try {
    return examineHosts(store);
  } finally {
    store.close();
  }
}

export function isStepped(hosts: readonly ExaminedHost[]): boolean {
  return hosts.some(({ liveness }) => liveness === 'alive');
}
