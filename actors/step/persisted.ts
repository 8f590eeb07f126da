// Persisted: the stored form of a snapshot, and the way back.
//
// XState's own persisted form keeps every child's snapshot; here children are actors and calls with rows of their own,
// so the stored form names only their sources.

import type { AnyMachineSnapshot, AnyStateMachine } from 'xstate';
import { explainFinding, inspectJson } from '../json.ts';
import { messageOf, StepError } from './error.ts';
import {
  activeNodes,
  hasNode,
  isMachineSnapshot,
  type LiveSnapshot,
  type Steppable,
  type SteppedMachine,
  type TransitionSnapshot,
} from './registered.ts';
import type { StepScope } from './scope.ts';

/** The JSON of `actors.snapshot`. */
export interface PersistedSnapshot {
  readonly status: 'active' | 'done' | 'error' | 'stopped';
  readonly value?: unknown;
  /**
   * Ids of the active states in the order in which they were entered, where regions run in parallel: `always`
   * transitions of several regions and history are taken in that order, which `value` does not tell.
   */
  readonly nodes?: readonly string[];
  readonly context?: unknown;
  readonly historyValue?: Readonly<Record<string, readonly { readonly id: string }[]>>;
  readonly children?: Readonly<Record<string, PersistedChild>>;
  readonly output?: unknown;
  readonly error?: unknown;
}

export interface PersistedChild {
  readonly src: string;
  readonly systemId?: string;
}

export interface Persisted {
  readonly text: string;
  /** False when JSON left `undefined` properties out: the live snapshot must then be read back from the text. */
  readonly exact: boolean;
}

/** Turns a snapshot into its stored text. Pure. @throws {StepError} when context or output is not JSON (K8). */
export function persist(snapshot: LiveSnapshot): Persisted {
  const context = requireJson(snapshot.context, 'context', 'context_not_json');
  const output = requireJson(snapshot.output, 'output', 'output_not_json');
  const persisted: PersistedSnapshot = {
    status: snapshot.status,
    ...(isMachineSnapshot(snapshot) ? { value: snapshot.value as unknown } : {}),
    context: snapshot.context as unknown,
    ...(isMachineSnapshot(snapshot) ? persistRefs(snapshot) : {}),
    ...(snapshot.output === undefined ? {} : { output: snapshot.output }),
    ...(snapshot.error === undefined ? {} : { error: persistError(snapshot.error) }),
  };
  return { text: JSON.stringify(persisted), exact: context.exact && output.exact };
}

function requireJson(
  value: unknown,
  what: string,
  code: 'context_not_json' | 'output_not_json',
): { readonly exact: boolean } {
  const finding = inspectJson(value);
  if (finding.ok) return { exact: finding.exact || value === undefined };
  throw new StepError(
    code,
    `${explainFinding(finding, what)}, which JSON does not give back. Keep plain objects, arrays, strings, finite numbers, booleans and null there.`,
  );
}

function persistRefs(
  snapshot: AnyMachineSnapshot,
): Pick<PersistedSnapshot, 'nodes' | 'historyValue' | 'children'> {
  const history = Object.entries(snapshot.historyValue);
  const children = Object.entries(snapshot.children);
  const nodes = activeNodes(snapshot);
  return {
    ...(nodes.some(({ type }) => type === 'parallel') ? { nodes: nodes.map(({ id }) => id) } : {}),
    ...(history.length === 0
      ? {}
      : {
          historyValue: Object.fromEntries(
            history.map(([id, nodes]) => [id, (nodes ?? []).map((node) => ({ id: node.id }))]),
          ),
        }),
    ...(children.length === 0
      ? {}
      : {
          children: Object.fromEntries(
            children.flatMap(([id, child]) => (child ? [[id, persistChild(child)]] : [])),
          ),
        }),
  };
}

function persistChild(child: object): PersistedChild {
  const { src, systemId } = child as { readonly src: string; readonly systemId?: string };
  return systemId === undefined ? { src } : { src, systemId };
}

