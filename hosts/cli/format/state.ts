// State: state values as paths, statuses in their tone, and what a state says of itself. Pure.

import type { AnyStateMachine } from 'xstate';
import type { Tone } from './style.ts';

/** `deleting.unlinking`; the regions of a parallel state one after the other: `left.a right.b`. */
export function statePath(value: unknown): string {
  if (value === undefined) return '(not born)';
  if (value === null) return '-';
  return paths(value).join(' ');
}

function paths(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [String(value)];
  return Object.entries(value).flatMap(([key, below]) => {
    const deeper = paths(below);
    return deeper.length === 0 ? [key] : deeper.map((path) => `${key}.${path}`);
  });
}

export function toneOf(status: string): Tone {
  switch (status) {
    case 'stuck':
    case 'error':
      return 'bad';
    case 'stopped':
      return 'warn';
    case 'done':
      return 'good';
    default:
      return 'plain';
  }
}

interface Node {
  readonly description?: string | undefined;
  readonly tags: readonly string[];
  readonly states: Readonly<Record<string, Node>>;
}

export interface StateDescription {
  /** Of the active states that have one, the outermost first. */
  readonly descriptions: readonly string[];
  readonly tags: readonly string[];
}

/** What a machine says of the states of a value. States that it does not know say nothing. */
export function describeState(machine: AnyStateMachine, value: unknown): StateDescription {
  const nodes = activeNodes(machine.root, value);
  return {
    descriptions: nodes.flatMap(({ description }) => description ?? []),
    tags: [...new Set(nodes.flatMap(({ tags }) => tags))],
  };
}

function activeNodes(node: Node, value: unknown): Node[] {
  const below = typeof value === 'object' && value !== null ? value : { [String(value)]: {} };
  const active = Object.entries(below).flatMap(([key, deeper]) => {
    const child = node.states[key];
    return child === undefined ? [] : activeNodes(child, deeper);
  });
  return [node, ...active];
}
