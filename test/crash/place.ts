// Place: a folder with originals, a target, a store and a ledger of one run.

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type TemporaryStore, temporaryStore } from '../kit/index.ts';

/** A line of the ledger, as the calls of examples/archive write it. */
export interface LedgerLine {
  readonly at: 'begin' | 'end';
  readonly call: string;
  readonly key: string;
  readonly attempt: number;
  readonly file: string;
  readonly failed?: string;
}

export interface Place {
  readonly store: string;
  readonly folder: string;
  readonly target: string;
  readonly ledger: string;
  /** The digest of each original by its path below the folder. */
  readonly originals: ReadonlyMap<string, string>;
  remove(): void;
}

/** Names and contents that a careless archive would stumble over. */
const FILES: Readonly<Record<string, string>> = {
  'a.txt': 'one line\n'.repeat(200),
  'b with spaces.txt': 'x'.repeat(70_000),
  'deep/er/ç.bin': Array.from({ length: 3_000 }, (_, index) =>
    String.fromCharCode(index % 255),
  ).join(''),
  'deep/d.txt': 'deep\n',
  'empty.txt': '',
};

export function makePlace(): Place {
  const temporary: TemporaryStore = temporaryStore();
  const folder = join(temporary.folder, 'originals');
  const originals = new Map<string, string>();
  for (const [path, content] of Object.entries(FILES)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
    originals.set(path, digestOf(readFileSync(join(folder, path))));
  }
  return {
    store: temporary.file,
    folder,
    target: join(temporary.folder, 'packed'),
    ledger: join(temporary.folder, 'ledger'),
    originals,
    remove: () => temporary.remove(),
  };
}

export function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Lines in the order in which they were appended. A line that is cut short throws. */
export function readLedger({ ledger }: Pick<Place, 'ledger'>): LedgerLine[] {
  if (!existsSync(ledger)) return [];
  const lines = readFileSync(ledger, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as LedgerLine);
}
