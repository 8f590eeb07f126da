// Definition: the chart of a machine as lines of text, so that a store can tell whether its machine has changed (G1).

import { createHash } from 'node:crypto';
import { canonicalJson } from '../json.ts';
import type { SourceKind, Steppable } from '../step/index.ts';

/** One place of a chart and what stands there: `photos.idle on GO`, `→ photos.busy if isFree do note`. */
export type DefinitionLine = readonly [place: string, what: string];

/**
 * What makes a machine of one version the same machine: all that stored actors and journals depend on and that reads
 * alike however the code was written or compiled. It counts states with their types, initials, regions, histories and tags;
 * transitions with events, targets, order and re-entry; the names of guards, actions and delays, with their literal
 * parameters; literal delays; invokes and spawned children with ids and sources, and whether those are calls or actors.
 * It does not count what says the same in other words (formatting, comments, the order in which states and events are written),
 * descriptions and meta, and the inside of functions: an inline one counts as `(inline)`, because its source text is another
 * after each compiler. Who changes what a function does, or the form of the context, must raise the version by hand.
 */
export interface Definition {
  /** SHA-256 of the lines, in hexadecimal. */
  readonly digest: string;
  readonly lines: readonly DefinitionLine[];
}

/** Describes registered logic. Pure. Of `fromTransition` there is nothing to describe. */
export function definitionOf(
  steppable: Steppable,
  sources: ReadonlyMap<string, SourceKind>,
): Definition {
  const lines =
    steppable.kind === 'machine'
      ? new Outline(sources).of(steppable.machine.root as unknown as ChartNode)
      : [['logic', 'fromTransition'] as const];
  return { digest: createHash('sha256').update(JSON.stringify(lines)).digest('hex'), lines };
}

/** Names the first place where two definitions differ, in words; undefined when none does. */
export function firstDifference(
  stored: readonly DefinitionLine[],
  current: readonly DefinitionLine[],
): string | undefined {
  const before = new Map(stored);
  const now = new Map(current);
  const places = [...new Set([...before.keys(), ...now.keys()])].toSorted();
  const place = places.find((each) => before.get(each) !== now.get(each));
  if (place === undefined) return undefined;
  const [was, is] = [before.get(place), now.get(place)];
  if (was === undefined) return `'${place}' is new (${is})`;
  return is === undefined
    ? `'${place}' is gone (${was})`
    : `'${place}' was '${was}' and is '${is}'`;
}

interface ChartNode {
  readonly id: string;
  readonly key: string;
  readonly type: string;
  readonly history: 'shallow' | 'deep' | false;
  readonly tags: readonly string[];
  readonly output?: unknown;
  readonly entry: readonly unknown[];
  readonly exit: readonly unknown[];
  readonly always?: readonly ChartTransition[];
  readonly transitions: ReadonlyMap<string, readonly ChartTransition[]>;
  readonly initial?: ChartTransition | undefined;
  readonly invoke: readonly {
    readonly id: string;
    readonly src: string;
    readonly systemId?: string;
  }[];
  readonly config: { readonly target?: unknown };
  readonly states: Readonly<Record<string, ChartNode>>;
}

interface ChartTransition {
  readonly target?: readonly { readonly id: string }[] | undefined;
  readonly guard?: unknown;
  readonly actions: readonly unknown[];
  readonly reenter?: boolean;
}

class Outline {
  private readonly lines: DefinitionLine[] = [];
  private readonly sources: ReadonlyMap<string, SourceKind>;

  constructor(sources: ReadonlyMap<string, SourceKind>) {
    this.sources = sources;
  }

  of(root: ChartNode): readonly DefinitionLine[] {
    this.node(root);
    return this.lines.toSorted(([a], [b]) => (a < b ? -1 : 1));
  }

  private node(node: ChartNode): void {
    this.add(node.id, describeNode(node));
    this.actions(`${node.id} entry`, node.entry);
    this.actions(`${node.id} exit`, node.exit);
    if (node.initial !== undefined) this.transitions(`${node.id} initial`, [node.initial]);
    if (node.always !== undefined) this.transitions(`${node.id} always`, node.always);
    for (const [event, transitions] of node.transitions) {
      this.transitions(`${node.id} on ${event}`, transitions);
    }
    for (const { id, src, systemId } of node.invoke) {
      const as = systemId === undefined ? '' : ` as ${systemId}`;
      this.add(`${node.id} invoke ${id}`, `${this.source(src)}${as}`);
    }
    for (const child of Object.values(node.states)) this.node(child);
  }

