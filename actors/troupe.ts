// Troupe: the library's front. One object for a store, as its host (with machines) or beside one (without).

import type { Logger } from 'pino';
import {
  type ActorAddress,
  type ActorStatus,
  asStorageError,
  machineOf,
  type Store,
  TroupeError,
  toAddress,
} from '../persistence/index.ts';
import { answerStub, type StubAnswer } from './calls/index.ts';
import { checkEventOf, checkId, checkInput } from './checks.ts';
import type { AnyMachineDefinition, EventOf, InputOf } from './define-machine.ts';
import {
  admitSend,
  admitSpawn,
  checkAddress,
  checkMessageId,
  type OutsideSend,
  type SendReceipt,
} from './engine/admission.ts';
import type { Group } from './engine/group.ts';
import type { Feed } from './feed.ts';
import { admitFork, type Fork, type ForkOptions, forkOf } from './fork.ts';
import { checkIntervention, type Intervened, type Intervention } from './intervention.ts';
import type { Clock, Entropy } from './ports.ts';
import type { RegisteredMachine, Registry } from './registry/index.ts';
import {
  type RedeliverIntervention,
  redeliver,
  retry,
  type SkipIntervention,
  type Skipped,
  type Stopped,
  type StuckActor,
  type StuckOptions,
  skip,
  stop,
  stuckActors,
} from './repair/index.ts';
import {
  type PastActor,
  pastActor,
  pastOf,
  type ReadingPorts,
  type Replay,
  type ReplayOptions,
  replayActor,
  unknownActor,
} from './replay/index.ts';
import {
  type ActorSummary,
  type ActorView,
  actorView,
  type JournalEntry,
  journalEntry,
  type MachineView,
  machineView,
  summaryOf,
  type Undeliverable,
  undeliverableView,
} from './view.ts';
import { type Change, type WatchOptions, watchActor } from './watch.ts';

/** How a Troupe writes and ends: as a host, through its engine; as a sender, by transactions of its own. */
export interface Writing {
  /** The incarnation of this host; undefined beside one. */
  readonly host: string | undefined;
  /** Runs a write in a transaction and settles when it is on disk. */
  write<T>(run: (group: Group) => T): Promise<T>;
  close(): Promise<void>;
}

export interface TroupeParts {
  readonly store: Store;
  readonly registry: Registry;
  readonly feed: Feed;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly log: Logger;
  readonly writing: Writing;
}

export interface SpawnOptions<TDefinition> {
  /** The second part of the address. 1–256 characters; default: a new unique one. */
  readonly id?: string;
  readonly input?: InputOf<TDefinition>;
  /**
   * Binds the actor to this host: when the host has left or is proven dead, whoever deletes its row sends
   * `{ type: 'HOST_ENDED', host }` to the actor in that transaction, unless it has ended or has the tag `settled` (V4a).
   * An actor that is there already keeps the binding that it has. Default false.
   */
  readonly boundToHost?: boolean;
}

/** A spawned actor: its address, and whether this call made it. */
export interface SpawnedActor<TDefinition> {
  readonly address: ActorAddress<TDefinition>;
  readonly isNew: boolean;
}

export interface SendOptions {
  /** The caller's own id: the same id and event are taken once, for ever (M3). 1–256 characters. */
  readonly messageId?: string;
}

export interface ListOptions {
  readonly machine?: string;
  readonly status?: ActorStatus;
  /** The address of an actor: only its children. */
  readonly parent?: string;
  /** A tag of the machine's active states. */
  readonly tag?: string;
  /** Actors at most. 1–1_000; default 100. */
  readonly limit?: number;
  /** The last address of the page before. */
  readonly after?: string;
}

export interface JournalOptions {
  /** The sequence number of the first row, itself included; default 1. A next page begins at the last row's plus one. */
  readonly from?: number;
  /** Rows at most. 1–10_000; default 1_000. */
  readonly limit?: number;
}

type EventFor<TAddress> =
  TAddress extends ActorAddress<infer TDefinition>
    ? [EventOf<TDefinition>] extends [never]
      ? { readonly type: string }
      : EventOf<TDefinition>
    : { readonly type: string };

const LIST_LIMIT = 100;
const LIST_LIMIT_MAX = 1_000;
const JOURNAL_LIMIT = 1_000;
const JOURNAL_LIMIT_MAX = 10_000;

