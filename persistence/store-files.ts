// Store files: whether the file of a store and its WAL are still those that were opened, and how large the WAL is (V8, V10).
//
// They are looked at with stat alone: closing any descriptor of them would drop SQLite's locks in this process.

import { statSync } from 'node:fs';
import { TroupeError } from './errors.ts';

/** Size of a WAL from which every writer first tries to empty it, so that it stays below 64 MiB. Bytes. */
export const WAL_BYTES_LARGE = 33_554_432;

/** The files of one store, as they were when this process opened them. */
export interface StoreFiles {
  /** Must be called inside a transaction: then both files are there. @throws {TroupeError} `store_replaced`. */
  requireOwn(): void;
  /** True when the WAL was large at the last look of `requireOwn` (V10). */
  readonly isWalLarge: boolean;
  /** This process has emptied the WAL. */
  walEmptied(): void;
}

export class OpenedFiles implements StoreFiles {
  private readonly file: string;
  private readonly inode: number | undefined;
  /** Made by the first transaction. */
  private walInode: number | undefined;
  private walBytes = 0;

  constructor(file: string) {
    this.file = file;
    this.inode = look(file)?.ino;
  }

  get isWalLarge(): boolean {
    return this.walBytes > WAL_BYTES_LARGE;
  }

  requireOwn(): void {
    if (look(this.file)?.ino !== this.inode) throw replaced(this.file, this.file);
    const walFile = `${this.file}-wal`;
    const wal = look(walFile);
    this.walInode ??= wal?.ino;
    if (wal?.ino !== this.walInode || wal === undefined) throw replaced(this.file, walFile);
    this.walBytes = wal.size;
  }

  walEmptied(): void {
    this.walBytes = 0;
  }
}

function look(file: string): { readonly ino: number; readonly size: number } | undefined {
  return statSync(file, { throwIfNoEntry: false });
}

function replaced(file: string, lost: string): TroupeError {
  return new TroupeError(
    'store_replaced',
    `${lost} is gone or another file, while this process had the store open. It writes nothing more. End every process of this store, find out who removes or replaces its files (backups must use SQLite's own .backup), and start a new one.`,
    { details: { file, lost } },
  );
}
