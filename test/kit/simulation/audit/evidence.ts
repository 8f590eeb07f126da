// Evidence: what the checks of a run look at.

import type { Registry } from '../../../../actors/registry/index.ts';
import type { Connection } from '../../../../persistence/index.ts';
import type { Asked, Watched } from '../client.ts';
import type { CommittedGroup, LedgerEntry, Told } from '../ledger.ts';
import type { AskedIntervention } from '../operator.ts';
import type { SimulationFinding } from '../options.ts';

export interface Evidence {
  /** The store, at rest, with the tables of `seen.ts`. */
  readonly connection: Connection;
  readonly registry: Registry;
  /** What really happened outside. */
  readonly ledger: readonly LedgerEntry[];
  /** What each host has committed, and when. */
  readonly groups: readonly CommittedGroup[];
  /** What the log actions of machines have said. */
  readonly told: readonly Told[];
  /** What the outside asked for, and what it was promised. */
  readonly asked: readonly Asked[];
  /** What operators asked for, and what they were told. */
  readonly interventions: readonly AskedIntervention[];
  /** What the outside saw of actors that it watched. */
  readonly watched: readonly Watched[];
  /** The wall clock. Milliseconds since 1970. */
  readonly nowMs: number;
}

/** Looks for one kind of thing that must not be. */
export type Check = (evidence: Evidence) => readonly SimulationFinding[];

/** All rows of a query. */
export function rowsOf<TRow>(
  { connection }: Evidence,
  sql: string,
  ...parameters: unknown[]
): TRow[] {
  return connection.prepare(sql).all(...parameters) as TRow[];
}

/** A list by a key of its members, in the order of the first of each. */
export function grouped<T>(
  list: readonly T[],
  keyOf: (member: T) => string,
): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const member of list) {
    const key = keyOf(member);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [member]);
    else group.push(member);
  }
  return groups;
}

/** Makes findings of one check. */
export function findingOf(check: string, rule: string) {
  return (message: string): SimulationFinding => ({ check, rule, message });
}
