// Engine: the loop of a host. It takes what is ready into one transaction, commits once, then performs.
//
// K2  admissions, ends of calls, steps and claims of a group are one transaction.
// K3  nothing is performed before the commit has returned.
// V4  every commit of a host writes into the host's own row; a host without a row stops.
// V7  a storage that fails undoes the group; the loop tries again until the storage is back. A commit that failed is in
//     doubt: until a fence tells whether its group is on disk, nothing is stepped or performed.

import type { Logger } from 'pino';
import {
  type ActorAddress,
  asStorageError,
  type ErrorCode,
  type Outcome,
  type Store,
  sqliteCode,
  TroupeError,
} from '../../persistence/index.ts';
import { CallDesk } from '../calls/call-desk.ts';
import {
  ALARM_MS_MAX,
  CAREFUL_GROUPS,
  DOUBT_MS_MAX,
  GROUP_MS_MAX,
  GROUP_STEPS_MAX,
  GROUP_WRITES_BYTES_MAX,
  GUARDED_GROUPS,
  POLL_MS,
  STORAGE_RETRY_MS_MAX,
  STORAGE_RETRY_MS_MIN,
} from '../limits.ts';
import type { Boundaries, CallPool, Clock } from '../ports.ts';
import type { CallSpec, Registry } from '../registry/index.ts';
import { type MachineEvent, messageOf, withReplacedGlobals } from '../step/index.ts';
import { StoreQueue } from '../store-queue.ts';
import { WalBound } from '../wal-bound.ts';
import { ActorCache } from './actor-cache.ts';
import { type Admission, AdmissionQueue } from './admission-queue.ts';
import { lookForGroup } from './doubt.ts';
import { Drains } from './drains.ts';
import { arrivalOf, Group, TornGroup } from './group.ts';
import { notify } from './notify.ts';
import { nextDueMs, onDisk, readyMessages } from './ready.ts';
import type { StepWatch } from './step-watch.ts';
import { Stepper } from './stepper.ts';

export interface EnginePorts {
  readonly store: Store;
  readonly registry: Registry;
  readonly clock: Clock;
  readonly pool: CallPool;
  readonly log: Logger;
  /** The incarnation of this host; its row is in the store. */
  readonly host: string;
  readonly boundary: Boundaries;
  /** Called after every commit: of this host, with the actors that it touched; seen of another, without. */
  readonly onCommit: (touched?: ReadonlySet<string>) => void;
  /** Sends from a notification, which nobody waits for. */
  readonly send: (address: ActorAddress, event: MachineEvent) => void;
  /** Called once when the host must stop: its row is gone, or a bug showed. */
  readonly onFatal: (error: Error) => void;
  /** True while the host's lock file is still its own (V4). */
  readonly ownsLock: () => boolean;
  readonly watch: StepWatch;
  /** True when an earlier host died in the step of a message that it had not committed (V3). */
  readonly isCareful: boolean;
}

/** What no later attempt mends: the host stops. A damaged file must not be written any more (V8). */
const FATAL: ReadonlySet<ErrorCode> = new Set(['host_fenced', 'store_replaced', 'store_damaged']);

/** A group on its way to disk, and what is owed once it is there. */
interface Committing {
  readonly group: Group;
  readonly number: number;
  readonly admitted: readonly Admission[];
  readonly confirmEnded: () => void;
}

/** Why it is in doubt, as SQLite said it. */
interface Doubt extends Committing {
  readonly cause: unknown;
}

export class Engine {
  readonly desk: CallDesk;
  private readonly ports: EnginePorts;
  private readonly machines: readonly string[];
  private readonly machineSet: ReadonlySet<string>;
  private readonly cache = new ActorCache();
  private readonly stepper: Stepper;
  private readonly admissions = new AdmissionQueue();
  private readonly queue: StoreQueue;
  private readonly walBound: WalBound;
  private readonly drains = new Drains();
  private readonly waitingSources = new Set<string>();
  private state: 'new' | 'running' | 'stopped' = 'new';
  private isWoken = false;
  private isGivingWay = false;
  private retryMs = 0;
  private groupNumber = 0;
  /** So many groups more step only what is on disk (V3). */
  private carefulGroups: number;
  /** So many groups more have a savepoint for each part: something threw a short while ago. */
  private guardedGroups = 0;
  private seenVersion = -1;
  /** What is in memory may be ahead of the store. */
  private hasLostGroup = false;
  private disarmAlarm = () => {};
  private disarmPoll = () => {};
  private disarmRetry = () => {};
  /** The connection may be in a state that nobody knows. */
  private mustReopen = false;
  /** Why this host has stopped by itself. */
  private failure: Error | undefined;
  private committing: Committing | undefined;
  /** Its commit failed: nobody knows whether it is on disk. */
  private doubt: Doubt | undefined;
  private disarmDoubt = () => {};

