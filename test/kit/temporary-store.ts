// Temporary store: a place for a store that nothing else uses.

import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TemporaryStore {
  /** Where the store will be. It is made by the first host that opens it. */
  readonly file: string;
  /** The folder around it, for other files of the test. */
  readonly folder: string;
  /** Removes the folder and all in it. Close every host first. */
  remove(): void;
}

/** A fresh folder below the system's place for temporary files, and the path of a store in it. */
export function temporaryStore(): TemporaryStore {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'troupe-store-')));
  return {
    file: join(folder, 'troupe.db'),
    folder,
    // A thread that is being ended may still write into it.
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }),
  };
}