export class Troupe {
  private readonly parts: TroupeParts;
  private closing: Promise<void> | undefined;

  /** @internal Made by `openTroupe`. */
  constructor(parts: TroupeParts) {
    this.parts = parts;
  }

  /** The file of the store, as one canonical path. */
  get store(): string {
    return this.parts.store.file;
  }

  /**
   * Makes an actor, or returns the one of that id and equal input. Settles when it is on disk; its first step follows.
   * @throws {TroupeError} `machine_unknown`, `invalid_input`, `actor_exists`, `storage_unavailable`, `troupe_closed`.
   */
  async spawn<TDefinition extends AnyMachineDefinition>(
    definition: TDefinition,
    options: SpawnOptions<TDefinition> = {},
  ): Promise<SpawnedActor<TDefinition>> {
    const machine = this.registered(definition);
    const id = checkId(options.id ?? this.parts.entropy.incarnation());
    const address: ActorAddress<TDefinition> = toAddress<TDefinition>(machine.name, id);
    const input = checkInput(machine, options.input);
    const { writing } = this.opened();
    const host = options.boundToHost === true ? writing.host : undefined;
    const isNew = await writing.write((transaction) =>
      admitSpawn(transaction, {
        address,
        host,
        machine: machine.name,
        machineVersion: machine.version,
        input,
      }),
    );
    return { address, isNew };
  }

  /**
   * Sends an event to an actor. Settles when the message is on disk, with a receipt that never changes; from then on no
   * crash can lose it (M1). Delivery: once (M4).
   * @throws {TroupeError} `invalid_event`, `event_too_large`, `invalid_address`, `actor_unknown`, `actor_final`,
   * `actor_stopped` (the message is kept as undeliverable), `actor_stuck`, `mailbox_full`, `message_id_conflict`,
   * `storage_unavailable`, `troupe_closed`.
   */
  async send<TAddress extends ActorAddress>(
    address: TAddress,
    event: EventFor<TAddress>,
    options: SendOptions = {},
  ): Promise<SendReceipt> {
    checkMessageId(options.messageId);
    const send: OutsideSend = {
      address: checkAddress(address),
      event: checkEventOf(this.parts.registry.machines.get(machineOf(address) ?? ''), event),
      messageId: options.messageId,
    };
    const receipt = await this.opened().writing.write((transaction) =>
      admitSend(transaction, send),
    );
    // A refusal that is kept has been thrown by whoever wrote it.
    return receipt as SendReceipt;
  }

  /** Shows an actor with its context and what it waits for. @throws {TroupeError} `actor_unknown`. */
  async get(address: ActorAddress): Promise<ActorView> {
    return this.read((store) => {
      const row = store.actors.get(address);
      if (row === undefined) throw unknownActor(address);
      const { registry } = this.parts;
      return actorView(
        row,
        registry,
        store.messages.ofActor(address),
        store.calls.ofActor(address),
      );
    });
  }

  /** Lists actors in the order of their addresses. */
  async list(options: ListOptions = {}): Promise<ActorSummary[]> {
    const limit = checkLimit(options.limit ?? LIST_LIMIT, LIST_LIMIT_MAX);
    const { registry } = this.parts;
    return this.read((store) =>
      store.actors.list({ ...options, limit }).map((row) => summaryOf(row, registry)),
    );
  }

  /** An actor's journal, oldest first. @throws {TroupeError} `actor_unknown`. */
  async journal(address: ActorAddress, options: JournalOptions = {}): Promise<JournalEntry[]> {
    const limit = checkLimit(options.limit ?? JOURNAL_LIMIT, JOURNAL_LIMIT_MAX);
    return this.read((store) => {
      if (store.actors.status(address) === undefined) throw unknownActor(address);
      return store.journal.ofActor(address, checkFrom(options.from) - 1, limit).map(journalEntry);
    });
  }

  /**
   * What operators have done to an actor, newest first (J5). `limit`: rows at most, 1–1_000; default 100.
   * @throws {TroupeError} `actor_unknown`.
   */
  async interventions(
    address: ActorAddress,
    options: Pick<ListOptions, 'limit'> = {},
  ): Promise<JournalEntry[]> {
    const limit = checkLimit(options.limit ?? LIST_LIMIT, LIST_LIMIT_MAX);
    return this.read((store) => {
      if (store.actors.status(address) === undefined) throw unknownActor(address);
      return store.journal.interventions(address, limit).map(journalEntry);
    });
  }

