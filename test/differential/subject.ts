// Subject: the same machine stepped by Troupe, with its snapshot kept in memory or read back from its text every time.

import { type AnyEventObject, type AnyStateMachine, isMachineSnapshot } from 'xstate';
import { defineMachine } from '../../actors/define-machine.ts';
import { createRegistry } from '../../actors/registry/index.ts';
import {
  type ActorState,
  type Armings,
  INIT_EVENT,
  type Origin,
  revive,
  StepError,
  type SteppedMachine,
  step,
  unborn,
} from '../../actors/step/index.ts';
import { type Outcome, recordOf } from './record.ts';

/** `live` keeps the snapshot between steps; `restored` reads it back from its stored text before every step. */
export type Mode = 'live' | 'restored';

/** Registers a machine as a host does, with inert children of its own copy (K8). */
export function register(machine: AnyStateMachine): SteppedMachine {
  const registry = createRegistry([defineMachine({ machine, version: 1 })], []);
  const registered = registry.machines.get(machine.id);
  if (registered === undefined) throw new Error(`The registry has no machine ${machine.id}`);
  return registered;
}

export class Subject {
  private readonly machine: SteppedMachine;
  private readonly mode: Mode;
  private state: ActorState;

  constructor(machine: SteppedMachine, mode: Mode) {
    this.machine = machine;
    this.mode = mode;
    this.state = unborn(`${machine.name}/1`, undefined, undefined);
  }

  /** The stored text of the actor, which both modes must agree on. */
  get text(): string {
    return this.state.text;
  }

  start(input: unknown, atMs: number): Outcome {
    return this.step({ type: INIT_EVENT, input }, { kind: 'event' }, atMs);
  }

  /** Steps an event. `timerId` is given when it is a delayed event that fires; a child's result tells by its type. */
  send(event: AnyEventObject, atMs: number, timerId?: string): Outcome {
    return this.step(event, originOf(event, this.state.armings, timerId), atMs);
  }

  private step(event: AnyEventObject, origin: Origin, atMs: number): Outcome {
    const before = this.state;
    try {
      const stepped = step(this.machine, before, { event, origin, atMs });
      if (stepped.kind === 'late') throw new Error(`${event.type} was late`);
      this.state = stepped.after;
      if (this.mode === 'restored' || !stepped.exact) this.reload();
      const { snapshot } = this.state;
      if (!isMachineSnapshot(snapshot)) throw new Error('The snapshot is not of a machine');
      return recordOf(snapshot, stepped.actions);
    } catch (error) {
      if (!(error instanceof StepError)) throw error;
      if (before.snapshot !== undefined) this.reload();
      return { threw: thrownBy(error) };
    }
  }

  private reload(): void {
    this.state = revive(this.machine, this.state);
  }
}

/** What machine code threw, or the code of what Troupe refuses by itself. */
function thrownBy(error: StepError): string {
  const machineThrew = error.code === 'machine_threw' || error.code === 'target_unknown';
  return machineThrew ? error.message : `${error.code}: ${error.message}`;
}

function originOf(event: AnyEventObject, armings: Armings, timerId: string | undefined): Origin {
  if (timerId !== undefined) {
    const timer = Object.entries(armings.timers).find(([, id]) => id === timerId);
    if (timer) return { kind: 'timer', incarnation: timer[0] };
  }
  const childId = /^xstate\.(?:done|error)\.actor\.(.*)$/.exec(event.type)?.[1] ?? '';
  const call = armings.calls[childId];
  if (call !== undefined) return { kind: 'call', incarnation: call };
  const actor = armings.actors[childId];
  if (actor !== undefined) return { kind: 'actor', incarnation: actor };
  return { kind: 'event' };
}
