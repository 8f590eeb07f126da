// Registry: the machines and calls that this host knows, made inert and checked. It is built once, at open.

import type { AnyStateMachine } from 'xstate';
import { TroupeError } from '../../persistence/index.ts';
import type { AnyCallDefinition } from '../define-call.ts';
import type { AnyMachineDefinition, PromiseOptions } from '../define-machine.ts';
import type { Migration, SourceKind, Steppable, SteppedMachine } from '../step/index.ts';
import { type Checked, checkMachine, type Finding, type KnownSource } from './check.ts';
import { type Definition, definitionOf } from './definition.ts';
import { inertCopy } from './inert.ts';
import {
  type CallSpec,
  callsByName,
  classify,
  specOfCall,
  specOfListener,
  specOfPromise,
} from './sources.ts';

export interface RegisteredMachine extends SteppedMachine {
  readonly schemas: AnyMachineDefinition['schemas'];
  /** How each source that is a call is run, by source name. */
  readonly calls: ReadonlyMap<string, CallSpec>;
  readonly checked: Checked;
  /** What must not change under one version (G1). */
  readonly definition: Definition;
  /** From the version that each names to the next one (G2). */
  readonly migrations: Readonly<Record<number, Migration>>;
  /** Logic that only a parent names has its parent's version: a new one of those need not mean that it has changed. */
  readonly owner: string | undefined;
}

export interface Registry {
  readonly machines: ReadonlyMap<string, RegisteredMachine>;
  /** Invokes without an id or a named source, by machine (K8). */
  readonly warnings: readonly (Finding & { readonly machine: string })[];
}

/**
 * Registers machines with their children and calls.
 * @throws {TroupeError} `machine_refused` (K8), `call_conflict`, `invalid_definition` when two machines share an id.
 */
export function createRegistry(
  definitions: readonly AnyMachineDefinition[],
  calls: readonly AnyCallDefinition[],
): Registry {
  // One name means one call in a host, because its threads and limits go by it.
  callsByName([...calls, ...definitions.flatMap((definition) => definition.calls)]);
  const builder = new Builder(calls);
  for (const definition of definitions) builder.name(definition.name, definition.machine);
  for (const definition of definitions) {
    requireUsed(definition);
    builder.register(definition);
  }
  return {
    machines: builder.machines,
    warnings: [...builder.machines.values()].flatMap((machine) =>
      machine.checked.warnings.map((warning) => ({ ...warning, machine: machine.name })),
    ),
  };
}

type Registration = Pick<
  AnyMachineDefinition,
  'name' | 'machine' | 'version' | 'schemas' | 'calls' | 'promises' | 'strict' | 'migrations'
> & {
  /** Of the children that only this machine names, by their names below it. */
  readonly childMigrations: AnyMachineDefinition['childMigrations'];
  readonly owner?: string;
};

class Builder {
  readonly machines = new Map<string, RegisteredMachine>();
  private readonly names = new Map<object, string>();
  private readonly calls: readonly AnyCallDefinition[];

  /** @param calls Those of the host: every machine may name them. */
  constructor(calls: readonly AnyCallDefinition[]) {
    this.calls = calls;
  }

  /** Lets a machine that is registered itself be found when another names it as a child. */
  name(name: string, machine: AnyStateMachine): void {
    if ([...this.names.values()].includes(name)) {
      throw new TroupeError(
        'invalid_definition',
        `Two machines have the id '${name}'. Ids are the first part of addresses: give one another.`,
      );
    }
    this.names.set(machine, name);
  }

  register(registration: Registration): void {
    const { machine, name } = registration;
    const registered = callsByName([...this.calls, ...registration.calls]);
    const sources = new Map<string, SourceKind>();
    const calls = new Map<string, CallSpec>();
    for (const [source, call] of registered) {
      sources.set(source, { kind: 'call' });
      calls.set(source, specOfCall(call));
    }
    for (const [source, logic] of logicOf(machine)) {
      if (registered.has(source)) continue;
      const child = this.child(registration, source, logic);
      sources.set(source, child.kind);
      if (child.call) calls.set(source, child.call);
    }
    requirePromises(registration, calls);
    const kindOf = (source: string): KnownSource =>
      calls.get(source)?.class === 'listener'
        ? 'listener'
        : sources.has(source)
          ? 'known'
          : undefined;
    const checked = checkMachine(machine, kindOf, registration.strict);
    const inert = inertCopy(machine, [...registered.keys()]);
    const steppable = { kind: 'machine' as const, machine: inert };
    this.keep({
      name,
      version: registration.version,
      steppable,
      sources,
      calls,
      schemas: registration.schemas,
      checked,
      definition: definitionOf(steppable, sources),
      migrations: registration.migrations,
      owner: registration.owner,
    });
  }

  private keep(machine: RegisteredMachine): void {
    if (/[/\s]/.test(machine.name)) {
      throw new TroupeError(
        'invalid_definition',
        `A child would come to the machine name '${machine.name}', which no address can hold. Give its source a name without '/' and white space.`,
      );
    }
    if (this.machines.has(machine.name)) {
      throw new TroupeError(
        'invalid_definition',
        `Two machines come to the name '${machine.name}': one by its id, one as the child of another. Give one another id or source.`,
      );
    }
    this.machines.set(machine.name, machine);
  }

