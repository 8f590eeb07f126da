// Hosts: who steps the store, by their locks, and what lock files lie about (V4). Files are named, never opened.

import {
  inodeOf,
  type Liveness,
  lockFileOf,
  probeHost,
  type Store,
} from '../../persistence/index.ts';
import { about, type DoctorFinding, shellQuoted } from './finding.ts';

export interface ExaminedHost {
  readonly incarnation: string;
  readonly pid: number;
  readonly startedAtMs: number;
  readonly liveness: Liveness;
}

export function examineHosts(store: Store): ExaminedHost[] {
  return store.hosts.all().map((host) => ({
    incarnation: host.incarnation,
    pid: host.pid,
    startedAtMs: host.started_at,
    liveness: store.hostLocks.probe(host),
  }));
}

export function hostFindings(
  store: Store,
  hosts: readonly ExaminedHost[],
  files: readonly string[],
): DoctorFinding[] {
  const of = (liveness: Liveness) =>
    hosts.flatMap((host) => (host.liveness === liveness ? [host.incarnation] : []));
  return [
    ...about(of('dead'), {
      severity: 'warning',
      code: 'host_dead',
      problem: 'These hosts have ended without leaving; what they had claimed is not settled yet.',
      mend: 'nothing, while another host lives: it settles them within seconds; else troupe run MODULE',
    }),
    ...about(of('unproven'), {
      severity: 'error',
      code: 'host_unproven',
      problem:
        'The lock file of these hosts is gone or another one, so nothing proves them dead, and no other host starts.',
      mend: `when no process has this store open: sqlite3 ${shellQuoted(store.file)} "DELETE FROM hosts WHERE incarnation = 'HOST'"`,
    }),
    ...about(leftLocks(store, hosts, files), {
      severity: 'warning',
      code: 'lock_file_left',
      problem: 'These lock files belong to no host any more.',
      mend: 'rm FILE',
    }),
  ];
}

/** A host takes its lock before it writes its row (V4): a lock that is held belongs to one that enters or leaves. */
function leftLocks(
  store: Store,
  hosts: readonly Pick<ExaminedHost, 'incarnation'>[],
  files: readonly string[],
): string[] {
  const named = new Set(hosts.map(({ incarnation }) => lockFileOf(store.file, incarnation)));
  return files.filter((file) => !named.has(file) && isLeft(file));
}

function isLeft(file: string): boolean {
  const inode = inodeOf(file);
  if (inode === undefined) return false;
  return probeHost({ lock_file: file, inode }) !== 'alive';
}
