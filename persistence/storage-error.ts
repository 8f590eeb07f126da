// Storage errors: what SQLite reports, in Troupe's words (V7, V8).

import { type Outcome, TroupeError } from './errors.ts';

/** SQLite's own code of an error (`SQLITE_FULL`, `SQLITE_IOERR_FSYNC`), or undefined when it is not SQLite's. */
export function sqliteCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  const { code } = error;
  return typeof code === 'string' && code.startsWith('SQLITE_') ? code : undefined;
}

/** True when SQLite only asks to try again: another connection writes. */
export function isBusy(error: unknown): boolean {
  const code = sqliteCode(error) ?? '';
  return code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED');
}

const FAULTS = [
  'BUSY',
  'LOCKED',
  'FULL',
  'IOERR',
  'READONLY',
  'CORRUPT',
  'NOTADB',
  'CANTOPEN',
  'NOMEM',
  'PROTOCOL',
];

/**
 * True when the storage itself failed, so that the whole transaction is in doubt. Anything else that SQLite refuses
 * (a constraint, a wrong type) is the fault of the one statement.
 */
export function isStorageFault(error: unknown): boolean {
  const code = sqliteCode(error);
  return code !== undefined && FAULTS.some((fault) => code.startsWith(`SQLITE_${fault}`));
}

/** Turns what SQLite threw into a typed error; anything else is returned as it is. */
export function asStorageError(
  error: unknown,
  file: string,
  outcome: Outcome = 'notWritten',
): unknown {
  const code = sqliteCode(error);
  if (code === undefined) return error;
  const facts = { cause: error, outcome, details: { file, sqlite: code } };
  if (isBusy(error)) {
    return new TroupeError(
      'storage_busy',
      `The store ${file} is being written by another process. Try again.`,
      facts,
    );
  }
  if (code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB') {
    return new TroupeError(
      'store_damaged',
      `The store ${file} is damaged (${code}). It was left as it is: stop every host, keep a copy with its -wal, and restore a backup or run sqlite3's .recover.`,
      facts,
    );
  }
  return new TroupeError('storage_unavailable', explain(code, file, outcome), facts);
}

function explain(code: string, file: string, outcome: Outcome): string {
  // After a commit that failed only a later look at the store tells what is there.
  const then =
    outcome === 'unknown'
      ? 'Nobody knows yet whether this is on disk: send it again with the same messageId, or look (troupe show).'
      : 'The host goes on by itself when that is done.';
  if (code === 'SQLITE_FULL') return `The disk of ${file} is full. Make room. ${then}`;
  if (code.startsWith('SQLITE_READONLY')) {
    return `The store ${file} has become read-only. Make it writable. ${then}`;
  }
  return `The store ${file} cannot be read or written (${code}). Look at the disk. ${then}`;
}
