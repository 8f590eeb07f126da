// Walk: takes the rows of an actor's journal through the step again, one by one, and compares what comes out (J2). It
// reads what it is given and touches no store.

import type { ActorRow, JournalRow } from '../../persistence/index.ts';
import { originOf } from '../engine/origin.ts';
import { checkOutput } from '../engine/output.ts';
import type { RegisteredMachine } from '../registry/index.ts';
import {
  type ActorState,
  checkpointOf,
  type Delivery,
  type Late,
  type MachineEvent,
  messageOf,
  revive,
  type Step,
  StepError,
  type StepErrorCode,
  step,
  unborn,
} from '../step/index.ts';
import { type Divergence, divergenceInWords, divergenceOf } from './divergence.ts';

/** Where a walk has come to. */
export class Walk {
  /** The actor after the last row; as it was before the row that diverges. */
  state: ActorState;
  status: Step['status'] = 'active';
  /** The state value as JSON. */
  stateValue: string | undefined;
  /** The last row. 0 before the first. */
  seq = 0;
  steps = 0;
  /** Checkpoints that were compared. */
  checkpoints = 0;
  /** Rows of messages that parked the actor, and that the code at hand can step. */
  readonly mended: number[] = [];
  divergence: Divergence | undefined;
  private readonly machine: RegisteredMachine;

  constructor(machine: RegisteredMachine, begin: ActorState) {
    this.machine = machine;
    this.state = begin;
  }

  /** Takes the next row. False once the journal and the replay have parted: no row may follow. */
  take(row: JournalRow): boolean {
    this.seq = row.seq;
    this.divergence = this.compare(row);
    return this.divergence === undefined;
  }

  /** Compares the actor as it is stored with where its journal has led. */
  end(row: ActorRow): Divergence | undefined {
    const { state } = this;
    const place = { seq: this.seq, revision: state.revision };
    const differs = (
      what: Divergence['what'],
      stored: string | null,
      replayed: string | undefined,
    ) =>
      (stored ?? undefined) === replayed
        ? undefined
        : divergenceOf({ ...place, what }, stored, replayed);
    const isBorn = state.revision > 0;
    const armings = isBorn || row.armings !== null ? JSON.stringify(state.armings) : undefined;
    return (
      differs('revision', String(row.revision), String(state.revision)) ??
      differs('snapshot', row.snapshot, isBorn ? state.text : undefined) ??
      differs('armings', row.armings, armings) ??
      (this.stateValue === undefined ? undefined : differs('state', row.state, this.stateValue)) ??
      (fitsStatus(row.status, this.status)
        ? undefined
        : divergenceInWords({ ...place, what: 'status' }, row.status, this.status))
    );
  }

  private compare(row: JournalRow): Divergence | undefined {
    // An end of a call that nobody waited for, an intervention, a stop: none of them is a step.
    if (row.origin === null) return undefined;
    const delivery = deliveryOf(row);
    if (typeof delivery === 'string') {
      return divergenceInWords(this.placeOf(row, 'event'), row.event ?? 'nothing', delivery);
    }
    switch (row.kind) {
      case 'step':
        return this.compareStep(row, delivery);
      case 'late':
        return this.compareLate(row, delivery);
      case 'stuck':
        return this.compareThrow(row, delivery);
      case 'stopped':
      case 'intervention':
        return undefined;
    }
  }

  private compareStep(row: JournalRow, delivery: Delivery): Divergence | undefined {
    const result = this.attempt(delivery);
    if (result instanceof StepError) {
      return divergenceInWords(this.placeOf(row, 'throw'), 'a step', stuckBy(result));
    }
    if (result.kind === 'late') {
      return divergenceInWords(this.placeOf(row, 'late'), 'a step', 'late: nothing waits for it');
    }
    const divergence = this.difference(row, result);
    if (divergence === undefined) this.keep(result);
    return divergence;
  }

  private difference(row: JournalRow, { after, state, effectsText }: Step): Divergence | undefined {
    const revision = String(after.revision);
    if (String(row.revision) !== revision) {
      return divergenceOf(this.placeOf(row, 'revision'), String(row.revision), revision);
    }
    if (state !== row.state) return divergenceOf(this.placeOf(row, 'state'), row.state, state);
    if ((effectsText ?? null) !== row.effects) {
      return divergenceOf(this.placeOf(row, 'effects'), row.effects, effectsText);
    }
    if (row.checkpoint === null) return undefined;
    this.checkpoints++;
    const checkpoint = checkpointOf(after);
    if (row.checkpoint === checkpoint) return undefined;
    return divergenceOf(this.placeOf(row, 'checkpoint'), row.checkpoint, checkpoint);
  }

  private keep({ after, exact, status, state }: Step): void {
    this.steps++;
    this.status = status;
    this.stateValue = state;
    this.state = exact ? after : revive(this.machine, after);
  }

  private compareLate(row: JournalRow, delivery: Delivery): Divergence | undefined {
    const result = this.attempt(delivery);
    if ('kind' in result && result.kind === 'late') return undefined;
    return divergenceInWords(this.placeOf(row, 'late'), 'late', 'it moves the actor');
  }

  /**
   * What parked the actor parks it again; if it does not, its code was mended. Either way the actor stays as it was. What ended
   * hosts is not taken again (V3).
   */
  private compareThrow(row: JournalRow, delivery: Delivery): undefined {
    if (isPoisoned(row)) return;
    if (!(this.attempt(delivery) instanceof StepError)) this.mended.push(row.seq);
    const { state } = this;
    this.state =
      state.snapshot === undefined
        ? unborn(state.address, state.parent, state.childId, state.armings)
        : revive(this.machine, state);
  }

  private attempt(delivery: Delivery): Step | Late | StepError {
    try {
      const result = step(this.machine, this.state, delivery);
      if (result.kind === 'step') checkOutput(this.machine, result);
      return result;
    } catch (error) {
      if (error instanceof StepError) return error;
      throw error;
    }
  }

  private placeOf(row: JournalRow, what: Divergence['what']) {
    return { seq: row.seq, revision: row.revision ?? this.state.revision, what };
  }
}

/** What came, as the step took it; in words why it cannot be read, when the row is damaged. */
function deliveryOf(row: JournalRow): Delivery | string {
  try {
    const event = JSON.parse(row.event ?? '') as MachineEvent | null;
    if (typeof event?.type !== 'string') return 'it has no type';
    return { event, atMs: row.at, origin: originOf({ ...row, kind: row.origin ?? 'event' }) };
  } catch (error) {
    // Not JSON, or the answer to an arming that has no name.
    return messageOf(error);
  }
}

function stuckBy({ code, message }: StepError): string {
  return `${code}: ${message}`;
}

/** An actor that is active to its machine may be stuck or stopped in the store. */
function fitsStatus(stored: ActorRow['status'], replayed: Step['status']): boolean {
  return replayed === 'active'
    ? stored === 'active' || stored === 'stuck' || stored === 'stopped'
    : stored === replayed;
}

function isPoisoned(row: JournalRow): boolean {
  const [reason] = JSON.parse(row.effects ?? '[]') as { readonly code?: string }[];
  return reason?.code === ('message_poisoned' satisfies StepErrorCode);
}