  /** Messages that had nowhere to go, oldest first (K5). */
  async undeliverable(options: JournalOptions = {}): Promise<Undeliverable[]> {
    const limit = checkLimit(options.limit ?? JOURNAL_LIMIT, JOURNAL_LIMIT_MAX);
    return this.read((store) =>
      store.messages.undeliverable(checkFrom(options.from) - 1, limit).map(undeliverableView),
    );
  }

  /** Actors that wait for an operator, in the order of their addresses, with what parked each of them (K6). */
  async stuck(options: StuckOptions = {}): Promise<StuckActor[]> {
    const limit = checkLimit(options.limit ?? LIST_LIMIT, LIST_LIMIT_MAX);
    return this.read((store) => stuckActors(store, this.parts.registry, { ...options, limit }));
  }

  /**
   * Makes a stuck actor active again: the message that parked it is stepped again, then what has come since (K6a). Settles
   * when that is on disk; a host steps it then, and parks the actor anew if it fails again.
   * @throws {TroupeError} `invalid_intervention`, `actor_unknown`, `revision_conflict` when it is not as it was seen,
   * `actor_not_stuck`, `actor_final`, `actor_stopped`, `storage_unavailable`, `troupe_closed`.
   */
  async retry(address: ActorAddress, intervention: Intervention): Promise<Intervened> {
    const checked = checkIntervention(intervention);
    return this.opened().writing.write((group) => retry(group, address, checked));
  }

  /**
   * Takes the message that parked a stuck actor out of its mailbox, keeps it as undeliverable (`skipped`), and makes the
   * actor active again. @throws {TroupeError} as `retry`; `message_refused` for a birth, `message_awaited` for what the
   * machine waits for, `message_unknown`.
   */
  async skip(address: ActorAddress, intervention: SkipIntervention): Promise<Skipped> {
    const { message, evenIfAwaited } = intervention;
    const checked = { ...checkIntervention(intervention), message, evenIfAwaited };
    return this.opened().writing.write((group) => skip(group, address, checked));
  }

  /**
   * Ends an actor and all below it, stuck or not. They take no further step, their calls are cancelled and their mailboxes
   * kept as undeliverable; a parent that waits for the actor gets an error with the code `actor_stopped`.
   * @throws {TroupeError} `invalid_intervention`, `actor_unknown`, `revision_conflict`, `actor_final`, `actor_stopped`,
   * `storage_unavailable`, `troupe_closed`.
   */
  async stop(address: ActorAddress, intervention: Intervention): Promise<Stopped> {
    const checked = checkIntervention(intervention);
    return this.opened().writing.write((group) => stop(group, address, checked));
  }

  /**
   * Sends an undeliverable message again, to its actor or to another. Delivery: once; a repetition gives the same receipt.
   * @param seq Its number in `undeliverable`.
   * @throws {TroupeError} `invalid_intervention`, `message_unknown`, `message_redelivered`, `message_refused`, and as
   * `send`; no refusal writes anything.
   */
  async redeliver(seq: number, intervention: RedeliverIntervention): Promise<SendReceipt> {
    const { to } = intervention;
    const checked = {
      ...checkIntervention(intervention),
      ...(to === undefined ? {} : { to: checkAddress(to) }),
    };
    return this.opened().writing.write((group) => redeliver(group, seq, checked));
  }

  /**
   * Follows an actor's committed changes until it ends. Delivery: each change once, in order, none that is not on disk.
   * @throws {TroupeError} `actor_unknown`.
   */
  watch(
    address: ActorAddress,
    options: WatchOptions = {},
  ): AsyncGenerator<Change, void, undefined> {
    const { store, feed } = this.opened();
    return watchActor(store, feed, address, options);
  }