  constructor(ports: EnginePorts) {
    this.ports = ports;
    this.carefulGroups = ports.isCareful ? CAREFUL_GROUPS : 0;
    this.machines = [...ports.registry.machines.keys()];
    this.machineSet = new Set(this.machines);
    this.stepper = new Stepper(ports.registry, this.cache);
    this.queue = new StoreQueue(ports.store.waiting, ports.clock);
    this.walBound = new WalBound(ports.store, ports.clock);
    this.desk = new CallDesk({
      clock: ports.clock,
      pool: ports.pool,
      host: ports.host,
      log: ports.log,
      specs: specsOf(ports.registry),
      boundary: ports.boundary,
      wake: () => this.wake(),
    });
  }

  /** Begins the loop. What is ready or due is stepped at once. */
  start(): void {
    this.state = 'running';
    this.seenVersion = this.ports.store.dataVersion();
    for (const source of this.ports.store.calls.waitingSources()) this.waitingSources.add(source);
    this.poll();
    this.wake();
  }

  /**
   * Settles when all that was ready at this moment has been stepped, and every end of a call that has come in is on
   * disk (V1). What arrives later does not hold it up.
   */
  drained(): Promise<void> {
    if (this.state !== 'running') return Promise.resolve();
    const drained = this.drains.add(this.ports.store.messages.last());
    this.wake();
    return drained;
  }

  /** Runs an outside write in the next group. Settles once it is on disk (M1). */
  admit<T>(run: (group: Group) => T): Promise<T> {
    if (this.state !== 'running') return Promise.reject(this.failure ?? closed());
    const result = this.admissions.add(run);
    this.wake();
    return result;
  }

  /** Asks for a group, as soon as what is being handled has been handled. */
  wake(): void {
    if (this.state !== 'running' || this.isWoken || this.isGivingWay) return;
    this.isWoken = true;
    this.ports.clock.soon(() => {
      this.isWoken = false;
      this.runOnce();
    });
  }

  /** This host has no row any more: it stops (V4). */
  fence(): void {
    if (this.state === 'running') this.fatal(fenced(this.ports.host));
  }

  /** Ends the loop. Outside writes that were not written yet are refused; of those in doubt the callers learn that. */
  stop(): void {
    if (this.state === 'stopped') return;
    this.state = 'stopped';
    this.disarmAlarm();
    this.disarmPoll();
    this.disarmRetry();
    this.queue.leave();
    if (this.doubt !== undefined) this.leaveInDoubt(this.doubt);
    this.admissions.refuseAll(this.failure ?? closed());
    this.drains.giveUp();
  }

  private runOnce(): void {
    if (this.state !== 'running' || this.isGivingWay) return;
    this.disarmAlarm();
    if (this.walBound.isLarge) {
      this.pauseFor((goOn) => this.walBound.whenSmall(goOn));
      return;
    }
    try {
      const outcome = this.doubt === undefined ? this.runGroup() : this.resolve(this.doubt);
      if (outcome === 'busy') this.queue.comeBack(() => this.wake());
      else this.afterGroup(outcome);
    } catch (error) {
      if (error instanceof TornGroup) this.runAgain();
      else this.failed(error);
    }
  }

  /** One group. @returns `busy` when another process writes, `more` when work was left, else `done`. */
  private runGroup(): 'busy' | 'more' | 'done' {
    const { store, clock, boundary } = this.ports;
    if (this.mustReopen) store.reopen();
    this.mustReopen = false;
    if (!this.queue.mayTry() || !store.begin()) return 'busy';
    this.queue.leave();
    boundary('group.begun');
    const version = store.dataVersion();
    if (version !== this.seenVersion || this.hasLostGroup) this.forget(version);
    const nowMs = clock.now();
    const isGuarded = this.guardedGroups > 0 || this.carefulGroups > 0;
    const machines = isGuarded ? undefined : this.machineSet;
    const group = new Group(store, nowMs, arrivalOf(store, nowMs), this.waitingSources, machines);
    const isOver = () => clock.now() - nowMs > GROUP_MS_MAX;
    const admitted = this.admissions.run(group, isOver);
    // What an operator has done to an actor is not what is in memory of it.
    for (const address of group.touched) this.cache.drop(address);
    const confirmEnded = this.desk.applyEnded(group);
    const isLeft = this.stepReady(group, admitted.length);
    this.desk.claimWaiting(group);
    const committing = { group, number: this.groupNumber + 1, admitted, confirmEnded };
    if (group.wrote || admitted.length > 0) this.commit(committing);
    else store.rollback();
    this.committed(committing);
    // A call that was withdrawn in this group has an answer that is ready only now.
    return isLeft || group.delivered || this.admissions.size > 0 ? 'more' : 'done';
  }

