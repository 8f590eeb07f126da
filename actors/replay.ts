// Replay: takes an actor's journal through the step again, from its birth, and compares what comes out (J2). It reads
// what it is given and touches no store.

import type { JournalRow } from '../persistence/index.ts';
import { originOf } from './engine/origin.ts';
import {
  type ActorState,
  checkpointOf,
  type MachineEvent,
  revive,
  StepError,
  type StepErrorCode,
  type SteppedMachine,
  step,
  unborn,
} from './step/index.ts';

/** The first row of a journal that the step does not repeat. */
export interface Divergence {
  readonly seq: number;
  readonly what: 'revision' | 'state' | 'effects' | 'checkpoint' | 'late' | 'throw';
  readonly journal: string;
  readonly replay: string;
}

export interface Replay {
  /** The actor as the journal leaves it; as it was before the row that diverges. */
  readonly state: ActorState;
  readonly divergence: Divergence | undefined;
}

type Born = Pick<ActorState, 'address' | 'parent' | 'childId'>;

/** Replays all rows of one actor, in order, beginning with its birth. */
export function replay(machine: SteppedMachine, born: Born, rows: readonly JournalRow[]): Replay {
  let state = unborn(born.address, born.parent, born.childId);
  for (const row of rows) {
    const taken = takeRow(machine, state, row);
    if ('what' in taken) return { state, divergence: taken };
    state = taken;
  }
  return { state, divergence: undefined };
}

function takeRow(
  machine: SteppedMachine,
  before: ActorState,
  row: JournalRow,
): ActorState | Divergence {
  if (row.origin === null) return before;
  switch (row.kind) {
    case 'step':
      return compareStep(machine, before, row);
    case 'late': {
      const result = step(machine, before, deliveryOf(row));
      return result.kind === 'late' ? before : differs(row, 'late', 'late', 'it moves the actor');
    }
    case 'stuck':
      return compareThrow(machine, before, row);
    case 'stopped':
    case 'intervention':
      return before;
  }
}

function compareStep(
  machine: SteppedMachine,
  before: ActorState,
  row: JournalRow,
): ActorState | Divergence {
  const result = attempt(() => step(machine, before, deliveryOf(row)));
  if (result instanceof StepError) return differs(row, 'throw', 'a step', result.message);
  if (result.kind === 'late') return differs(row, 'late', 'a step', 'late');
  const { after } = result;
  const checkpoint = checkpointOf(after);
  if (after.revision !== row.revision) {
    return differs(row, 'revision', String(row.revision), String(after.revision));
  }
  if (result.state !== row.state) return differs(row, 'state', row.state, result.state);
  if ((result.effectsText ?? null) !== row.effects) {
    return differs(row, 'effects', row.effects, result.effectsText);
  }
  if (row.checkpoint !== null && row.checkpoint !== checkpoint) {
    return differs(row, 'checkpoint', row.checkpoint, checkpoint);
  }
  return result.exact ? after : revive(machine, after);
}

/** What parked the actor parks it again; its snapshot is the one before. What ended hosts is not taken again (V3). */
function compareThrow(
  machine: SteppedMachine,
  before: ActorState,
  row: JournalRow,
): ActorState | Divergence {
  if (isPoisoned(row)) return before;
  const result = attempt(() => step(machine, before, deliveryOf(row)));
  if (!(result instanceof StepError)) return differs(row, 'throw', 'stuck', result.kind);
  return before.snapshot === undefined ? before : revive(machine, before);
}

function isPoisoned(row: JournalRow): boolean {
  const [reason] = JSON.parse(row.effects ?? '[]') as { readonly code?: string }[];
  return reason?.code === ('message_poisoned' satisfies StepErrorCode);
}

function attempt<T>(run: () => T): T | StepError {
  try {
    return run();
  } catch (error) {
    if (error instanceof StepError) return error;
    throw error;
  }
}

function deliveryOf(row: JournalRow) {
  const event = JSON.parse(row.event ?? 'null') as MachineEvent;
  return { event, atMs: row.at, origin: originOf({ ...row, kind: row.origin ?? 'event' }) };
}

function differs(
  { seq }: JournalRow,
  what: Divergence['what'],
  journal: string | null,
  replayed: string | undefined,
): Divergence {
  return { seq, what, journal: journal ?? 'nothing', replay: replayed ?? 'nothing' };
}
