// Stimulus: one thing that can happen to an actor, and how a person calls it.

import type { MachineEvent } from '../../../actors/step/index.ts';

export type Stimulus =
  | { readonly kind: 'birth'; readonly input: unknown }
  /** From outside. */
  | { readonly kind: 'event'; readonly event: MachineEvent }
  /** What the actor has sent to itself comes back. */
  | { readonly kind: 'message'; readonly event: MachineEvent }
  | { readonly kind: 'timer'; readonly id: string; readonly event: MachineEvent }
  /** A call or child ends well. */
  | {
      readonly kind: 'done';
      readonly id: string;
      readonly source: string;
      readonly output: unknown;
    }
  | {
      readonly kind: 'error';
      readonly id: string;
      readonly source: string;
      readonly error: unknown;
    }
  /** What answers an arming that is gone: it was cancelled, or has answered before. */
  | { readonly kind: 'late'; readonly of: string; readonly event: MachineEvent };

/** One line, without what the state is afterwards. */
export function stimulusText(stimulus: Stimulus): string {
  switch (stimulus.kind) {
    case 'birth':
      return `birth${payload(stimulus.input)}`;
    case 'event':
      return eventText(stimulus.event);
    case 'message':
      return `own message ${eventText(stimulus.event)}`;
    case 'timer':
      return `timer ${timerName(stimulus.id)} fires`;
    case 'done':
      return `${stimulus.source} '${stimulus.id}' answers${payload(stimulus.output)}`;
    case 'error':
      return `${stimulus.source} '${stimulus.id}' fails${failure(stimulus.error)}`;
    case 'late':
      return `late: ${stimulus.of}`;
  }
}

/** XState names the timers of `after` by delay and state: `xstate.after.1000.lamp.on`. */
function timerName(id: string): string {
  const [, delay, state] = /^xstate\.after\.([^.]+)\.(.+)$/.exec(id) ?? [];
  return delay === undefined ? id : `after ${delay} of ${state}`;
}

function eventText({ type, ...rest }: MachineEvent): string {
  return Object.keys(rest).length === 0 ? type : `${type}${payload(rest)}`;
}

function payload(value: unknown): string {
  return value === undefined ? '' : ` ${JSON.stringify(value)}`;
}

/** The outcome is what machines decide by; what has none is shown as it is. */
function failure(error: unknown): string {
  const outcome = (error as { readonly outcome?: unknown } | null | undefined)?.outcome;
  return typeof outcome === 'string' ? `: ${outcome}` : payload(error);
}
