// Waiting file: who meets a busy store says so beside it, and who has committed lets it go first (DESIGN).
//
// SQLite's own busy wait blocks the event loop and is unfair: without this file a busy host starves every other for
// seconds. The file is a courtesy, never a lock: correctness does not depend on it.

import { existsSync, rmSync, writeFileSync } from 'node:fs';

/** Wait between two tries of a busy store. Milliseconds. */
export const BUSY_RETRY_MS = 1;

/** Longest pause that a committer makes for a waiting file. Milliseconds. */
export const COURTESY_MS_MAX = 20;

/** How those who wait for a store are seen by who has it. */
export interface Waiting {
  /** Says that somebody waits. */
  raise(): void;
  isRaised(): boolean;
  /** Who got its turn, or has waited long enough for others, takes it down. */
  lower(): void;
}

export class WaitingFile implements Waiting {
  private readonly file: string;

  constructor(store: string) {
    this.file = `${store}.waiting`;
  }

  raise(): void {
    try {
      writeFileSync(this.file, '');
    } catch {
      // A folder that has become read-only: the next transaction reports it; waiting without courtesy is still right.
    }
  }

  isRaised(): boolean {
    return existsSync(this.file);
  }

  lower(): void {
    try {
      rmSync(this.file, { force: true });
    } catch {
      // As above: others then wait for their courtesy to be over.
    }
  }
}
