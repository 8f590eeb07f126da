// Call desk: claims waiting calls, starts what was claimed once it is on disk, and brings back how each ended.
//
// C1  a call is claimed only when there is a thread free for it, and started after that commit.
// C3  at its limit a call's signal aborts; after the grace its thread ends; the class tells the outcome.
// C4  only the end of the current attempt moves the actor; any other is late evidence.
// C8  waiting calls start in the order in which they were ordered, per call.

import type { Logger } from 'pino';
import type { CallRow } from '../../persistence/index.ts';
import { type ClaimedCall, endsGroup, type Group, type Performance } from '../engine/group.ts';
import { CALL_ABORT_GRACE_MS, GROUP_WRITES_BYTES_MAX, LISTENER_EVENTS_MAX } from '../limits.ts';
import type { AttemptEnd, Boundaries, CallPool, Clock, Cut, RunningAttempt } from '../ports.ts';
import type { CallSpec } from '../registry/index.ts';
import { type MachineEvent, messageOf } from '../step/index.ts';
import { answer, answerOwn, appendLateEnd, type Ended, type Heard, passOn } from './answer.ts';
import { asCut, cancelledAs, withinLimits } from './attempt-end.ts';
import { type Settlement, settle, settleInterrupted, settleWithdrawn } from './settlement.ts';

interface Running {
  readonly claimed: ClaimedCall;
  readonly attempt: RunningAttempt;
  /** Why the desk itself is ending it. */
  cut: Cut | undefined;
  disarm: () => void;
}

export interface CallDeskPorts {
  readonly clock: Clock;
  readonly pool: CallPool;
  readonly host: string;
  readonly log: Logger;
  readonly specs: ReadonlyMap<string, CallSpec>;
  readonly boundary: Boundaries;
  /** Asks the engine for a group. */
  readonly wake: () => void;
}

export class CallDesk {
  private readonly running = new Map<string, Running>();
  private readonly runningByKey = new Map<string, number>();
  /** What has come of calls, until it is on disk. */
  private incoming: (Ended | Heard)[] = [];
  private readonly ports: CallDeskPorts;
  private isClosing = false;

  constructor(ports: CallDeskPorts) {
    this.ports = ports;
  }

  /** True when an end, or what a listener has sent, waits for its transaction. */
  get hasEnded(): boolean {
    return this.incoming.length > 0;
  }

  /** Writes the ends that have come in, within the group's limit. @returns what to call once the group is on disk. */
  applyEnded(group: Group): () => void {
    let applied = 0;
    for (const each of this.incoming) {
      if (group.writtenBytes > GROUP_WRITES_BYTES_MAX) break;
      this.applyOne(group, each);
      applied++;
    }
    if (applied > 0) group.wrote = true;
    return () => {
      this.incoming = this.incoming.slice(applied);
    };
  }

  /** Claims waiting calls for which there is room, and withdraws those that have waited too long. */
  claimWaiting(group: Group): void {
    if (group.waitingSources.size === 0) return;
    this.withdrawOverdue(group);
    if (this.isClosing) return;
    // claimOf may take the source out: a set allows that while it is walked.
    for (const source of group.waitingSources) this.claimOf(group, source);
  }

  /** Starts and aborts what the committed group ordered. */
  perform({ starts, tells, aborts }: Performance): void {
    for (const claimed of starts) {
      this.ports.boundary('perform.beforeCall');
      this.start(claimed);
      this.ports.boundary('perform.callStarted');
    }
    for (const { callId, event } of tells) this.running.get(callId)?.attempt.hear?.(event);
    this.abort(aborts);
  }

  get isRunning(): boolean {
    return this.running.size > 0;
  }

  /** Asks those of these calls that run here to stop. To ask again changes nothing. */
  abort(callIds: readonly string[]): void {
    for (const callId of callIds) this.running.get(callId)?.attempt.abort();
  }

  /** Stops claiming; calls that run go on. */
  stopClaiming(): void {
    this.isClosing = true;
  }

  /** Ends what would listen for ever; another host goes on with it (K9a). */
  stopListening(): void {
    for (const running of this.running.values()) {
      if (running.claimed.spec.class !== 'listener') continue;
      running.cut = 'shutdown';
      running.attempt.abort();
    }
  }

  /** Settles when nothing runs any more. */
  async idle(): Promise<void> {
    await Promise.allSettled([...this.running.values()].map(({ attempt }) => attempt.end));
  }

  /** Asks what still runs to stop; what does not answer is then settled as if its host had died (V9, C5). */
  abortAll(): void {
    for (const running of this.running.values()) {
      running.cut = 'shutdown';
      running.attempt.abort();
    }
  }

  /** Ends what still runs. */
  killAll(): void {
    for (const { attempt } of this.running.values()) attempt.kill();
  }

  private claimOf(group: Group, source: string): void {
    const spec = this.ports.specs.get(source);
    if (spec === undefined) return;
    const free = spec.concurrency - (this.runningByKey.get(source) ?? 0);
    if (free <= 0) return;
    const { host } = this.ports;
    const rows = group.store.calls.waiting(source, free);
    if (rows.length < free) group.waitingSources.delete(source);
    for (const row of rows) {
      if (!group.store.calls.claim(row.id, host, group.nowMs)) continue;
      group.wrote = true;
      group.performance.starts.push({ row: { ...row, host, attempt: row.attempt + 1 }, spec });
    }
  }