  private transitions(place: string, transitions: readonly ChartTransition[]): void {
    this.add(place, transitions.map((each) => this.transition(each)).join(', else '));
  }

  private transition({ target, guard, actions, reenter }: ChartTransition): string {
    const targets = (target ?? []).map(({ id }) => id).join(' and ');
    return [
      targets === '' ? 'stays' : `→ ${targets}`,
      ...(reenter === true ? ['again'] : []),
      ...(guard === undefined ? [] : [`if ${guardText(guard)}`]),
      ...(actions.length === 0 ? [] : [`do ${this.actionTexts(actions)}`]),
    ].join(' ');
  }

  private actions(place: string, actions: readonly unknown[]): void {
    if (actions.length > 0) this.add(place, this.actionTexts(actions));
  }

  private actionTexts(actions: readonly unknown[]): string {
    return actions.map((action) => this.action(action)).join(', ');
  }

  private action(action: unknown): string {
    if (!isBuiltIn(action)) return named(action);
    const { type, src, assignment, resolve: _resolve, execute: _execute, ...rest } = action;
    const facts = {
      ...rest,
      ...(typeof src === 'string' ? { src: this.source(src) } : {}),
      ...(assignment === undefined ? {} : { keys: keysOf(assignment) }),
    };
    return `${type.slice('xstate.'.length)}${literal(facts)}`;
  }

  private source(src: string): string {
    const kind = this.sources.get(src);
    return kind === undefined ? src : `${src} (${kind.kind === 'call' ? 'call' : kind.machine})`;
  }

  private add(place: string, what: string): void {
    this.lines.push([place, what]);
  }
}

function describeNode(node: ChartNode): string {
  const parts = [node.type];
  if (node.type === 'history')
    parts.push(String(node.history), `else ${literal(node.config.target)}`);
  // The order of regions is the order in which they are entered.
  if (node.type === 'parallel') parts.push(`of ${Object.keys(node.states).join(', ')}`);
  if (node.tags.length > 0) parts.push(`tags ${node.tags.toSorted().join(', ')}`);
  if (node.output !== undefined) parts.push(`output ${literal(node.output)}`);
  return parts.join(' ');
}

interface BuiltInAction {
  readonly type: string;
  readonly src?: unknown;
  readonly assignment?: unknown;
  readonly resolve: unknown;
  readonly execute?: unknown;
}

function isBuiltIn(action: unknown): action is BuiltInAction {
  return typeof action === 'function' && 'resolve' in action && 'type' in action;
}

/** A guard or action by its name and literal parameters. */
function named(part: unknown): string {
  if (typeof part === 'string') return part;
  if (typeof part !== 'object' || part === null || !('type' in part)) return '(inline)';
  const params = 'params' in part && part.params !== undefined ? literal(part.params) : '';
  return `${String(part.type)}${params}`;
}

function guardText(guard: unknown): string {
  if (typeof guard !== 'function' || !('check' in guard)) return named(guard);
  if ('guards' in guard) {
    const kind = typeof guard.check === 'function' ? guard.check.name.replace('check', '') : '';
    return `${kind.toLowerCase()}(${(guard.guards as readonly unknown[]).map(guardText).join(', ')})`;
  }
  return 'stateValue' in guard ? `stateIn${literal(guard.stateValue)}` : '(inline)';
}

function keysOf(assignment: unknown): unknown {
  return typeof assignment === 'object' && assignment !== null
    ? Object.keys(assignment).toSorted()
    : '(inline)';
}

/** JSON with its keys in order, in which each function says only that it is one. */
function literal(value: unknown): string {
  return canonicalJson(withoutFunctions(value, 0));
}

const DEPTH_MAX = 8;

function withoutFunctions(value: unknown, depth: number): unknown {
  if (typeof value === 'function') return '(inline)';
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= DEPTH_MAX) return '(deep)';
  if (Array.isArray(value)) return value.map((part) => withoutFunctions(part, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [key, withoutFunctions(part, depth + 1)]),
  );
}
