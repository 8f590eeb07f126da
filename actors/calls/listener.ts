// Listener: a callback or an observable that a machine brings, running on the host's own thread (K9a).
//
// It runs inside a real XState actor, so that it behaves as XState says: what it gets, when its cleanup is called, which events
// its values become. That actor does nothing but pass them on.

import { type AnyActorLogic, createActor, createMachine, sendTo } from 'xstate';
import { explainFinding, inspectJson } from '../json.ts';
import type { Attempt, AttemptEnd, RunningAttempt } from '../ports.ts';
import type { ListenerLogic } from '../registry/index.ts';
import { armedId, type MachineEvent } from '../step/index.ts';
import { thrownData } from './promise-pool.ts';

/** Starts a listener. What it sends goes to the attempt's `onEvent`, also while it starts. */
export function startListener(listener: ListenerLogic, attempt: Attempt): RunningAttempt {
  const running = new RunningListener(listener, attempt);
  running.start();
  return running;
}

/** Carries an event for the listener through the actor around it. */
const HEAR = 'troupe.listener.hear';

interface Heard {
  readonly event: MachineEvent;
}

class RunningListener implements RunningAttempt {
  readonly end: Promise<AttemptEnd>;
  private readonly attempt: Attempt;
  private readonly actor;
  private settle: (end: AttemptEnd) => void = () => {};
  private isOver = false;

  constructor(listener: ListenerLogic, attempt: Attempt) {
    this.attempt = attempt;
    this.end = new Promise((resolve) => {
      this.settle = resolve;
    });
    const id = armedId(attempt.callId.slice(attempt.callId.indexOf('#') + 1));
    this.actor = createActor(this.passingOn(id, listener));
    // What goes wrong in a listener ends it, and not its host.
    this.actor.subscribe({ error: (error) => this.finish(threw(error)) });
  }

  start(): void {
    try {
      this.actor.start();
    } catch (error) {
      this.finish(threw(error));
    }
  }

  abort(): void {
    this.finish({ kind: 'cut', by: 'thread_ended', why: 'the listener was stopped' });
  }

  kill(): void {
    this.abort();
  }

  /** An event of its actor. Delivery: at most once; one that has ended hears nothing. */
  hear(event: MachineEvent): void {
    if (!this.isOver) this.actor.send({ type: HEAR, event });
  }

  private passingOn(id: string, { logic, hasSnapshots }: ListenerLogic) {
    const onSnapshot = {
      actions: ({ event }: { readonly event: SnapshotEvent }) => this.passOn(plainOf(event)),
    };
    return createMachine({
      id: 'listener',
      invoke: {
        id,
        src: logic as AnyActorLogic,
        input: this.attempt.input as never,
        onDone: { actions: ({ event }) => this.finish(answered(event.output)) },
        onError: { actions: ({ event }) => this.finish(threw(event.error)) },
        ...(hasSnapshots ? { onSnapshot } : {}),
      },
      on: {
        [HEAR]: { actions: sendTo(id, ({ event }) => (event as unknown as Heard).event) },
        '*': { actions: ({ event }) => this.passOn(event) },
      },
    });
  }

  private passOn(event: unknown): void {
    if (this.isOver) return;
    const finding = inspectJson(event);
    if (finding.ok) this.attempt.onEvent?.(event as MachineEvent);
    else {
      const message = `The listener sent an event that cannot be stored: ${explainFinding(finding, 'it')}. Send plain JSON.`;
      this.finish({ kind: 'threw', error: { code: 'event_malformed', message } });
    }
  }

  private finish(end: AttemptEnd): void {
    if (this.isOver) return;
    this.isOver = true;
    this.settle(end);
    // It may be in the middle of its own start, or of what it is told.
    queueMicrotask(() => {
      try {
        this.actor.stop();
      } catch {
        // Its cleanup threw: nobody is left to hear of it, and its end is settled.
      }
    });
  }
}

interface SnapshotEvent {
  readonly type: string;
  readonly snapshot?: Readonly<Record<string, unknown>>;
}

/** A snapshot as data: what an observable holds besides is its subscription. */
function plainOf({ type, snapshot = {} }: SnapshotEvent): object {
  const { status, context, output, error } = snapshot;
  return { type, snapshot: { status, context, output, error } };
}

function answered(output: unknown): AttemptEnd {
  const finding = inspectJson(output);
  return finding.ok
    ? { kind: 'answered', output }
    : { kind: 'malformed', why: explainFinding(finding, 'it') };
}

function threw(error: unknown): AttemptEnd {
  return { kind: 'threw', error: thrownData(error) };
}
