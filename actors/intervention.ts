// Intervention: what an operator does to an actor, kept in its journal: who, when, why, and what was seen (J5).
//
// J5  an intervention whose revision is not the stored one is refused: the operator has not seen the actor as it is.
// K4  an intervention is no step: its row has no revision, and the actor's stays as it is.

import { type ActorAddress, type ActorRow, type Store, TroupeError } from '../persistence/index.ts';
import type { Transaction } from './engine/group.ts';

/** Who intervenes, why, and what they saw. */
export interface Intervention {
  /** The operator. 1–256 characters. */
  readonly by: string;
  /** 1–1_000 characters, kept for ever in the journal. */
  readonly reason: string;
  /** The actor's revision as the operator saw it, from 0: see `get`, `stuck` or 'troupe show'. */
  readonly revision: number;
}

/** Proof that an intervention is on disk. */
export interface Intervened {
  readonly address: ActorAddress;
  /** The sequence number of its row in the actor's journal. */
  readonly seq: number;
}

export type InterventionAction = 'retry' | 'skip' | 'fork' | 'stop' | 'migrate' | 'redeliver';

/** Longest name of an operator. Characters. */
export const INTERVENTION_BY_CHARACTERS_MAX = 256;
/** Longest reason of an intervention. Characters. */
export const INTERVENTION_REASON_CHARACTERS_MAX = 1_000;

/** @returns the intervention, without what else the object holds. @throws {TroupeError} `invalid_intervention`. */
export function checkIntervention({ by, reason, revision }: Intervention): Intervention {
  requireText('by', by, INTERVENTION_BY_CHARACTERS_MAX, 'Name who intervenes.');
  requireText('reason', reason, INTERVENTION_REASON_CHARACTERS_MAX, 'Say why.');
  if (!Number.isSafeInteger(revision) || revision < 0) {
    throw invalid(
      `revision is ${String(revision)}. It is the whole number, from 0, that you saw: see 'troupe show'.`,
    );
  }
  return { by, reason, revision };
}

function requireText(name: string, value: unknown, max: number, mend: string): void {
  if (typeof value === 'string' && value.trim() !== '' && value.length <= max) return;
  throw invalid(`${name} is a text of 1 to ${max} characters, not only spaces. ${mend}`);
}

function invalid(message: string): TroupeError {
  return new TroupeError('invalid_intervention', message);
}

/**
 * The stored actor, when it is still as the operator saw it.
 * @throws {TroupeError} `actor_unknown`, `revision_conflict`: nothing was written.
 */
export function requireSeen(store: Store, address: ActorAddress, revision: number): ActorRow {
  const row = store.actors.get(address);
  if (row === undefined) {
    throw new TroupeError('actor_unknown', `There is no actor ${address}. See 'troupe ls'.`, {
      details: { address },
    });
  }
  if (row.revision === revision) return row;
  throw new TroupeError(
    'revision_conflict',
    `${address} is at revision ${row.revision}, not at ${revision} as you saw it. Look again with 'troupe show ${address}', and repeat with revision ${row.revision} if you still want to.`,
    { details: { address, revision: row.revision, seen: revision } },
  );
}

/**
 * Appends the row that tells of an intervention. The actor's revision stays as it is (K4).
 * @returns the row's sequence number.
 */
export function appendIntervention(
  { store, nowMs }: Transaction,
  address: ActorAddress,
  action: InterventionAction,
  { by, reason, revision }: Intervention,
  details: Readonly<Record<string, unknown>> = {},
): number {
  const row = store.actors.get(address);
  return store.journal.append({
    actor: address,
    revision: undefined,
    atMs: Math.max(nowMs, row?.updated_at ?? 0),
    kind: 'intervention',
    event: JSON.stringify({ type: `troupe.${action}`, by, reason, revision, ...details }),
    machineVersion: row?.machine_version,
    cause: undefined,
    state: row?.state ?? undefined,
  });
}
