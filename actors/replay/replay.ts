// Replay: proves that an actor's journal leads to the actor that is stored, or names where it does not (J2).

import type { ActorAddress, ActorRow, JournalRow } from '../../persistence/index.ts';
import type { RegisteredMachine } from '../registry/index.ts';
import type { Divergence } from './divergence.ts';
import { bornOf, openReading, type ReadingPorts, walkThrough } from './reading.ts';
import { Walk } from './walk.ts';

export interface ReplayOptions {
  /**
   * Begins at the newest checkpoint of the registered version up to this revision. Default: as early as that version
   * allows, at the birth or at its oldest checkpoint.
   */
  readonly from?: number;
}

/** What a replay has shown. */
export interface Replay {
  readonly address: ActorAddress;
  /** The revision at which it began; 0 is the birth. */
  readonly from: number;
  /** The revision at which it ended: the actor's, or the one before the divergence. */
  readonly revision: number;
  readonly steps: number;
  /** Checkpoints that were compared, the one that it began with not among them. */
  readonly checkpoints: number;
  /** Journal rows of messages that parked the actor, and that the code at hand can step: no divergence, but worth a look. */
  readonly mended: readonly number[];
  /** Undefined when every step, checkpoint and the stored actor are equal to the byte. */
  readonly divergence: Divergence | undefined;
}

/** @throws {TroupeError} `actor_unknown`, `machine_unknown`, `machine_version`, `revision_unknown`, `storage_…`. */
export async function replayActor(
  ports: ReadingPorts,
  address: ActorAddress,
  { from }: ReplayOptions = {},
): Promise<Replay> {
  const reading = openReading(ports, address, from === undefined ? 'oldest' : { upTo: from });
  if ('differences' in reading) return unread(address, reading);
  const { walk, row } = reading;
  await walkThrough(ports, reading);
  return {
    address,
    from: reading.from,
    revision: walk.state.revision,
    steps: walk.steps,
    checkpoints: walk.checkpoints,
    mended: walk.mended,
    divergence: walk.divergence ?? walk.end(row),
  };
}

/** The very checkpoint with which it would begin cannot be read. */
function unread(address: ActorAddress, divergence: Divergence): Replay {
  const { revision } = divergence;
  return { address, from: revision, revision, steps: 0, checkpoints: 0, mended: [], divergence };
}

/** Replays rows that are at hand, from the birth on, and compares their end with the stored actor. */
export function replayRows(
  machine: RegisteredMachine,
  row: ActorRow,
  rows: readonly JournalRow[],
): Divergence | undefined {
  const walk = new Walk(machine, bornOf(row));
  const isEqual = rows.every((each) => walk.take(each));
  return isEqual ? walk.end(row) : walk.divergence;
}