  private withdrawOverdue(group: Group): void {
    for (const row of group.store.calls.overdue(group.nowMs)) {
      group.wrote = true;
      answer(group, row, settleWithdrawn(row, row.claim_limit_ms));
    }
  }

  private start(claimed: ClaimedCall): void {
    const { row, spec } = claimed;
    const attempt = startSafely(this.ports.pool, claimed, (event) => this.hear(claimed, event));
    const running: Running = { claimed, attempt, cut: undefined, disarm: () => {} };
    if (row.limit_ms > 0) {
      running.disarm = this.ports.clock.after(row.limit_ms, () => this.limitReached(running));
    }
    this.running.set(row.id, running);
    this.runningByKey.set(spec.key, (this.runningByKey.get(spec.key) ?? 0) + 1);
    void attempt.end.then(
      (end) => this.onEnd(running, end),
      // A pool never rejects; should one do so, the attempt has ended in a way that nobody knows.
      (error: unknown) => this.onEnd(running, cutBy(error)),
    );
    void attempt.late?.then(
      (end) => this.push(claimed, end),
      (error: unknown) => this.push(claimed, cutBy(error)),
    );
  }

  private limitReached(running: Running): void {
    running.cut ??= 'time_limit';
    running.attempt.abort();
    running.disarm = this.ports.clock.after(CALL_ABORT_GRACE_MS, () => running.attempt.kill());
  }

  private onEnd(running: Running, end: AttemptEnd): void {
    const { row, spec } = running.claimed;
    running.disarm();
    this.running.delete(row.id);
    this.runningByKey.set(spec.key, (this.runningByKey.get(spec.key) ?? 1) - 1);
    this.push(running.claimed, asCut(end, running.cut, row));
  }

  private push(claimed: ClaimedCall, end: AttemptEnd): void {
    this.incoming.push({ ...claimed, end });
    this.ports.wake();
  }

  /** K9a: in memory until its group is on disk. */
  private hear(claimed: ClaimedCall, event: MachineEvent): void {
    if (this.incoming.length >= LISTENER_EVENTS_MAX) {
      const facts = { callId: claimed.row.id, eventsMax: LISTENER_EVENTS_MAX };
      this.ports.log.warn(facts, 'an event of a listener was dropped: too many wait');
      return;
    }
    this.incoming.push({ ...claimed, event });
    this.ports.wake();
  }

  /** A bug in one settlement holds up no other: its call is settled as interrupted when this host has ended. */
  private applyOne(group: Group, each: Ended | Heard): void {
    try {
      group.part(() => ('event' in each ? passOn(group, each) : this.apply(group, each)));
    } catch (error) {
      if (endsGroup(error)) throw error;
      const { log } = this.ports;
      log.error(
        { callId: each.row.id, error: messageOf(error) },
        'what came of a call could not be written',
      );
    }
  }

  private apply(group: Group, ended: Ended): void {
    const settlement = this.judge(ended.row, ended);
    if (settlement.kind !== 'again' && answerOwn(group, ended.row, settlement)) return;
    const row = group.store.calls.get(ended.row.id);
    if (row === undefined) return;
    const isCurrent = row.host === this.ports.host && row.attempt === ended.row.attempt;
    if (isCurrent && row.status === 'claimed') {
      answer(group, row, settlement);
      return;
    }
    if (isCurrent && row.status === 'cancelling') {
      group.store.calls.settle(row.id, cancelledAs(row, settlement), undefined);
    }
    appendLateEnd(group, row, ended);
  }

  private judge(row: CallRow, { end, spec }: Ended): Settlement {
    if (end.kind === 'cut' && end.by === 'shutdown') return settleInterrupted(row);
    const schema = spec.runs.on === 'thread' ? spec.runs.call.output : undefined;
    return settle(row, withinLimits(end), schema);
  }
}

/** A thread that could not be made (no memory, no descriptors) is an attempt that was cut off, not the host's end. */
function startSafely(
  pool: CallPool,
  { row, spec }: ClaimedCall,
  onEvent: (event: MachineEvent) => void,
): RunningAttempt {
  let input: unknown;
  try {
    input = row.input === null ? undefined : JSON.parse(row.input);
  } catch (error) {
    const message = `The stored input of ${row.id} is not JSON: ${messageOf(error)}`;
    return ended({ kind: 'threw', error: { code: 'input_damaged', message, outcome: 'failed' } });
  }
  try {
    const { id, attempt } = row;
    return pool.start({ callId: id, attempt, idempotencyKey: id, spec, input, onEvent });
  } catch (error) {
    const why = `its thread could not be started (${messageOf(error)})`;
    return ended({ kind: 'cut', by: 'thread_ended', why });
  }
}

function cutBy(error: unknown): AttemptEnd {
  return { kind: 'cut', by: 'thread_ended', why: messageOf(error) };
}

function ended(end: AttemptEnd): RunningAttempt {
  return { end: Promise.resolve(end), abort: () => {}, kill: () => {} };
}
