// Past: an actor as it was at one of its revisions, computed from its journal without touching it (J3).

import { type ActorAddress, type JournalRow, TroupeError } from '../../persistence/index.ts';
import { parseStored } from '../json.ts';
import type { RegisteredMachine } from '../registry/index.ts';
import type { ActorState, Armings, Step } from '../step/index.ts';
import type { Divergence } from './divergence.ts';
import {
  openReading,
  type Reading,
  type ReadingPorts,
  revisionUnknown,
  unknownActor,
  walkThrough,
} from './reading.ts';

/** An actor as it was at a revision. Times are milliseconds since 1970. */
export interface PastActor {
  readonly address: ActorAddress;
  readonly machine: string;
  readonly version: number;
  readonly parent: ActorAddress | undefined;
  readonly revision: number;
  readonly status: Step['status'];
  /** The state value; null for logic without states. */
  readonly state: unknown;
  readonly tags: readonly string[];
  readonly context: unknown;
  readonly output: unknown;
  /** The machine's own error when its status is `error`. */
  readonly error: unknown;
  /** What could still move it: its timers, calls and children. */
  readonly armings: Armings;
  /** The journal row that made the revision, with its time and its event. */
  readonly seq: number;
  readonly atMs: number;
  readonly event: unknown;
}

/** The same, as a fork needs it. */
export interface Past {
  readonly machine: RegisteredMachine;
  readonly state: ActorState;
  /** The row that made the revision. */
  readonly made: JournalRow;
}

/**
 * @throws {TroupeError} `actor_unknown`, `revision_unknown`, `machine_unknown`, `machine_version`, `replay_diverged`,
 * `storage_…`.
 */
export async function pastActor(
  ports: ReadingPorts,
  address: ActorAddress,
  revision: number,
): Promise<PastActor> {
  const { machine, state, made } = await pastOf(ports, address, revision);
  const { snapshot, text, armings } = state;
  const stored = parseStored(text) as Partial<Record<'context' | 'output' | 'error', unknown>>;
  return {
    address,
    machine: machine.name,
    version: machine.version,
    parent: state.parent,
    revision,
    status: snapshot?.status ?? 'active',
    state: parseStored(made.state),
    tags: snapshot !== undefined && 'tags' in snapshot ? [...snapshot.tags] : [],
    context: stored.context,
    output: stored.output,
    error: stored.error,
    armings,
    seq: made.seq,
    atMs: made.at,
    event: parseStored(made.event),
  };
}

/** @throws as `pastActor`. */
export async function pastOf(
  ports: ReadingPorts,
  address: ActorAddress,
  revision: number,
): Promise<Past> {
  requireRevision(ports, address, revision);
  const reading = openReading(ports, address, { upTo: revision });
  if ('differences' in reading) throw diverged(address, revision, reading);
  const made =
    reading.from === revision ? rowOf(ports, reading) : await walkTo(ports, reading, revision);
  const { machine, walk } = reading;
  if (walk.divergence !== undefined) throw diverged(address, revision, walk.divergence);
  if (made === undefined)
    throw revisionUnknown(address, revision, reading.from, walk.state.revision);
  return { machine, state: walk.state, made };
}

function requireRevision({ read }: ReadingPorts, address: ActorAddress, revision: number): void {
  const row = read((store) => store.actors.get(address));
  if (row === undefined) throw unknownActor(address);
  if (Number.isInteger(revision) && revision >= 1 && revision <= row.revision) return;
  throw revisionUnknown(address, revision, 1, row.revision);
}

/** The row of the checkpoint with which the reading begins: it is the one that made the revision. */
function rowOf({ read }: ReadingPorts, { row, after }: Reading): JournalRow | undefined {
  return read((store) => store.journal.ofActor(row.id, after - 1, 1)).at(0);
}

async function walkTo(
  ports: ReadingPorts,
  reading: Reading,
  revision: number,
): Promise<JournalRow | undefined> {
  let made: JournalRow | undefined;
  await walkThrough(ports, reading, (row) => {
    if (reading.walk.state.revision === revision) made = row;
    return made === undefined;
  });
  return made;
}

function diverged(address: string, revision: number, divergence: Divergence): TroupeError {
  const { seq, what } = divergence;
  return new TroupeError(
    'replay_diverged',
    `Revision ${revision} of ${address} cannot be shown: at row ${seq} its journal and this code differ (${what}). See 'troupe replay ${address}'.`,
    { details: { address, ...divergence } },
  );
}