function persistError(error: unknown): unknown {
  if (error instanceof Error) return { name: error.name, message: error.message };
  return inspectJson(error).ok ? error : { message: messageOf(error) };
}

/**
 * Makes a live snapshot of a stored text. The text is parsed anew, so nothing is shared with another snapshot.
 * @throws {StepError} `snapshot_damaged` when it is no JSON of a snapshot, `state_unknown` when the machine has no such
 * state: XState would fill it in without entry, timers or invokes.
 */
export function restore(machine: SteppedMachine, text: string, scope: StepScope): LiveSnapshot {
  const persisted = parsePersisted(text);
  if (machine.steppable.kind === 'transition') {
    return { output: undefined, error: undefined, ...persisted } as TransitionSnapshot;
  }
  return restoreMachine(machine.steppable, persisted, scope);
}

/** @throws {StepError} `snapshot_damaged`. */
export function parsePersisted(text: string): PersistedSnapshot {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    throw new StepError('snapshot_damaged', `The stored snapshot is not JSON: ${messageOf(error)}`);
  }
  if (typeof parsed !== 'object' || parsed === null || !('status' in parsed)) {
    throw new StepError('snapshot_damaged', 'The stored snapshot has no status.');
  }
  return parsed as PersistedSnapshot;
}

function restoreMachine(
  steppable: Extract<Steppable, { kind: 'machine' }>,
  persisted: PersistedSnapshot,
  scope: StepScope,
): AnyMachineSnapshot {
  const { machine } = steppable;
  const children = Object.entries(persisted.children ?? {}).map(([id, child]) => [
    id,
    { ...child, snapshot: { status: 'active', output: undefined, error: undefined } },
  ]);
  const form = {
    output: undefined,
    error: undefined,
    historyValue: {},
    ...persisted,
    children: Object.fromEntries(children) as object,
  };
  let restored: AnyMachineSnapshot;
  try {
    restored = machine.restoreSnapshot(form as never, scope as never) as AnyMachineSnapshot;
  } catch (error) {
    throw new StepError('state_unknown', unknownState(persisted, machine.id, messageOf(error)));
  }
  if (JSON.stringify(sorted(restored.value)) !== JSON.stringify(sorted(persisted.value))) {
    const now = `the machine reads it as ${JSON.stringify(restored.value)}`;
    throw new StepError('state_unknown', unknownState(persisted, machine.id, now));
  }
  requireHistory(machine, persisted);
  return persisted.nodes === undefined ? restored : inOrderOfEntry(machine, restored, persisted);
}

/** XState restores parallel regions in the order of the document; the step needs them as they were entered (K9). */
function inOrderOfEntry(
  machine: AnyStateMachine,
  restored: AnyMachineSnapshot,
  persisted: PersistedSnapshot,
): AnyMachineSnapshot {
  const byId = new Map(activeNodes(restored).map((node) => [node.id, node]));
  const nodes = (persisted.nodes ?? []).flatMap((id) => byId.get(id) ?? []);
  if (nodes.length !== byId.size) {
    const why = 'the active states do not fit the state value';
    throw new StepError('state_unknown', unknownState(persisted, machine.id, why));
  }
  const tags = new Set(nodes.flatMap((node) => node.tags));
  return Object.assign({}, restored, { _nodes: nodes, value: persisted.value, tags });
}

/** XState drops what it does not find in a history; then a return would lead elsewhere. */
function requireHistory(machine: AnyStateMachine, persisted: PersistedSnapshot): void {
  for (const { id } of Object.values(persisted.historyValue ?? {}).flat()) {
    if (hasNode(machine, id)) continue;
    const why = `its history remembers '${id}', which is gone`;
    throw new StepError('state_unknown', unknownState(persisted, machine.id, why));
  }
}

function unknownState(persisted: PersistedSnapshot, machineId: string, why: string): string {
  return `The stored state ${JSON.stringify(persisted.value)} is not one of machine ${machineId}: ${why}. Raise the machine's version and migrate, or bring the state back.`;
}

/** A state value with the keys of its regions in order, for comparison. */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, part]) => [key, sorted(part)]),
  );
}
