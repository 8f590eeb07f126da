// Local file system: a store on a network file system is refused, because SQLite's WAL needs memory that all its processes
// share, and locks that always hold (V8).

import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { TroupeError } from './errors.ts';

/** Magic numbers of file systems that other machines share. Source: statfs(2) and linux/magic.h. */
const NETWORK = new Map<number, string>([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB2'],
  [0x01021997, '9P'],
  [0x5346414f, 'AFS'],
  [0x6b414653, 'AFS'],
  [0x00c36400, 'Ceph'],
  [0x73757245, 'Coda'],
  [0x564c, 'NCP'],
  [0x0bd00bd0, 'Lustre'],
  [0x01161970, 'GFS2'],
  [0x7461636f, 'OCFS2'],
]);

/**
 * Refuses a network file system. FUSE is let pass: whether it is local is not told.
 * @param typeOf The type of the file system that holds a folder, as statfs(2) gives it.
 * @throws {TroupeError} `store_not_local`.
 */
export function requireLocal(
  file: string,
  typeOf: (folder: string) => number = typeOfFolder,
): void {
  // Some are negative where statfs gives 32 bits with a sign.
  const name = NETWORK.get(typeOf(dirname(file)) >>> 0);
  if (name === undefined) return;
  throw new TroupeError(
    'store_not_local',
    `The store ${file} lies on a network file system (${name}), where two machines could write it at once. Name a place on a local disk with --store.`,
    { details: { file, fileSystem: name } },
  );
}

function typeOfFolder(folder: string): number {
  return statfsSync(folder).type;
}
