// Effects: what a step orders, as data. They are written in the step's transaction and performed after it (K2, K3).

import type { ActorAddress } from '../../persistence/address.ts';

/** An event as a machine sends and receives it: a type and JSON properties. */
export interface MachineEvent {
  readonly type: string;
  readonly [property: string]: unknown;
}

export type Effect =
  /** An event to another actor, or to itself from outside its own queue. */
  | { readonly kind: 'send'; readonly to: ActorAddress; readonly event: MachineEvent }
  /** A message due later; `to` is the actor itself when absent. `delayMs` counts from the commit group's time. */
  | {
      readonly kind: 'schedule';
      readonly incarnation: string;
      readonly event: MachineEvent;
      readonly delayMs: number;
      readonly to?: ActorAddress;
    }
  | { readonly kind: 'unschedule'; readonly incarnation: string }
  /** A durable call of a registered function or of a promise that the machine brings. */
  | {
      readonly kind: 'call';
      readonly incarnation: string;
      readonly source: string;
      readonly input: unknown;
    }
  | { readonly kind: 'cancelCall'; readonly incarnation: string }
  /** A durable child: its own actor, born with its own message. */
  | {
      readonly kind: 'spawn';
      readonly address: ActorAddress;
      readonly childId: string;
      readonly machine: string;
      readonly input: unknown;
    }
  | { readonly kind: 'stop'; readonly address: ActorAddress }
  /** An event for live subscribers; the journal keeps it for everybody else (M5). */
  | { readonly kind: 'emit'; readonly event: MachineEvent }
  /** A custom action or a log line: performed after the commit, at most once (K8). */
  | { readonly kind: 'notify'; readonly action: string; readonly params?: unknown };

/**
 * The live armings of an actor: which timer, call and child of which visit may still move it. Everything else that
 * comes back is late. Part of the stored snapshot's envelope.
 */
export interface Armings {
  /** Incarnation (`<id>@<revision>`) to the id by which the machine cancels it. */
  readonly timers: Readonly<Record<string, string>>;
  /** Child id to the incarnation of its call. */
  readonly calls: Readonly<Record<string, string>>;
  /** Child id to the address of its actor. */
  readonly actors: Readonly<Record<string, ActorAddress>>;
  /** Of a stubbed fork and of all that is born below it: what it orders of the outside is kept, and not done (J4). */
  readonly stubbed?: true;
}

/** The id that the machine has given to what an incarnation `<id>@<revision>` has armed. */
export function armedId(incarnation: string): string {
  return incarnation.slice(0, incarnation.lastIndexOf('@'));
}

export const NO_ARMINGS: Armings = { timers: {}, calls: {}, actors: {} };

/** What is born below a stubbed fork has armed nothing either, and is stubbed (J4). */
export const STUBBED: Armings = { ...NO_ARMINGS, stubbed: true };

/** What kind of message carries an event, and the arming that it answers. */
export type Origin =
  | { readonly kind: 'event' }
  | { readonly kind: 'timer' | 'call' | 'actor'; readonly incarnation: string };

/** True when the origin is an outside event or an arming that is still live (T2, C4). Pure. */
export function isLive(armings: Armings, origin: Origin): boolean {
  switch (origin.kind) {
    case 'event':
      return true;
    case 'timer':
      return origin.incarnation in armings.timers;
    case 'call':
      return Object.values(armings.calls).includes(origin.incarnation);
    case 'actor':
      return Object.values(armings.actors).includes(origin.incarnation);
  }
}
