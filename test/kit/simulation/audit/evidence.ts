// Evidence: what the checks of a run look at.

import type { Registry } from '../../../../actors/registry/index.ts';
import type { Connection } from '../../../../persistence/index.ts';
import type { Asked } from '../client.ts';
import type { LedgerEntry } from '../ledger.ts';
import type { Finding } from '../options.ts';

export interface Evidence {
  /** The store, at rest, with the table of `messages-seen.ts`. */
  readonly connection: Connection;
  readonly registry: Registry;
  /** What really happened outside. */
  readonly ledger: readonly LedgerEntry[];
  /** What the outside asked for, and what it was promised. */
  readonly asked: readonly Asked[];
  /** The wall clock. Milliseconds since 1970. */
  readonly nowMs: number;
}

/** Looks for one kind of thing that must not be. */
export type Check = (evidence: Evidence) => readonly Finding[];

/** All rows of a query. */
export function rowsOf<TRow>(
  { connection }: Evidence,
  sql: string,
  ...parameters: unknown[]
): TRow[] {
  return connection.prepare(sql).all(...parameters) as TRow[];
}

/** Makes findings of one check. */
export function findingOf(check: string, rule: string) {
  return (message: string): Finding => ({ check, rule, message });
}