  /**
   * Takes an actor's journal through its machine again, and compares every step, every checkpoint and the stored actor
   * to the byte (J2). Reads page by page, changes nothing, and works beside a host. Needs the actor's machine.
   * @returns what it has shown; a divergence is a result, no error.
   * @throws {TroupeError} `actor_unknown`, `machine_unknown`, `machine_version` when the journal holds no checkpoint of
   * the registered version, `revision_unknown`, `storage_…`.
   */
  async replay(address: ActorAddress, options: ReplayOptions = {}): Promise<Replay> {
    return replayActor(this.reading(), address, options);
  }

  /**
   * Shows an actor as it was at a revision, from 1, computed from the checkpoint before it (J3). Changes nothing.
   * @throws {TroupeError} `revision_unknown`, `replay_diverged` when the journal and this code part before it, and what
   * `replay` throws.
   */
  async at(address: ActorAddress, revision: number): Promise<PastActor> {
    return pastActor(this.reading(), address, revision);
  }

  /**
   * Makes a new actor that begins as this one was at a revision (J4, J5). The source is not touched; the fork acts on
   * nothing outside unless `calls` is `live`. Settles when it is on disk. Delivery: once; again makes another fork.
   * @throws {TroupeError} `invalid_intervention`, `invalid_address`, `actor_exists`, `actor_final`, `journal_incomplete`,
   * and what `at` throws.
   */
  async fork(address: ActorAddress, options: ForkOptions): Promise<Fork> {
    const intervention = checkIntervention(options);
    const id = checkId(options.id ?? this.parts.entropy.incarnation());
    const past = await pastOf(this.reading(), address, options.revision);
    const calls = options.calls ?? 'stubbed';
    const forking = this.read((store) => forkOf(store, past, id, calls, intervention));
    return this.opened().writing.write((transaction) => admitFork(transaction, forking));
  }

  /**
   * Ends a stubbed call of a fork as if it had run (J4). The id is that of `get(…).calls`. Settles when the answer is on
   * disk. @throws {TroupeError} `call_unknown`, `call_not_stubbed`, `invalid_answer`, `storage_…`, `troupe_closed`.
   */
  async answer(callId: string, answer: StubAnswer): Promise<void> {
    const { registry, writing } = this.opened();
    await writing.write((transaction) => answerStub(transaction, registry, callId, answer));
  }

  /** The machines that this process knows, with what registration found: custom actions, and invokes without a name (K8). */
  machines(): MachineView[] {
    return [...this.parts.registry.machines.values()].map(machineView);
  }

  /** Leaves the store: running calls get their grace, the rest is settled as if this host had died (V9). Once. */
  close(): Promise<void> {
    this.closing ??= this.parts.writing.close();
    return this.closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** @throws {TroupeError} `storage_unavailable`, `storage_busy`, `store_damaged`. */
  private read<T>(look: (store: Store) => T): T {
    const { store } = this.opened();
    try {
      return store.read(() => look(store));
    } catch (error) {
      throw asStorageError(error, store.file);
    }
  }

  private reading(): ReadingPorts {
    const { registry, clock } = this.parts;
    return {
      registry,
      read: (look) => this.read(look),
      pause: () => new Promise((resolve) => clock.soon(resolve)),
    };
  }

  /** V9: from the first request to close on, nothing is taken any more. @throws {TroupeError} `troupe_closed`. */
  private opened(): TroupeParts {
    if (this.closing === undefined) return this.parts;
    throw new TroupeError('troupe_closed', 'This Troupe is closed. Open the store again.');
  }

  private registered(definition: AnyMachineDefinition): RegisteredMachine {
    const machine = this.parts.registry.machines.get(definition.name);
    if (machine !== undefined) return machine;
    const known = [...this.parts.registry.machines.keys()].join(', ') || 'none';
    throw new TroupeError(
      'machine_unknown',
      `Machine '${definition.name}' is not registered here (known: ${known}). Pass it to openTroupe({ machines: […] }).`,
      { details: { machine: definition.name } },
    );
  }
}

function checkFrom(from = 1): number {
  if (Number.isInteger(from) && from >= 1) return from;
  throw new TroupeError('invalid_option', `from is ${from}. It is a sequence number, from 1.`);
}

function checkLimit(limit: number, max: number): number {
  if (Number.isInteger(limit) && limit >= 1 && limit <= max) return limit;
  throw new TroupeError(
    'invalid_option',
    `limit is ${limit}. It is a whole number from 1 to ${max}.`,
  );
}
