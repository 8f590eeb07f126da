// Host: a process that steps a store, from its registration to its leave (V1, V4, V9).

import type { Logger } from 'pino';
import { type ActorAddress, type Store, TroupeError } from '../persistence/index.ts';
import { admitSend, checkAddress, checkEvent } from './engine/admission.ts';
import { Engine } from './engine/engine.ts';
import { StepWatch } from './engine/step-watch.ts';
import type { Feed } from './feed.ts';
import { HostWatch } from './host-watch.ts';
import { CALL_ABORT_GRACE_MS, SHUTDOWN_WRITE_MS_MAX } from './limits.ts';
import type { Boundaries, CallPool, Clock, Entropy, Watchdog } from './ports.ts';
import type { Registry } from './registry/index.ts';
import { type MachineEvent, messageOf } from './step/index.ts';
import { enter, leave, type Registration } from './supervisor.ts';
import type { Writing } from './troupe.ts';

export interface HostParts {
  readonly store: Store;
  readonly registry: Registry;
  readonly pool: CallPool;
  readonly feed: Feed;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly log: Logger;
  readonly boundary: Boundaries;
  readonly pid: number;
  readonly isDev: boolean;
  readonly graceMs: number;
  readonly startWatchdog: (() => Watchdog | undefined) | undefined;
  /** Called when the host had to stop by itself after it was ready. */
  readonly onFatal: ((error: Error) => void) | undefined;
}

/**
 * Enters the store and settles when what was ready has been stepped (V1). @throws what kept it from that; the host has
 * then left again.
 */
export async function openHost(parts: HostParts): Promise<Writing> {
  const host = await enterWatched(parts);
  try {
    await host.ready();
    return host;
  } catch (error) {
    await host.close().catch((closing: unknown) => {
      const facts = { error: messageOf(closing) };
      parts.log.error(facts, 'the host could not leave; the next one settles it');
    });
    throw error;
  }
}

async function enterWatched(parts: HostParts): Promise<Host> {
  const watchdog = parts.startWatchdog?.();
  try {
    return new Host(parts, await enter(parts), watchdog);
  } catch (error) {
    await watchdog?.close();
    throw error;
  }
}

class Host implements Writing {
  private readonly parts: HostParts;
  private readonly registration: Registration;
  private readonly watchdog: Watchdog | undefined;
  private readonly engine: Engine;
  private readonly watch: HostWatch;
  private failure: Error | undefined;
  private isReady = false;

  constructor(parts: HostParts, registration: Registration, watchdog: Watchdog | undefined) {
    this.parts = parts;
    this.registration = registration;
    this.watchdog = watchdog;
    this.engine = new Engine({
      ...parts,
      host: registration.incarnation,
      onCommit: (touched) => parts.feed.notify(touched),
      send: (address, event) => this.send(address, event),
      onFatal: (error) => this.fatal(error),
      ownsLock: () => registration.lock.isOwn(),
      watch: new StepWatch(registration.note, watchdog),
      isCareful: registration.isCareful,
    });
    this.watch = new HostWatch({
      ...parts,
      host: registration.incarnation,
      admit: (run) => this.engine.admit(run),
      onFenced: () => this.engine.fence(),
    });
  }

  async ready(): Promise<void> {
    this.engine.start();
    await this.engine.drained();
    if (this.failure !== undefined) throw this.failure;
    this.isReady = true;
    this.watch.start();
  }

  get host(): string {
    return this.registration.incarnation;
  }

  readonly write: Writing['write'] = (run) => this.engine.admit(run);

  /** V9: no new calls; those that run get their grace, then they are asked to stop, then they are ended. */
  async close(): Promise<void> {
    const { store, pool, boundary, feed, log } = this.parts;
    this.watch.stop();
    await this.quiesce().catch((error: unknown) => {
      const facts = { error: messageOf(error) };
      log.error(facts, 'not everything could be written; the next host settles it');
    });
    this.engine.stop();
    await pool.close();
    await this.watchdog?.close();
    boundary('close.beforeLeave');
    await this.leave().finally(() => {
      feed.close();
      store.close();
    });
  }

  /** A store that is not the opened one any more is not written: whoever opens it next settles this host (V8). */
  private async leave(): Promise<void> {
    const { store, clock, log } = this.parts;
    const isReplaced =
      this.failure instanceof TroupeError && this.failure.code === 'store_replaced';
    if (isReplaced) this.registration.lock.unlock();
    else await leave(store, clock, log, this.registration);
  }

  private async quiesce(): Promise<void> {
    const { desk } = this.engine;
    desk.stopClaiming();
    desk.stopListening();
    await this.atMost(this.parts.graceMs, desk.idle());
    desk.abortAll();
    // Who grants no grace grants none to answer the abort either.
    await this.atMost(Math.min(CALL_ABORT_GRACE_MS, this.parts.graceMs), desk.idle());
    desk.killAll();
    await desk.idle();
    // A storage that is away must not keep the process: what is not written is settled by the next host.
    await this.atMost(SHUTDOWN_WRITE_MS_MAX, this.engine.drained());
  }

  private async atMost(limitMs: number, done: Promise<void>): Promise<void> {
    if (limitMs === 0) return;
    let disarm = () => {};
    const limit = new Promise<void>((resolve) => {
      disarm = this.parts.clock.after(limitMs, resolve);
    });
    await Promise.race([done, limit]);
    disarm();
  }

  /** A notification's send: nobody waits for it. */
  private send(address: ActorAddress, event: MachineEvent): void {
    const { log } = this.parts;
    const failed = (error: unknown): void => {
      log.warn({ address, error: messageOf(error) }, 'a notification could not send');
    };
    try {
      const send = {
        address: checkAddress(address),
        event: checkEvent(event),
        messageId: undefined,
      };
      this.write((transaction) => admitSend(transaction, send)).catch(failed);
    } catch (error) {
      failed(error);
    }
  }

  private fatal(error: Error): void {
    const { log, feed, onFatal } = this.parts;
    log.fatal({ error: error.message }, 'the host has stopped');
    this.failure = error;
    this.watch.stop();
    feed.close(error);
    if (this.isReady) onFatal?.(error);
  }
}