  /** Nothing of the group is kept; it is run again with savepoints, so that only the part that throws is undone. */
  private runAgain(): void {
    this.rollback();
    this.hasLostGroup = true;
    this.guardedGroups = GUARDED_GROUPS;
    this.admissions.requeue();
    this.wake();
  }

  /** What the group owed is due: it is on disk. */
  private committed({ group, admitted, confirmEnded }: Committing): void {
    confirmEnded();
    this.retryMs = 0;
    this.guardedGroups = Math.max(0, this.guardedGroups - 1);
    this.perform(group, admitted);
  }

  /** V7: only what a fence shows to be on disk is performed. */
  private resolve(doubt: Doubt): 'busy' | 'more' {
    const { store, host, log } = this.ports;
    const found = lookForGroup(store, host, doubt.number);
    if (found === 'busy') return 'busy';
    this.queue.leave();
    if (found === 'fenced') throw fenced(host);
    log.info({ group: doubt.number, found }, 'the commit that failed is settled');
    this.doubt = undefined;
    this.disarmDoubt();
    this.hasLostGroup = true;
    if (found === 'written') this.committed(doubt);
    else this.admissions.refuseRunning(this.told(doubt, 'notWritten'));
    return 'more';
  }

  /**
   * V3: whatever ends the steps, the note is cleared.
   * @param stepsMin Steps that are taken however long they last: as many as were admitted, so that sends never outrun them.
   * @returns true when something that is ready was left.
   */
  private stepReady(group: Group, stepsMin: number): boolean {
    if (group.hasUnnamedDeath) this.carefulGroups = CAREFUL_GROUPS;
    else if (this.carefulGroups > 0) this.carefulGroups--;
    try {
      return withReplacedGlobals(() => this.stepAll(group, stepsMin));
    } finally {
      this.ports.watch.end();
    }
  }

  private stepAll(group: Group, stepsMin: number): boolean {
    const { clock, watch } = this.ports;
    // Steps have a time of their own, so that sends without end do not starve them.
    let startedMs: number | undefined;
    let steps = 0;
    do {
      group.delivered = false;
      const left = GROUP_STEPS_MAX - steps;
      const found = readyMessages(group, this.machines, left);
      const ready = this.carefulGroups > 0 ? onDisk(found, group.committedSeq) : found;
      for (const message of ready) {
        startedMs ??= clock.now();
        watch.begin(message, message.seq > group.committedSeq);
        this.stepper.handle(group, message);
        steps++;
        if (steps >= stepsMin && clock.now() - startedMs > GROUP_MS_MAX) return true;
        if (group.writtenBytes > GROUP_WRITES_BYTES_MAX) return true;
      }
      if (found.length === left || ready.length < found.length) return true;
    } while (group.delivered);
    return false;
  }

  private commit(committing: Committing): void {
    const { store, host, boundary, ownsLock } = this.ports;
    const { group, number } = committing;
    group.close();
    this.groupNumber = number;
    if (!ownsLock() || !store.hosts.number(host, number)) throw fenced(host);
    store.files.requireOwn();
    boundary('group.beforeCommit');
    this.committing = committing;
    store.commit();
    this.committing = undefined;
    boundary('group.committed');
  }

  /** K3: only from here on does anything leave the process. */
  private perform(group: Group, admitted: readonly Admission[]): void {
    for (const admission of admitted) admission.settle();
    this.desk.perform(group.performance);
    for (const notification of group.performance.notifications) notify(notification, this.ports);
    if (group.touched.size > 0) this.ports.onCommit(group.touched);
    this.ports.boundary('perform.done');
  }

  private afterGroup(outcome: 'more' | 'done'): void {
    const { store, clock } = this.ports;
    if (!this.desk.hasEnded && !this.drains.isEmpty) {
      this.drains.settle(store, this.machines, clock.now());
    }
    if (this.queue.isAwaited) this.pauseFor((goOn) => this.queue.giveWay(goOn));
    else if (outcome === 'done' && this.drains.isEmpty) this.armAlarm();
    else this.wake();
  }

  /** Until it goes on this host begins no group, whatever wakes it. */
  private pauseFor(wait: (goOn: () => void) => void): void {
    this.isGivingWay = true;
    wait(() => {
      this.isGivingWay = false;
      this.wake();
    });
  }

