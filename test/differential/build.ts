// Build: a plan becomes a machine of XState.
//
// Whatever XState does by itself within one step (always, raised events, onDone, wildcards, which see those too) costs
// fuel from the context, so no generated machine can loop for ever.

import { type AnyStateMachine, and, createMachine, not, or, sendTo, stateIn } from 'xstate';
import type {
  ActionPlan,
  GuardPlan,
  InvokePlan,
  MachinePlan,
  StatePlan,
  TransitionPlan,
} from './plan.ts';
import {
  type Args,
  actionOf,
  implementations,
  input,
  machineOutput,
  outputs,
  type Raising,
  raiseFreely,
  raiseOnFuel,
} from './pool.ts';

/** A state of the plan with its place in the tree. Ids are `s1`, `s2`, … in the order of the document. */
interface Placed {
  readonly id: string;
  readonly plan: StatePlan;
  readonly kind: StatePlan['kind'];
  readonly parent: Placed | undefined;
  readonly children: Placed[];
}

/** The child id that several states may use. */
const SHARED_ID = 'i0';

type Config = Readonly<Record<string, unknown>>;

export function buildMachine(plan: MachinePlan): AnyStateMachine {
  return new Builder(plan).machine();
}

class Builder {
  private readonly plan: MachinePlan;
  private readonly placed: Placed[] = [];
  private readonly root: Placed;

  constructor(plan: MachinePlan) {
    this.plan = plan;
    this.root = this.place(plan.root, undefined, false);
  }

  machine(): AnyStateMachine {
    const config = {
      ...this.state(this.root),
      id: this.root.id,
      context: { a: 0, b: 0, fuel: this.plan.fuel },
      ...(this.plan.output ? { output: machineOutput } : {}),
    };
    // The configuration is put together from data, so no type can tell what is in it.
    return createMachine(config as never, implementations as never) as AnyStateMachine;
  }

  private place(plan: StatePlan, parent: Placed | undefined, mustHold: boolean): Placed {
    const isHistory = plan.kind === 'shallow' || plan.kind === 'deep';
    const kind = isHistory && mustHold ? 'atomic' : plan.kind;
    const placed: Placed = { id: `s${this.placed.length}`, plan, kind, parent, children: [] };
    this.placed.push(placed);
    // A state needs a first child that can be entered.
    for (const [index, child] of plan.children.entries()) {
      placed.children.push(this.place(child, placed, index === 0));
    }
    return placed;
  }

  private state(placed: Placed): Config {
    const { plan, kind, id } = placed;
    if (kind === 'shallow' || kind === 'deep') return this.history(placed);
    const common = {
      id,
      entry: [...this.actions(plan.entry), ...greetings(placed, 'entry')],
      exit: [...this.actions(plan.exit), ...greetings(placed, 'exit')],
      tags: plan.tags,
      meta: { id },
    };
    if (kind === 'final') {
      return {
        ...common,
        type: 'final',
        ...(plan.extra === undefined ? {} : { output: outputs[plan.extra % outputs.length] }),
      };
    }
    return { ...common, ...this.behaviour(placed), ...this.inner(placed) };
  }

  private history({ id, kind, plan, parent }: Placed): Config {
    const targets = this.placed.filter((other) => isBelow(other, parent) && !isHistory(other));
    // Without one, a parallel parent often ends in no legal configuration (see Reference.isLegal).
    const needsTarget = plan.extra !== undefined || parent?.kind === 'parallel';
    const target = needsTarget ? targets[(plan.extra ?? 0) % targets.length] : undefined;
    return { id, type: 'history', history: kind, ...(target ? { target: `#${target.id}` } : {}) };
  }

  private inner({ kind, plan, children }: Placed): Config {
    if (kind !== 'compound' && kind !== 'parallel') return {};
    const states = Object.fromEntries(children.map((child) => [child.id, this.state(child)]));
    const onDone = plan.onDone === undefined ? {} : { onDone: this.fuelled(plan.onDone) };
    if (kind === 'parallel') return { type: 'parallel', states, ...onDone };
    const initial = { target: children[0]?.id, actions: this.actions(plan.initialActions) };
    return { initial, states, ...onDone };
  }

  private behaviour({ plan, id }: Placed): Config {
    const on = groupBy(
      plan.on,
      (handler) => handler.on,
      (handler) => (handler.on === '*' ? this.fuelled(handler) : this.transition(handler)),
    );
    const after = groupBy(
      plan.after,
      (timer) => String(timer.delay),
      (timer) => this.transition(timer),
    );
    return {
      on,
      after,
      always: plan.always.map((always) => this.fuelled(always)),
      invoke: uniqueById(plan.invoke).map((invoke) => this.invoke(invoke, id)),
    };
  }

