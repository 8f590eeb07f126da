// Check: what a machine may not hold if it is to be durable, found before anything runs (K8, T3).

import type { AnyStateMachine } from 'xstate';
import { TroupeError } from '../../persistence/index.ts';
import { DELAY_MS_MAX } from '../limits.ts';

/** One thing to mend: where it stands and what to write instead. */
export interface Finding {
  readonly path: string;
  readonly problem: string;
}

export interface Checked {
  readonly warnings: readonly Finding[];
  /** Custom actions: they run after the commit, at most once (K8). */
  readonly notifications: readonly Finding[];
}

interface Node {
  readonly id: string;
  readonly entry: readonly unknown[];
  readonly exit: readonly unknown[];
  readonly always?: readonly Transition[];
  readonly transitions: ReadonlyMap<string, readonly Transition[]>;
  readonly initial?: { readonly actions: readonly unknown[] } | undefined;
  readonly invoke: readonly Invoke[];
  readonly after: readonly Transition[];
  readonly type: string;
  readonly parent?: { readonly type: string } | undefined;
  readonly config: { readonly invoke?: unknown; readonly target?: unknown };
  readonly states: Readonly<Record<string, Node>>;
}

interface Transition {
  readonly actions: readonly unknown[];
  readonly delay?: unknown;
}

interface Invoke {
  readonly src: string;
  readonly id: string;
  readonly onSnapshot?: unknown;
}

interface BuiltIn {
  readonly type: string;
  readonly id?: unknown;
  readonly src?: unknown;
  readonly to?: unknown;
  readonly delay?: unknown;
  readonly syncSnapshot?: unknown;
}

/** What is known of a source. Only of a `listener` can a machine hear snapshots. */
export type KnownSource = 'known' | 'listener' | undefined;

/**
 * Checks a machine. @throws {TroupeError} `machine_refused`, naming each place and its mend, when it cannot be durable.
 */
export function checkMachine(
  machine: AnyStateMachine,
  sourceKind: (source: string) => KnownSource,
  strict: boolean,
): Checked {
  const check = new Check(machine, sourceKind);
  check.run();
  const refused = strict
    ? [
        ...check.refused,
        ...check.notifications.map(({ path, problem }) => ({
          path,
          problem: `${problem} strict refuses it: make it an invoke, which is durable.`,
        })),
      ]
    : check.refused;
  if (refused.length > 0) {
    const lines = refused.map(({ path, problem }) => `  ${path}: ${problem}`);
    throw new TroupeError(
      'machine_refused',
      `Machine '${machine.id}' cannot be made durable as it is:\n${lines.join('\n')}`,
      { details: { machine: machine.id, findings: refused } },
    );
  }
  return check;
}

class Check implements Checked {
  readonly refused: Finding[] = [];
  readonly warnings: Finding[] = [];
  readonly notifications: Finding[] = [];
  private readonly targets: { path: string; target: string }[] = [];
  private readonly childIds = new Set<string>();
  /** True when children may get ids that only a step knows: then an unknown target is judged at the step. */
  private hasDynamicChildren = false;
  private readonly machine: AnyStateMachine;
  private readonly sourceKind: (source: string) => KnownSource;

  constructor(machine: AnyStateMachine, sourceKind: (source: string) => KnownSource) {
    this.machine = machine;
    this.sourceKind = sourceKind;
  }

  run(): void {
    this.node(this.machine.root as unknown as Node);
    for (const { path, target } of this.targets) this.target(path, target);
  }

  private node(node: Node): void {
    for (const invoke of node.invoke) this.invoke(node, invoke);
    this.inlineInvokes(node);
    this.history(node);
    this.actions(`${node.id} entry`, node.entry);
    this.actions(`${node.id} exit`, node.exit);
    this.actions(`${node.id} initial`, node.initial?.actions ?? []);
    for (const transition of node.always ?? []) {
      this.actions(`${node.id} always`, transition.actions);
    }
    for (const [event, transitions] of node.transitions) {
      for (const transition of transitions) {
        this.actions(`${node.id} on ${event}`, transition.actions);
      }
    }
    for (const child of Object.values(node.states)) this.node(child);
  }

  private invoke(node: Node, invoke: Invoke): void {
    const path = `${node.id} invoke '${invoke.id}'`;
    this.childIds.add(invoke.id);
    this.source(path, invoke.src);
    if (invoke.onSnapshot !== undefined && this.sourceKind(invoke.src) !== 'listener') {
      this.refused.push({
        path,
        problem:
          'onSnapshot is not durable. Let the child send what matters with sendTo, or sendParent.',
      });
    }
  }

