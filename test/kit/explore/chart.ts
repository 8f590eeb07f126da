// Chart: the states and transitions of a machine under names for people, and which events a state knows.

import type { AnyStateMachine } from 'xstate';

/** A state of XState as it is at run time. The lists are of the machine's own copy, so that marks may be put into them. */
export interface ChartNode {
  readonly id: string;
  readonly type: string;
  readonly states: Readonly<Record<string, ChartNode>>;
  readonly transitions: ReadonlyMap<string, readonly ChartTransition[]>;
  readonly always: readonly ChartTransition[] | undefined;
  readonly invoke: readonly { readonly id: string }[];
  entry: readonly unknown[];
}

export interface ChartTransition {
  /** What it takes: an event's type or a wildcard; empty for `always`. */
  readonly eventType: string;
  readonly target: readonly { readonly id: string }[] | undefined;
  readonly guard: unknown;
  actions: readonly unknown[];
}

interface NamedTransition {
  readonly name: string;
  readonly transition: ChartTransition;
}

/** All states, the outer ones first. */
export function nodesOf(machine: AnyStateMachine): readonly ChartNode[] {
  return below(machine.root as unknown as ChartNode);
}

function below(node: ChartNode): ChartNode[] {
  return [node, ...Object.values(node.states).flatMap(below)];
}

/** The states of a state value, the outer ones first. */
export function activeNodesOf(machine: AnyStateMachine, value: unknown): readonly ChartNode[] {
  return activeBelow(machine.root as unknown as ChartNode, value);
}

function activeBelow(node: ChartNode, value: unknown): ChartNode[] {
  const keys = typeof value === 'object' && value !== null ? value : { [String(value)]: {} };
  const active = Object.entries(keys).flatMap(([key, deeper]) => {
    const child = node.states[key];
    return child === undefined ? [] : activeBelow(child, deeper);
  });
  return [node, ...active];
}

/** Every transition of a state, each of several under one event for itself. */
export function transitionsOf(node: ChartNode): readonly NamedTransition[] {
  const transitions = [...[...node.transitions.values()].flat(), ...(node.always ?? [])];
  const names = transitions.map((transition) => nameOf(node, transition));
  return transitions.map((transition, index) => {
    const name = names[index] ?? '';
    const before = names.slice(0, index).filter((other) => other === name).length;
    return { name: before === 0 ? name : `${name} #${before + 1}`, transition };
  });
}

/** `archive.listing: error list [hasAttemptsLeft] → archive.listingAgain` */
function nameOf(node: ChartNode, { eventType, target, guard }: ChartTransition): string {
  const condition = guard === undefined ? '' : ` [${guardName(guard)}]`;
  const goal = target === undefined ? '' : ` → ${target.map(({ id }) => id).join(', ')}`;
  return `${node.id}: ${eventName(eventType, node.id)}${condition}${goal}`;
}

/** XState's own names of events are long and say the state again. */
function eventName(type: string, nodeId: string): string {
  if (type === '') return 'always';
  if (type === `xstate.done.state.${nodeId}`) return 'done';
  const after = `xstate.after.`;
  if (type.startsWith(after)) return `after ${type.slice(after.length, -nodeId.length - 1)}`;
  return type.replace(/^xstate\.(done|error)\.actor\./, '$1 ');
}

function guardName(guard: unknown): string {
  if (typeof guard === 'string') return guard;
  const { type, name } = guard as { readonly type?: unknown; readonly name?: unknown };
  if (typeof type === 'string') return type;
  return typeof name === 'string' && name !== '' && name !== 'guard' ? name : 'guarded';
}

/** Whether an event could be taken by a state: as XState matches descriptors, guards aside. */
export function knows(node: ChartNode, eventType: string): boolean {
  for (const descriptor of node.transitions.keys()) {
    if (matches(eventType, descriptor)) return true;
  }
  return false;
}

/** Whether something from outside could move a state: its own `on`, not what children, timers and ends bring. */
export function isOpenToOutside(node: ChartNode): boolean {
  return [...node.transitions].some(
    ([descriptor, transitions]) =>
      !descriptor.startsWith('xstate.') &&
      transitions.some(({ target, actions }) => target !== undefined || actions.length > 0),
  );
}

function matches(eventType: string, descriptor: string): boolean {
  if (descriptor === '*' || descriptor === eventType) return true;
  if (!descriptor.endsWith('.*')) return false;
  const prefix = descriptor.slice(0, -2);
  return eventType === prefix || eventType.startsWith(`${prefix}.`);
}

/** One event without payload for each type that the machine's states name; a wildcard is tried with a type of its own. */
export function eventTypesOf(machine: AnyStateMachine): readonly string[] {
  const descriptors = nodesOf(machine).flatMap((node) => [...node.transitions.keys()]);
  const outside = descriptors.filter((descriptor) => !descriptor.startsWith('xstate.'));
  return [...new Set(outside)].map((descriptor) => descriptor.replace(/\*$/, 'ANYTHING'));
}
