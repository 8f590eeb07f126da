// Host status: who steps a store, by its lock (V4). For people: nothing is decided by it.

import { Store } from '../../persistence/index.ts';

export interface HostStatus {
  readonly incarnation: string;
  readonly pid: number;
  readonly startedAtMs: number;
  /** `unproven`: its lock file is gone or another one. */
  readonly liveness: 'alive' | 'dead' | 'unproven';
}

/** The hosts that a store names. Must not be called in a process that is the host itself. */
export function hostsOf(file: string): HostStatus[] {
  const store = Store.open(file, 'readonly');
  try {
    return store.hosts.all().map((host) => ({
      incarnation: host.incarnation,
      pid: host.pid,
      startedAtMs: host.started_at,
      liveness: store.hostLocks.probe(host),
    }));
  } finally {
    store.close();
  }
}

export function isStepped(hosts: readonly HostStatus[]): boolean {
  return hosts.some(({ liveness }) => liveness === 'alive');
}
