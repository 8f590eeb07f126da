// Coverage: which states were entered and which transitions taken, in every microstep.
//
// A mark is an action that does nothing but note. It stands before the other actions of a transition or an entry, so it runs
// when XState takes the one or enters the other, eventless and preempted ones told apart, and orders no effect. What a step
// that threw has noted is dropped.

import type { AnyStateMachine } from 'xstate';
import { type ChartNode, type ChartTransition, nodesOf, transitionsOf } from './chart.ts';

export interface Coverage {
  /** States by id. History states are never active, and the root always is: they do not count. A root without states does. */
  readonly states: {
    readonly total: number;
    readonly visited: number;
    readonly missed: readonly string[];
  };
  /** Transitions: `on`, `always`, `after`, `onDone`, `onError`, wildcards; each guarded one of a list for itself. */
  readonly transitions: {
    readonly total: number;
    readonly taken: number;
    readonly missed: readonly string[];
  };
}

/** Marks of a machine that belongs to the exploration alone. */
export class Marks {
  private readonly states = new Map<string, boolean>();
  private readonly transitions = new Map<string, boolean>();
  /** What is to be noted of the step that runs. */
  private pending: (() => void)[] = [];

  constructor(machine: AnyStateMachine) {
    const [root, ...others] = nodesOf(machine);
    if (root !== undefined) this.mark(root, { isState: others.length === 0 });
    for (const node of others) this.mark(node, { isState: node.type !== 'history' });
  }

  /** The step that ran has come to its end. */
  keep(): void {
    for (const note of this.pending) note();
    this.pending = [];
  }

  /** The step that ran is one that no actor has taken: it threw, or moved nothing. */
  drop(): void {
    this.pending = [];
  }

  get coverage(): Coverage {
    const [states, transitions] = [missedOf(this.states), missedOf(this.transitions)];
    const { size: statesTotal } = this.states;
    const { size: transitionsTotal } = this.transitions;
    return {
      states: { total: statesTotal, visited: statesTotal - states.length, missed: states },
      transitions: {
        total: transitionsTotal,
        taken: transitionsTotal - transitions.length,
        missed: transitions,
      },
    };
  }

  private mark(node: ChartNode, { isState }: { readonly isState: boolean }): void {
    for (const { name, transition } of transitionsOf(node)) this.markTransition(name, transition);
    if (!isState) return;
    node.entry = [this.markIn(this.states, node.id), ...node.entry];
  }

  private markTransition(name: string, transition: ChartTransition): void {
    transition.actions = [this.markIn(this.transitions, name), ...transition.actions];
  }

  private markIn(marks: Map<string, boolean>, name: string): unknown {
    marks.set(name, false);
    const note = () => marks.set(name, true);
    return noteThat(() => {
      if (marks.get(name) === false) this.pending.push(note);
    });
  }
}

function missedOf(marks: ReadonlyMap<string, boolean>): string[] {
  return [...marks].flatMap(([name, isSeen]) => (isSeen ? [] : [name]));
}

/** In XState's form of a built-in action: it resolves to the snapshot as it is and has nothing to execute. */
function noteThat(note: () => void): unknown {
  return Object.assign(() => {}, {
    type: 'troupe.note',
    resolve: (_scope: unknown, snapshot: unknown) => {
      note();
      return [snapshot, undefined, undefined];
    },
  });
}