  private invoke(plan: InvokePlan, stateId: string): Config {
    const { src, onDone, onError } = plan;
    return {
      id: childId(plan, stateId),
      src,
      input,
      ...(onDone === undefined ? {} : { onDone: this.transition(onDone) }),
      ...(onError === undefined ? {} : { onError: this.transition(onError) }),
    };
  }

  private transition(plan: TransitionPlan): Config {
    return {
      ...this.targets(plan),
      ...(plan.guard === undefined ? {} : { guard: this.guard(plan.guard) }),
      reenter: plan.reenter,
      actions: this.actions(plan.actions),
    };
  }

  /** A transition that costs fuel, and may raise freely. */
  private fuelled(plan: TransitionPlan): Config {
    const guards = plan.guard === undefined ? [] : [this.guard(plan.guard)];
    return {
      ...this.transition(plan),
      guard: and(['hasFuel', ...guards] as never),
      actions: ['spend', ...this.actions(plan.actions, raiseFreely)],
    };
  }

  private targets({ target, also }: TransitionPlan): Config {
    const first = this.at(target);
    if (first === undefined) return {};
    const second = this.at(also);
    const both = second !== undefined && areOrthogonal(first, second);
    return { target: both ? [`#${first.id}`, `#${second.id}`] : `#${first.id}` };
  }

  /** The state at that place, counted round; never the root. */
  private at(index: number | undefined): Placed | undefined {
    return index === undefined ? undefined : this.placed[1 + (index % (this.placed.length - 1))];
  }

  private guard(plan: GuardPlan): unknown {
    switch (plan.kind) {
      case 'atLeast':
        return { type: 'atLeast', params: { counter: plan.counter, n: plan.n } };
      case 'odd':
        return ({ context }: Args) => context[plan.counter] % 2 === 1;
      case 'payload':
        return ({ event }: Args) => event['n'] === plan.n;
      case 'in':
        return stateIn(`#${this.at(plan.state)?.id ?? this.root.id}`);
      case 'not':
        return not(this.guard(plan.of) as never);
      case 'and':
        return and(plan.of.map((part) => this.guard(part)) as never);
      case 'or':
        return or(plan.of.map((part) => this.guard(part)) as never);
    }
  }

  private actions(plans: readonly ActionPlan[], raising: Raising = raiseOnFuel): unknown[] {
    return plans.map((plan) => actionOf(plan, raising, (guard) => this.guard(guard)));
  }
}

function greetings({ plan, id, kind }: Placed, when: 'entry' | 'exit'): unknown[] {
  if (plan.greets !== when || kind === 'final') return [];
  // Another state may have stopped a child of a shared id.
  const own = uniqueById(plan.invoke).filter((invoke) => invoke.id !== SHARED_ID);
  return own.map((invoke) => sendTo(childId(invoke, id), { type: 'HELLO' }));
}

/** The id of an invoke: of its state alone, but for one that all states share. */
function childId(invoke: InvokePlan, stateId: string): string {
  return invoke.id === SHARED_ID ? SHARED_ID : `${invoke.id}.${stateId}`;
}

function isHistory({ kind }: Placed): boolean {
  return kind === 'shallow' || kind === 'deep';
}

function isBelow(placed: Placed, ancestor: Placed | undefined): boolean {
  return pathOf(placed).slice(1).includes(ancestor);
}

/** The state itself, then its ancestors up to the root. */
function pathOf(placed: Placed): (Placed | undefined)[] {
  return placed.parent === undefined ? [placed] : [placed, ...pathOf(placed.parent)];
}

/** True when both states can be active at once and neither holds the other. A history state may stand for any region. */
function areOrthogonal(a: Placed, b: Placed): boolean {
  if (isHistory(a) || isHistory(b)) return false;
  if (a === b || isBelow(a, b) || isBelow(b, a)) return false;
  const above = pathOf(b);
  return pathOf(a).find((placed) => above.includes(placed))?.kind === 'parallel';
}

function groupBy<T>(
  items: readonly T[],
  keyOf: (item: T) => string,
  valueOf: (item: T) => unknown,
): Config {
  const groups: Record<string, unknown[]> = {};
  for (const item of items) (groups[keyOf(item)] ??= []).push(valueOf(item));
  return groups;
}

function uniqueById(invokes: readonly InvokePlan[]): InvokePlan[] {
  return [...new Map(invokes.map((invoke) => [invoke.id, invoke])).values()];
}