  private child(
    parent: Registration,
    source: string,
    logic: object,
  ): { readonly kind: SourceKind; readonly call?: CallSpec } {
    const child = classify(logic);
    const name = `${parent.name}.${source}`;
    switch (child.kind) {
      case 'listener': {
        const hasSnapshots = wantsSnapshots(parent.machine, source);
        const call = specOfListener(name, { logic: child.logic, hasSnapshots });
        return { kind: { kind: 'call' }, call };
      }
      case 'promise': {
        const options: PromiseOptions | undefined = parent.promises[source];
        return { kind: { kind: 'call' }, call: specOfPromise(name, child.create, options) };
      }
      case 'machine':
        return { kind: { kind: 'actor', machine: this.childMachine(parent, name, child.machine) } };
      case 'transition': {
        const steppable = { kind: 'transition' as const, logic: child.logic };
        this.keep(childRegistration(name, parent, steppable));
        return { kind: { kind: 'actor', machine: name } };
      }
    }
  }

  /** A child machine that is not registered itself gets a name below its parent's, and its parent's version. */
  private childMachine(parent: Registration, name: string, machine: AnyStateMachine): string {
    const known = this.names.get(machine);
    if (known !== undefined) return known;
    this.names.set(machine, name);
    const owner = parent.owner ?? parent.name;
    const migrations = migrationsOfChild(parent, owner, name);
    this.register({ ...parent, name, machine, schemas: {}, promises: {}, migrations, owner });
    return name;
  }
}

/** A call that no source names replaces nothing: most likely one of the two names is mistyped. */
function requireUsed({ name, machine, calls }: Registration): void {
  const sources = new Set(Object.keys(machine.implementations.actors));
  visitInvokes(machine.root as unknown as InvokingNode, (source) => sources.add(source));
  for (const call of calls) {
    if (sources.has(call.name)) continue;
    const known = [...sources].join(', ') || 'none';
    throw new TroupeError(
      'invalid_definition',
      `Call '${call.name}' replaces nothing in machine '${name}': its sources are ${known}. Mend the call's name, or leave it out of the machine's calls.`,
    );
  }
}

/** What is said of promises must name one, and be something that a promise can keep. */
function requirePromises(
  { name, promises }: Registration,
  calls: ReadonlyMap<string, CallSpec>,
): void {
  for (const source of Object.keys(promises)) {
    if (calls.get(source)?.runs.on === 'host') continue;
    throw new TroupeError(
      'invalid_definition',
      `promises of machine '${name}' names '${source}', which is no promise of that machine.`,
    );
  }
}

function migrationsOfChild(
  { childMigrations }: Registration,
  owner: string,
  name: string,
): RegisteredMachine['migrations'] {
  return childMigrations[name.slice(owner.length + 1)] ?? {};
}

function childRegistration(
  name: string,
  parent: Registration,
  steppable: Steppable,
): RegisteredMachine {
  const owner = parent.owner ?? parent.name;
  return {
    name,
    version: parent.version,
    steppable,
    sources: new Map(),
    calls: new Map(),
    schemas: {},
    checked: { warnings: [], notifications: [] },
    definition: definitionOf(steppable, new Map()),
    migrations: migrationsOfChild(parent, owner, name),
    owner,
  };
}

/** All logic that a machine names or holds, by source: `setup({ actors })` and inline invokes. */
function logicOf(machine: AnyStateMachine): ReadonlyMap<string, object> {
  const logic = new Map<string, object>(
    Object.entries(machine.implementations.actors as Record<string, object>),
  );
  visitInvokes(machine.root as unknown as InvokingNode, (source, src) => {
    if (typeof src === 'object' && src !== null) logic.set(source, src);
  });
  return logic;
}

/** True when an invoke of this source has an `onSnapshot`. */
function wantsSnapshots(machine: AnyStateMachine, source: string): boolean {
  let isWanted = false;
  visitInvokes(machine.root as unknown as InvokingNode, (name, _src, onSnapshot) => {
    if (name === source && onSnapshot !== undefined) isWanted = true;
  });
  return isWanted;
}

interface InvokingNode {
  readonly invoke: readonly { readonly src: string }[];
  readonly config: { readonly invoke?: unknown };
  readonly states: Readonly<Record<string, InvokingNode>>;
}

function visitInvokes(
  node: InvokingNode,
  visit: (source: string, src: unknown, onSnapshot: unknown) => void,
): void {
  const configured = [node.config.invoke ?? []].flat() as readonly unknown[] as readonly {
    readonly src: unknown;
    readonly onSnapshot?: unknown;
  }[];
  for (const [index, { src, onSnapshot }] of configured.entries()) {
    visit(node.invoke[index]?.src ?? '', src, onSnapshot);
  }
  for (const child of Object.values(node.states)) visitInvokes(child, visit);
}
