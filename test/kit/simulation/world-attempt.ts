// World attempt: one attempt of a call. The outside does what it was asked at some moment, and answers at a later one; in
// between everything may go wrong. Every attempt is in the ledger.

import type { Attempt, AttemptEnd, RunningAttempt } from '../../../actors/index.ts';
import { CALL_ABORT_GRACE_MS } from '../../../actors/limits.ts';
import type { FaultName } from './faults.ts';
import type { SimulatedProcess, World } from './world.ts';

/** How long a request is under way, and its answer. Milliseconds. */
const LATENCY_MS = [1, 2_000] as const;

/** How long after its limit and the grace a late answer comes: another attempt may be under way. Milliseconds. */
const LATE_MS = [0, 4_000] as const;

/** How long a request of a dead process may still be under way. Milliseconds. */
const WIRE_MS = [0, 3_000] as const;

/** What may go wrong with one attempt; the first that happens is its fate. */
const FATES: readonly FaultName[] = [
  'callThrew',
  'threadDied',
  'threadStalled',
  'replyLost',
  'replyLate',
  'replyMalformed',
  'replyDoubled',
];

export class WorldAttempt implements RunningAttempt {
  readonly end: Promise<AttemptEnd>;
  readonly late?: Promise<AttemptEnd>;
  private readonly world: World;
  private readonly process: SimulatedProcess;
  private readonly attempt: Attempt;
  private readonly left: () => void;
  private settle: (end: AttemptEnd) => void = () => {};
  private settleLate: (end: AttemptEnd) => void = () => {};
  private cancels: (() => void)[] = [];
  private fate: FaultName | undefined;
  private isEnded = false;
  private isReached = false;

  constructor(world: World, process: SimulatedProcess, attempt: Attempt, left: () => void) {
    this.world = world;
    this.process = process;
    this.attempt = attempt;
    this.left = left;
    this.end = new Promise((resolve) => {
      this.settle = resolve;
    });
    // What was given up may answer in the end: a promise that could not be ended, and an answer that was under way twice.
    this.late = new Promise((resolve) => {
      this.settleLate = resolve;
    });
  }

  begin(): void {
    const { ledger, faults, isClaimed } = this.world.parts;
    const { callId, attempt, spec } = this.attempt;
    ledger.note('started', this.attempt, this.process.number, {
      wasClaimed: isClaimed(callId, attempt, this.process.incarnation),
    });
    const where = `${spec.key} attempt ${attempt}`;
    this.fate = FATES.find((fate) => faults.happens(fate, where));
    this.in(this.latencyMs(), () => this.request());
  }

  abort(): void {
    if (this.isEnded) return;
    this.world.parts.ledger.note('aborted', this.attempt, this.process.number);
    // Some functions listen to their signal.
    if (this.world.random.chance(0.5)) return;
    this.finish({ kind: 'threw', error: { code: 'aborted', message: 'its signal aborted' } });
  }

  kill(): void {
    // A promise on the host's thread cannot be ended: it goes on, and is only given up.
    const isThread = this.attempt.spec.runs.on === 'thread';
    if (isThread && this.fate !== 'replyLate') this.stop();
    this.finish({ kind: 'cut', by: 'thread_ended', why: 'its thread was ended' });
  }

  /** Its process died: the thread is gone, but a request may be under way. */
  crash(): void {
    this.stop();
    const { timeline } = this.world.parts;
    if (!this.isReached && this.world.random.chance(0.5)) {
      timeline.after(this.world.random.whole(...WIRE_MS), () => this.reachQuietly());
    }
    this.finish({ kind: 'cut', by: 'thread_ended', why: 'its host ended' });
  }

  private request(): void {
    const isBefore = this.world.random.chance(0.5);
    if (this.fate === 'threadStalled' && isBefore) return;
    if (this.fate === 'threadDied' && isBefore) return this.kill();
    if (this.fate === 'callThrew' && isBefore) {
      const error = { code: 'refused', message: 'nothing happened', outcome: 'failed' } as const;
      return this.finish({ kind: 'threw', error });
    }
    let end: AttemptEnd;
    try {
      end = { kind: 'answered', output: this.reach() };
    } catch (error) {
      end = { kind: 'threw', error: thrownData(error) };
    }
    this.in(this.latencyMs(), () => this.reply(end));
  }

  private reply(end: AttemptEnd): void {
    this.world.parts.onReply(this.attempt.callId);
    switch (this.fate) {
      case 'threadDied':
        return this.kill();
      case 'threadStalled':
      case 'replyLost':
        return;
      case 'callThrew':
        return this.finish({ kind: 'threw', error: { code: 'broken', message: 'who knows' } });
      case 'replyMalformed':
        return this.finish(this.malformed());
      case 'replyLate':
        return this.in(this.lateMs(), () => this.answer(end));
      case 'replyDoubled':
        this.in(this.latencyMs(), () => this.settleLate(end));
        return this.finish(end);
      default:
        this.answer(end);
    }
  }

  /** Given up meanwhile: a promise that could not be ended answers all the same. A host that stalled may not have given up yet. */
  private answer(end: AttemptEnd): void {
    if (this.isEnded) this.settleLate(end);
    else this.finish(end);
  }

  /** No JSON at all, or JSON of another form. */
  private malformed(): AttemptEnd {
    return this.world.random.chance(0.5)
      ? { kind: 'malformed', why: 'the reply is no JSON' }
      : { kind: 'answered', output: { unheardOf: true } };
  }

  private reach(): unknown {
    this.isReached = true;
    return this.world.reach(this.attempt, this.process);
  }

  private reachQuietly(): void {
    try {
      this.reach();
    } catch {
      // Nobody is there to hear what the outside says.
    }
  }

  private finish(end: AttemptEnd): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.world.parts.ledger.note('ended', this.attempt, this.process.number, { end });
    this.left();
    this.settle(end);
  }

  private latencyMs(): number {
    return this.world.random.whole(...LATENCY_MS);
  }

  /** Counted from now, when the attempt has run for a while already: past its end, unless its host stalls. */
  private lateMs(): number {
    const { limitMs } = this.attempt.spec;
    return limitMs + CALL_ABORT_GRACE_MS + this.world.random.whole(...LATE_MS);
  }

  private in(delayMs: number, run: () => void): void {
    this.cancels.push(this.world.parts.timeline.after(delayMs, run, this.process));
  }

  private stop(): void {
    for (const cancel of this.cancels.splice(0)) cancel();
  }
}

function thrownData(error: unknown): Extract<AttemptEnd, { kind: 'threw' }>['error'] {
  const facts = error as { code?: unknown; message?: unknown; outcome?: unknown };
  return {
    code: typeof facts.code === 'string' ? facts.code : 'threw',
    message: typeof facts.message === 'string' ? facts.message : String(error),
    ...(facts.outcome === 'failed' ? { outcome: 'failed' } : {}),
  };
}
