// Views: what a caller sees of stored rows. Plain JSON; reading changes nothing.

import type {
  ActorAddress,
  ActorRow,
  ActorStatus,
  CallRow,
  JournalRow,
  MessageRow,
  UndeliverableRow,
} from '../persistence/index.ts';
import { isStubbed } from './engine/orders.ts';
import { parseStored } from './json.ts';
import type { Finding, RegisteredMachine, Registry } from './registry/index.ts';

/** An actor as `list` shows it. Times are milliseconds since 1970. */
export interface ActorSummary {
  readonly address: ActorAddress;
  readonly machine: string;
  readonly version: number;
  readonly parent: ActorAddress | undefined;
  /** Steps that it has taken. */
  readonly revision: number;
  readonly status: ActorStatus;
  /** The state value; undefined before the first step. */
  readonly state: unknown;
  readonly tags: readonly string[];
  /**
   * True when this process knows machines, and cannot step this actor, because it knows its machine not at all or only in an
   * older version (G3). What comes to it waits for a host that can.
   */
  readonly noHost: boolean;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

/** Why an actor is stuck: the error, and the message that waits for an operator (K6). */
export interface StuckReason {
  readonly code: string;
  readonly message: string;
  readonly messageSeq: number;
  readonly event: string;
  readonly state: unknown;
}

export interface WaitingMessage {
  readonly seq: number;
  readonly kind: MessageRow['kind'];
  readonly from: string | undefined;
  readonly event: unknown;
  readonly readyAtMs: number;
}

export interface CallView {
  readonly id: string;
  readonly source: string;
  readonly class: CallRow['class'];
  readonly status: CallRow['status'];
  readonly attempt: number;
  readonly host: string | undefined;
  readonly orderedAtMs: number;
  readonly startedAtMs: number | undefined;
  readonly error: unknown;
}

/** An actor as `get` shows it, with what it waits for. */
export interface ActorView extends ActorSummary {
  readonly context: unknown;
  readonly output: unknown;
  /** The machine's own error when its status is `error`. */
  readonly error: unknown;
  readonly stuck: StuckReason | undefined;
  /** A fork, or born below one, that acts on nothing outside (J4). */
  readonly isStubbed: boolean;
  readonly messages: readonly WaitingMessage[];
  readonly timers: readonly WaitingMessage[];
  readonly calls: readonly CallView[];
}

/** One row of an actor's journal (J1). */
export interface JournalEntry {
  readonly seq: number;
  readonly address: ActorAddress;
  /** Absent for what moved nothing: late evidence, being parked or stopped, an intervention. */
  readonly revision: number | undefined;
  readonly atMs: number;
  readonly kind: JournalRow['kind'];
  /** The sequence number of the message that it tells of: that of the receipt, for what came from outside. */
  readonly message: number | undefined;
  readonly event: unknown;
  /** What brought the event, and the arming that it answers. */
  readonly origin: MessageRow['kind'] | undefined;
  readonly incarnation: string | undefined;
  /** The actor or call that sent it; absent for what came from outside. */
  readonly sender: string | undefined;
  /** The journal row of the step that caused it. */
  readonly cause: number | undefined;
  readonly effects: readonly unknown[];
  readonly state: unknown;
}

export interface Undeliverable {
  readonly seq: number;
  readonly address: string;
  readonly reason: string;
  readonly atMs: number;
  readonly message: unknown;
  /** Where an operator has sent it again: the actor, and the message's sequence number there. */
  readonly redelivered: { readonly address: ActorAddress; readonly seq: number } | undefined;
}

/** A registered machine, with what its registration found (K8). */
export interface MachineView {
  readonly name: string;
  readonly version: number;
  /** What each `src` stands for: a durable call, or a child of that machine. */
  readonly sources: Readonly<Record<string, { readonly call?: string; readonly machine?: string }>>;
  /** Custom actions: they run after the commit, at most once. */
  readonly notifications: readonly Finding[];
  /** Invokes whose name changes when the machine is edited. */
  readonly warnings: readonly Finding[];
}

export function machineView(machine: RegisteredMachine): MachineView {
  const sources = [...machine.sources].map(([source, kind]) => [
    source,
    kind.kind === 'call'
      ? { call: machine.calls.get(source)?.class ?? 'effect' }
      : { machine: kind.machine },
  ]);
  return {
    name: machine.name,
    version: machine.version,
    sources: Object.fromEntries(sources) as MachineView['sources'],
    notifications: machine.checked.notifications,
    warnings: machine.checked.warnings,
  };
}

export function summaryOf(row: ActorRow, registry: Registry): ActorSummary {
  return {
    address: row.id,
    machine: row.machine,
    version: row.machine_version,
    parent: row.parent ?? undefined,
    revision: row.revision,
    status: row.status,
    state: parseStored(row.state),
    tags: (parseStored(row.tags) ?? []) as readonly string[],
    noHost: hasNoHost(row, registry),
    createdAtMs: row.created_at,
    updatedAtMs: row.updated_at,
  };
}

function hasNoHost(
  { machine, machine_version, status }: ActorRow,
  { machines }: Registry,
): boolean {
  if (machines.size === 0 || (status !== 'active' && status !== 'stuck')) return false;
  const known = machines.get(machine);
  return known === undefined || machine_version > known.version;
}

export function actorView(
  row: ActorRow,
  registry: Registry,
  messages: readonly MessageRow[],
  calls: readonly CallRow[],
): ActorView {
  const snapshot = (parseStored(row.snapshot) ?? {}) as {
    readonly context?: unknown;
    readonly output?: unknown;
    readonly error?: unknown;
  };
  return {
    ...summaryOf(row, registry),
    context: snapshot.context,
    output: snapshot.output,
    error: snapshot.error,
    stuck: stuckReasonOf(row),
    isStubbed: isStubbed(row.armings),
    messages: messages.filter(({ kind }) => kind !== 'timer').map(waiting),
    timers: messages.filter(({ kind }) => kind === 'timer').map(waiting),
    calls: calls.map(callView),
  };
}

/** Why an actor is stuck; undefined when it is not, or when that is damaged. */
export function stuckReasonOf({ status, error }: ActorRow): StuckReason | undefined {
  if (status !== 'stuck') return undefined;
  const reason = parseStored(error) as Partial<StuckReason> | undefined;
  return typeof reason?.messageSeq === 'number' ? (reason as StuckReason) : undefined;
}

function waiting(row: MessageRow): WaitingMessage {
  return {
    seq: row.seq,
    kind: row.kind,
    from: row.sender ?? undefined,
    event: parseStored(row.event),
    readyAtMs: row.ready_at,
  };
}

function callView(row: CallRow): CallView {
  return {
    id: row.id,
    source: row.source,
    class: row.class,
    status: row.status,
    attempt: row.attempt,
    host: row.host ?? undefined,
    orderedAtMs: row.ordered_at,
    startedAtMs: row.started_at ?? undefined,
    error: parseStored(row.result),
  };
}

export function journalEntry(row: JournalRow): JournalEntry {
  return {
    seq: row.seq,
    address: row.actor,
    revision: row.revision ?? undefined,
    atMs: row.at,
    kind: row.kind,
    message: row.message ?? undefined,
    event: parseStored(row.event),
    origin: row.origin ?? undefined,
    incarnation: row.incarnation ?? undefined,
    sender: row.sender ?? undefined,
    cause: row.cause ?? undefined,
    effects: (parseStored(row.effects) ?? []) as readonly unknown[],
    state: parseStored(row.state),
  };
}

export function undeliverableView(row: UndeliverableRow): Undeliverable {
  return {
    seq: row.seq,
    address: row.actor,
    reason: row.reason,
    atMs: row.at,
    message: parseStored(row.message),
    redelivered: redeliveredOf(row),
  };
}

function redeliveredOf({ redelivered_to: to, redelivered_as: as }: UndeliverableRow) {
  return to === null || as === null ? undefined : { address: to, seq: as };
}
