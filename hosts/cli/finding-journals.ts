// Finding journals: the journals that lead to the findings of an exploration, each in a file of its own.

import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FindingKind } from '../../test/kit/index.ts';
import { UsageError } from './errors.ts';

export interface FindingJournal {
  readonly kind: FindingKind;
  readonly journal: readonly object[];
}

/** Written out, because the kit is loaded only when there is something to explore. */
const KINDS: Readonly<Record<FindingKind, true>> = {
  invariant: true,
  threw: true,
  restore_differs: true,
  dead_end: true,
  stray_timer: true,
  unhandled_error: true,
  late_moved: true,
};

const NAME = new RegExp(`^\\d+-(${Object.keys(KINDS).join('|')})\\.json$`);

/**
 * Makes the folder, before the work whose findings go there.
 * @throws {UsageError} when it cannot be made.
 */
export function prepareFolder(folder: string): void {
  trying(() => mkdirSync(folder, { recursive: true }));
}

/**
 * Writes one file for each finding, and removes those of an earlier exploration: their findings may be mended.
 * @returns the paths, in the order of the findings.
 * @throws {UsageError} when they cannot be written.
 */
export function writeJournals(folder: string, found: readonly FindingJournal[]): string[] {
  return trying(() => {
    for (const name of readdirSync(folder)) if (NAME.test(name)) rmSync(join(folder, name));
    return found.map(({ kind, journal }, index) => {
      const file = join(folder, `${index + 1}-${kind}.json`);
      writeFileSync(file, `${JSON.stringify(journal)}\n`);
      return file;
    });
  });
}

function trying<T>(write: () => T): T {
  try {
    return write();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError(`the journals of --out cannot be written: ${why}`);
  }
}