  /** Sleeps until the next timer or claim limit, but never longer than ALARM_MS_MAX (T3). */
  private armAlarm(): void {
    const { store, clock } = this.ports;
    const dueMs = nextDueMs(store, this.machines);
    const claimMs = this.waitingSources.size > 0 ? store.calls.nextClaimLimitMs() : undefined;
    const nextMs = Math.min(dueMs ?? Number.POSITIVE_INFINITY, claimMs ?? Number.POSITIVE_INFINITY);
    if (nextMs === Number.POSITIVE_INFINITY) return;
    const sleepMs = Math.min(Math.max(nextMs - clock.now(), 0), ALARM_MS_MAX);
    this.disarmAlarm = clock.after(sleepMs, () => this.wake());
  }

  /** Learns that another process has written. */
  private poll(): void {
    this.disarmPoll = this.ports.clock.after(POLL_MS, () => {
      if (this.state !== 'running') return;
      // While the storage is away its retry looks; this would only add to the noise.
      if (this.retryMs === 0) this.lookForOthers();
      this.poll();
    });
  }

  private lookForOthers(): void {
    try {
      if (this.ports.store.dataVersion() === this.seenVersion) return;
      this.wake();
      this.ports.onCommit();
    } catch (error) {
      this.failed(error);
    }
  }

  private forget(version: number): void {
    this.seenVersion = version;
    this.hasLostGroup = false;
    this.cache.clear();
    const { calls } = this.ports.store;
    for (const source of calls.waitingSources()) this.waitingSources.add(source);
    // Another host may have stepped the actor of a call that runs here, and asked it to stop (C7).
    if (this.desk.isRunning) this.desk.abort(calls.cancellingOf(this.ports.host));
  }

  /** The group was lost, or is in doubt: what was in memory of it goes, and the storage is tried again (V7). */
  private failed(error: unknown): void {
    const { store, log, clock } = this.ports;
    const { committing } = this;
    this.committing = undefined;
    this.rollback();
    this.hasLostGroup = true;
    const storage = asStorageError(error, store.file);
    if (!(storage instanceof TroupeError) || FATAL.has(storage.code)) return this.fatal(storage);
    if (committing !== undefined) this.enterDoubt({ ...committing, cause: error });
    if (this.doubt === undefined) this.admissions.refuseAll(storage);
    else this.admissions.refusePending(storage);
    // A disk that is full leaves its connection as it is; of other faults nobody knows.
    this.mustReopen = sqliteCode(error) !== 'SQLITE_FULL';
    this.retryMs = Math.min(Math.max(this.retryMs * 2, STORAGE_RETRY_MS_MIN), STORAGE_RETRY_MS_MAX);
    log.error({ code: storage.code, retryMs: this.retryMs }, storage.message);
    this.disarmRetry();
    this.disarmRetry = clock.after(this.retryMs, () => this.wake());
  }

  private enterDoubt(doubt: Doubt): void {
    this.doubt = doubt;
    this.disarmDoubt = this.ports.clock.after(DOUBT_MS_MAX, () => {
      this.admissions.refuseRunning(this.told(doubt, 'unknown'));
    });
  }

  private leaveInDoubt(doubt: Doubt): void {
    this.disarmDoubt();
    this.admissions.refuseRunning(this.told(doubt, 'unknown'));
  }

  /** What the callers of a group in doubt are told. */
  private told({ cause }: Doubt, outcome: Outcome): Error {
    const error = asStorageError(cause, this.ports.store.file, outcome);
    return error instanceof Error ? error : new Error(messageOf(error));
  }

  private rollback(): void {
    try {
      this.ports.store.rollback();
    } catch (error) {
      this.ports.log.error({ error: messageOf(error) }, 'the transaction could not be undone');
    }
  }

  private fatal(thrown: unknown): void {
    const error = thrown instanceof Error ? thrown : new Error(messageOf(thrown));
    this.failure = error;
    if (this.doubt !== undefined) this.leaveInDoubt(this.doubt);
    this.admissions.refuseRunning(error);
    this.stop();
    this.ports.onFatal(error);
  }
}

function specsOf(registry: Registry): ReadonlyMap<string, CallSpec> {
  const specs = new Map<string, CallSpec>();
  for (const machine of registry.machines.values()) {
    for (const spec of machine.calls.values()) specs.set(spec.key, spec);
  }
  return specs;
}

function closed(): TroupeError {
  return new TroupeError('troupe_closed', 'This Troupe is closed. Open the store again.');
}

function fenced(host: string): TroupeError {
  return new TroupeError(
    'host_fenced',
    `This host (${host}) is no longer registered: its row or its lock file is gone. It stops; start a new one.`,
    { details: { host } },
  );
}
