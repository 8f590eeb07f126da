// Reading: an actor's journal in pages, from where its replay can begin.
//
// J2  a replay begins at the birth or a checkpoint of the registered version, and reads up to the row that was the
//     last one when it began: the journal is append-only, so what is written meanwhile changes nothing.

import {
  type ActorAddress,
  type ActorRow,
  type JournalRow,
  type Store,
  TroupeError,
} from '../../persistence/index.ts';
import { isStubbed } from '../engine/orders.ts';
import type { RegisteredMachine, Registry } from '../registry/index.ts';
import {
  type ActorState,
  atCheckpoint,
  NO_ARMINGS,
  STUBBED,
  StepError,
  unborn,
} from '../step/index.ts';
import { type Divergence, divergenceInWords } from './divergence.ts';
import { Walk } from './walk.ts';

export interface ReadingPorts {
  readonly registry: Registry;
  /** Runs reads that see the store at one moment. @throws {TroupeError} `storage_…`. */
  readonly read: <T>(look: (store: Store) => T) => T;
  /** Lets the process do what waits, between two pages. */
  readonly pause: () => Promise<void>;
}

/** Rows that are read, and stepped, without a pause. */
const PAGE_ROWS = 200;

/** An actor and its journal as they stood together. */
export interface Reading {
  readonly machine: RegisteredMachine;
  readonly row: ActorRow;
  readonly walk: Walk;
  /** The revision at which the walk begins; 0 is the birth. */
  readonly from: number;
  /** The row after which it begins, and the last one that it takes. */
  readonly after: number;
  readonly last: number;
}

/** Where a replay shall begin: at the newest checkpoint up to a revision, else as early as the version allows. */
export type Begin = { readonly upTo: number } | 'oldest';

/**
 * @returns the reading; a divergence when the checkpoint that it would begin with cannot be read.
 * @throws {TroupeError} `actor_unknown`, `machine_unknown`, `machine_version`, `revision_unknown`.
 */
export function openReading(
  { registry, read }: ReadingPorts,
  address: ActorAddress,
  begin: Begin,
): Reading | Divergence {
  return read((store) => {
    const row = store.actors.get(address);
    if (row === undefined) throw unknownActor(address);
    const machine = requireMachine(registry, row);
    const opening = beginningOf(store, row, machine, begin);
    const state = opening === undefined ? bornOf(row) : restored(machine, row, opening);
    if ('differences' in state) return state;
    const { revision } = state;
    const walk = new Walk(machine, state);
    if (opening !== undefined) walk.seq = opening.seq;
    const last = store.journal.lastOf(address);
    return { machine, row, walk, from: revision, after: opening?.seq ?? 0, last };
  });
}

/**
 * Takes the rows of a reading until the journal ends, `visit` returns false, or the replay diverges.
 * @throws {TroupeError} `machine_version` at a row of another version.
 */
export async function walkThrough(
  { read, pause }: ReadingPorts,
  { machine, row: { id }, walk, after: begin, last }: Reading,
  visit: (row: JournalRow) => boolean = () => true,
): Promise<void> {
  let after = begin;
  for (;;) {
    const from = after;
    const rows = read((store) => store.journal.ofActor(id, from, PAGE_ROWS));
    for (const row of rows) {
      if (row.seq > last) return;
      requireVersion(machine, row);
      if (!walk.take(row) || !visit(row)) return;
      after = row.seq;
    }
    if (rows.length < PAGE_ROWS) return;
    await pause();
  }
}

/** The row of the checkpoint that a replay begins with; undefined for a birth. */
function beginningOf(
  store: Store,
  { id, machine_version: stored }: ActorRow,
  { name, version }: RegisteredMachine,
  begin: Begin,
): JournalRow | undefined {
  const { journal } = store;
  if (begin !== 'oldest') {
    const near = journal.checkpointBefore(id, version, begin.upTo);
    if (near !== undefined) return near;
  }
  const opening = journal.opening(id);
  const isBirth = opening === undefined || opening.origin === 'init';
  if (isBirth && (opening?.machine_version ?? version) === version) return undefined;
  const oldest = journal.oldestCheckpoint(id, version);
  if (oldest !== undefined && begin === 'oldest') return oldest;
  if (oldest !== undefined || opening?.machine_version === version) {
    throw revisionUnknown(id, begin === 'oldest' ? 0 : begin.upTo, oldest?.revision ?? 0);
  }
  throw new TroupeError(
    'machine_version',
    `The journal of ${id} has no checkpoint of version ${version} of machine '${name}', which is registered here: its rows are of version ${opening?.machine_version ?? stored}. Register that version to look at them.`,
    { details: { address: id, version, stored: opening?.machine_version ?? stored } },
  );
}

function restored(
  machine: RegisteredMachine,
  row: ActorRow,
  { seq, revision, checkpoint }: JournalRow,
): ActorState | Divergence {
  const place = { seq, revision: revision ?? 0 };
  try {
    const actor = { ...identityOf(row), revision: place.revision };
    return atCheckpoint(machine, actor, checkpoint ?? '');
  } catch (error) {
    if (!(error instanceof StepError)) throw error;
    const why = `${error.code}: ${error.message}`;
    return divergenceInWords({ ...place, what: 'checkpoint' }, 'a checkpoint', why);
  }
}

/** An actor as it was when it was born. */
export function bornOf(row: ActorRow): ActorState {
  const { address, parent, childId } = identityOf(row);
  return unborn(address, parent, childId, isStubbed(row.armings) ? STUBBED : NO_ARMINGS);
}

function identityOf(row: ActorRow) {
  return { address: row.id, parent: row.parent ?? undefined, childId: row.child_id ?? undefined };
}

function requireMachine(registry: Registry, { id, machine: name }: ActorRow): RegisteredMachine {
  const machine = registry.machines.get(name);
  if (machine !== undefined) return machine;
  const known = [...registry.machines.keys()].join(', ') || 'none';
  throw new TroupeError(
    'machine_unknown',
    `Machine '${name}' of ${id} is not registered here (known: ${known}), and without its code nothing can be replayed. Pass it to openTroupe({ machines: […], host: false }), or name it in a configuration (--config).`,
    { details: { address: id, machine: name } },
  );
}

function requireVersion({ name, version }: RegisteredMachine, row: JournalRow): void {
  if (row.machine_version === null || row.machine_version === version) return;
  throw new TroupeError(
    'machine_version',
    `From row ${row.seq} on, the journal of ${row.actor} is of version ${row.machine_version} of machine '${name}'; version ${version} is registered here.`,
    { details: { address: row.actor, seq: row.seq, version, stored: row.machine_version } },
  );
}

export function unknownActor(address: string): TroupeError {
  return new TroupeError('actor_unknown', `There is no actor ${address}. See 'troupe ls'.`, {
    details: { address },
  });
}

/** There is no such revision, or none that the journal still leads to. */
export function revisionUnknown(address: string, revision: number, first: number, last?: number) {
  const range = last === undefined ? `from ${first} on` : `${first} to ${last}`;
  return new TroupeError(
    'revision_unknown',
    `${address} has no revision ${revision} that its journal leads to: there are ${range}. See 'troupe journal ${address}'.`,
    { details: { address, revision, first, last } },
  );
}
