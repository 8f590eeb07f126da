// Reference: a machine run by XState's public `initialTransition` and `transition`, which order and never perform.
//
// The machine is the one of the test itself; the other side makes its own copy, so neither can touch the other. Children
// are made by XState and never started.

import {
  type AnyEventObject,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  type AnyStateNode,
  initialTransition,
  transition,
} from 'xstate';
import { type Outcome, type RawAction, recordOf } from './record.ts';

/** A delayed event of the machine to itself that is waiting. */
export interface WaitingEvent {
  readonly id: string | undefined;
  readonly event: AnyEventObject;
}

export class Reference {
  private readonly machine: AnyStateMachine;
  private snapshot: AnyMachineSnapshot | undefined;
  private waitingEvents: readonly WaitingEvent[] = [];

  constructor(machine: AnyStateMachine) {
    this.machine = machine;
  }

  get isActive(): boolean {
    return this.snapshot?.status === 'active';
  }

  /**
   * False when XState itself has left the legal configurations of a statechart: an active state without its parent, a
   * region without a state. 5.33.3 does so when a parallel state is sent to its own history from inside. What is active
   * then is not what the state value says, so no stored form of the value can give it back.
   */
  get isLegal(): boolean {
    return this.snapshot === undefined || isLegalConfiguration(activeNodes(this.snapshot));
  }

  /** The delayed events that the machine has ordered to itself and not cancelled, in order. */
  get waiting(): readonly WaitingEvent[] {
    return this.waitingEvents;
  }

  get children(): readonly string[] {
    return Object.keys(this.snapshot?.children ?? {});
  }

  start(input: unknown): Outcome {
    const [snapshot, actions] = initialTransition(this.machine, input as never);
    if (snapshot.status === 'error') return { threw: messageOf(snapshot.error) };
    return this.accept(snapshot, actions);
  }

  /** Steps a stamped event. When the machine throws, the snapshot stays as it was. */
  send(event: AnyEventObject): Outcome {
    const before = this.snapshot;
    if (before === undefined) throw new Error('start() comes first');
    try {
      const [after, actions] = transition(this.machine, before, event as never);
      return this.accept(withoutFinishedSpawned(before, after, event), actions);
    } catch (error) {
      return { threw: messageOf(error) };
    }
  }

  /** Takes a waiting event out, as its firing does. */
  fire(waiting: WaitingEvent): void {
    this.waitingEvents = this.waitingEvents.filter((other) => other !== waiting);
  }

  private accept(snapshot: AnyMachineSnapshot, actions: readonly RawAction[]): Outcome {
    this.snapshot = snapshot;
    for (const action of actions) this.arm(action);
    return recordOf(snapshot, actions);
  }

  private arm({ type, params, info }: RawAction): void {
    if (type === 'xstate.cancel') {
      const { sendId } = params as { readonly sendId: string };
      this.waitingEvents = this.waitingEvents.filter(({ id }) => id !== sendId);
    }
    if (type !== 'xstate.raise' && type !== 'xstate.sendTo') return;
    const { id, event, delay, to } = params as Delayed;
    if (typeof delay !== 'number') return;
    if (type === 'xstate.sendTo' && to !== (info as { readonly self: unknown }).self) return;
    this.waitingEvents = [...this.waitingEvents, { id, event }];
  }
}

interface Delayed {
  readonly id: string | undefined;
  readonly event: AnyEventObject;
  readonly delay: number | undefined;
  readonly to?: unknown;
}

/**
 * Known difference: XState keeps a spawned child that has ended in `children` for ever; here it leaves with its result,
 * so that snapshots do not grow (DESIGN, The step). An invoked child leaves with its state, as in XState.
 */
function withoutFinishedSpawned(
  before: AnyMachineSnapshot,
  after: AnyMachineSnapshot,
  event: AnyEventObject,
): AnyMachineSnapshot {
  const id = /^xstate\.(?:done|error)\.actor\.(.*)$/.exec(event.type)?.[1];
  if (id === undefined) return after;
  const child = before.children[id];
  if (child === undefined || after.children[id] !== child) return after;
  const isInvoked = activeNodes(after).some((node) => node.invoke.some((own) => own.id === id));
  if (isInvoked) return after;
  const { [id]: _finished, ...children } = after.children;
  return Object.assign({}, after, { children });
}

/** XState keeps the active nodes in an underscored member. */
function activeNodes(snapshot: AnyMachineSnapshot): readonly AnyStateNode[] {
  return (snapshot as AnyMachineSnapshot & { readonly _nodes: readonly AnyStateNode[] })._nodes;
}

function isLegalConfiguration(nodes: readonly AnyStateNode[]): boolean {
  const active = new Set(nodes);
  return nodes.every((node) => {
    if (node.parent !== undefined && !active.has(node.parent)) return false;
    const children = Object.values(node.states).filter((child) => child.type !== 'history');
    const entered = children.filter((child) => active.has(child)).length;
    if (node.type === 'parallel') return entered === children.length;
    return entered === (node.type === 'compound' ? 1 : 0);
  });
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