  /** XState 5 leaves the parallel state and enters nothing when there is nothing to remember yet (found by trying it). */
  private history(node: Node): void {
    if (node.type !== 'history' || node.parent?.type !== 'parallel') return;
    if (node.config.target !== undefined) return;
    this.warnings.push({
      path: node.id,
      problem:
        'It is the history of a parallel state without a target: the first visit from inside would leave the state for nowhere. Give it a target.',
    });
  }

  private inlineInvokes(node: Node): void {
    const configured = [node.config.invoke ?? []].flat() as {
      readonly id?: unknown;
      readonly src: unknown;
    }[];
    for (const [index, config] of configured.entries()) {
      const name = node.invoke[index]?.id ?? '';
      if (config.id === undefined || typeof config.src !== 'string') {
        this.warnings.push({
          path: `${node.id} invoke ${index}`,
          problem: `The invoke has no ${config.id === undefined ? 'id' : 'named source'}, so it keeps XState's name '${name}', which changes when the machine is edited. Name it.`,
        });
      }
    }
  }

  private actions(path: string, actions: readonly unknown[]): void {
    for (const action of actions) this.action(path, action);
  }

  private action(path: string, action: unknown): void {
    const name = nameOf(action);
    const resolved =
      typeof action === 'function' ? action : this.machine.implementations.actions[name ?? ''];
    if (typeof resolved !== 'function' || !('resolve' in resolved)) {
      const what = name === undefined || name === '' ? 'An inline function' : `Action '${name}'`;
      this.notifications.push({
        path,
        problem: `${what} is a notification: it runs after the commit, at most once.`,
      });
      return;
    }
    this.builtIn(path, resolved as unknown as BuiltIn);
  }

  private builtIn(path: string, action: BuiltIn): void {
    if (action.delay !== undefined) this.delay(path, action.delay);
    switch (action.type) {
      case 'xstate.spawnChild':
        return this.spawnChild(path, action);
      case 'xstate.enqueueActions':
        this.hasDynamicChildren = true;
        return;
      case 'xstate.sendTo':
        if (typeof action.to === 'string') this.targets.push({ path, target: action.to });
        return;
      default:
    }
  }

  private spawnChild(path: string, action: BuiltIn): void {
    if (typeof action.src !== 'string') {
      this.refused.push({
        path,
        problem:
          'spawnChild is given logic itself. Register it in setup({ actors }) and name it, so that a restart finds it again.',
      });
    } else this.source(path, action.src);
    if (action.id === undefined) {
      this.refused.push({
        path,
        problem: `spawnChild has no id. Give it one: spawnChild('${String(action.src)}', { id: '…' }).`,
      });
    } else if (typeof action.id === 'string') this.childIds.add(action.id);
    else this.hasDynamicChildren = true;
    if (action.syncSnapshot === true) {
      this.refused.push({
        path,
        problem: 'syncSnapshot is not durable. Let the child send what matters with sendTo.',
      });
    }
  }

  private source(path: string, source: string): void {
    const kind = this.sourceKind(source);
    if (kind === undefined) {
      this.refused.push({
        path,
        problem: `Source '${source}' is not registered. Add it to setup({ actors }) or to the machine's calls.`,
      });
    }
  }

  private target(path: string, target: string): void {
    if (this.hasDynamicChildren || target === '#_parent' || target === '#_internal') return;
    const childId = target.startsWith('#_') ? target.slice(2) : target;
    if (this.childIds.has(childId)) return;
    this.refused.push({
      path,
      problem: `No invoke or spawnChild has the id '${childId}'. Mend the target, or send to an address with system.get('machine/id').`,
    });
  }

  private delay(path: string, delay: unknown): void {
    if (typeof delay !== 'number') return;
    if (Number.isFinite(delay) && delay >= 0 && delay <= DELAY_MS_MAX) return;
    this.refused.push({
      path,
      problem: `The delay is ${delay} ms. A delay is finite and from 0 to ${DELAY_MS_MAX} ms.`,
    });
  }
}

function nameOf(action: unknown): string | undefined {
  if (typeof action === 'string') return action;
  if (typeof action === 'function') return action.name;
  return typeof action === 'object' && action !== null && 'type' in action
    ? String(action.type)
    : undefined;
}
