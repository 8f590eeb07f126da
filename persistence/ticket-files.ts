// Ticket files: the tickets of a waiting line, as empty files in a folder beside the store. Nothing is read from them.

import { closeSync, mkdirSync, openSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Tickets } from './waiting-line.ts';

export class TicketFiles implements Tickets {
  private readonly folder: string;

  constructor(store: string) {
    this.folder = `${store}.waiting`;
  }

  all(): string[] {
    try {
      return readdirSync(this.folder).sort();
    } catch {
      return [];
    }
  }

  place(ticket: string): boolean {
    mkdirSync(this.folder, { recursive: true });
    try {
      closeSync(openSync(join(this.folder, ticket), 'wx'));
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      throw error;
    }
  }

  remove(ticket: string): void {
    try {
      rmSync(join(this.folder, ticket), { force: true });
    } catch {
      // A folder that has become read-only: the ticket stays, and the others take its owner for dead.
    }
  }

  /** An empty line leaves no folder. */
  close(): void {
    try {
      rmdirSync(this.folder);
    } catch {
      // Others stand in it, or there never was one.
    }
  }
}
