// Translate: turns XState's executable actions, in order, into effects and new armings. Pure.

import {
  type ActorAddress,
  ADDRESS_CHARACTERS_MAX,
  childAddress,
} from '../../persistence/address.ts';
import { explainFinding, inspectJson } from '../json.ts';
import { DELAY_MS_MAX, STEP_EFFECTS_MAX } from '../limits.ts';
import { type Armings, type Effect, type MachineEvent } from './effects.ts';
import { StepError } from './error.ts';
import type { SteppedMachine } from './registered.ts';
import type { CollectedAction, Ref, StepScope } from './scope.ts';

/** A custom action to be run after the commit, with what XState gave it (K8). */
export interface Notification {
  readonly action: string;
  readonly exec: unknown;
  readonly info: unknown;
  readonly params: unknown;
}

export interface Ordered {
  readonly effects: readonly Effect[];
  readonly armings: Armings;
  readonly notifications: readonly Notification[];
}

export interface Stepping {
  readonly machine: SteppedMachine;
  readonly address: ActorAddress;
  readonly parent: ActorAddress | undefined;
  /** The revision that this step makes: the generation of all that it arms. */
  readonly revision: number;
  readonly scope: StepScope;
}

/** @throws {StepError} for what K8 refuses at the step. */
export function translate(
  stepping: Stepping,
  actions: readonly CollectedAction[],
  armings: Armings,
): Ordered {
  const order = new Order(stepping, armings);
  for (const action of actions) order.add(action);
  return order.finish();
}

class Order {
  private readonly effects: (Effect | undefined)[] = [];
  private readonly notifications: Notification[] = [];
  private readonly timers: Record<string, string>;
  private readonly calls: Record<string, string>;
  private readonly actors: Record<string, ActorAddress>;
  private readonly stubbed: Armings['stubbed'];
  /** Where in `effects` this step itself armed something, so that disarming it leaves no trace. */
  private readonly armedHere = new Map<string, number>();
  private readonly stepping: Stepping;

  constructor(stepping: Stepping, armings: Armings) {
    this.stepping = stepping;
    this.timers = copyOf(armings.timers);
    this.calls = copyOf(armings.calls);
    this.actors = copyOf(armings.actors);
    this.stubbed = armings.stubbed;
  }

  finish(): Ordered {
    const effects = this.effects.filter((effect) => effect !== undefined);
    if (effects.length > STEP_EFFECTS_MAX) {
      throw new StepError(
        'too_many_effects',
        `One step ordered ${effects.length} effects; at most ${STEP_EFFECTS_MAX} are allowed. Spread them over several steps.`,
      );
    }
    return {
      effects,
      notifications: this.notifications,
      armings: {
        timers: this.timers,
        calls: this.calls,
        actors: this.actors,
        ...(this.stubbed === undefined ? {} : { stubbed: this.stubbed }),
      },
    };
  }

  add(action: CollectedAction): void {
    switch (action.type) {
      case 'xstate.raise':
        return this.raise(action.params as RaiseParams);
      case 'xstate.cancel':
        return this.cancel((action.params as { readonly sendId: string }).sendId);
      case 'xstate.spawnChild':
        return this.spawnChild(action.params as SpawnParams);
      case 'xstate.stopChild':
        return this.disarmChild((action.params as Ref | undefined)?.id);
      case 'xstate.sendTo':
        return this.sendTo(action.params as SendToParams);
      case 'xstate.emit':
        return this.emit((action.params as { readonly event: MachineEvent }).event);
      default:
        return this.notify(action);
    }
  }

  private raise({ event, id, delay }: RaiseParams): void {
    if (typeof delay === 'number') this.schedule(event, id, delay);
  }

  private sendTo({ to, targetId, event, id, delay }: SendToParams): void {
    const target = this.addressOf(to, targetId);
    if (typeof delay === 'number') this.schedule(event, id, delay, target);
    else this.effects.push({ kind: 'send', to: target, event: jsonEvent(event) });
  }

  private schedule(
    event: MachineEvent,
    id: string | undefined,
    delayMs: number,
    to?: ActorAddress,
  ): void {
    requireDelay(delayMs, id ?? event.type);
    const self = this.stepping.address;
    const isToOther = to !== undefined && to !== self;
    // What is to come to another actor answers no arming of this one, and this actor never learns that it has arrived: it
    // is known by its id alone.
    const incarnation = isToOther ? sentAs(id) : this.incarnationOf(id ?? `(${event.type})`);
    if (!isToOther) this.timers[incarnation] = id ?? '';
    this.armedHere.set(incarnation, this.effects.length);
    this.effects.push({
      kind: 'schedule',
      incarnation,
      event: jsonEvent(event),
      delayMs,
      ...(isToOther ? { to } : {}),
    });
  }

  private cancel(sendId: string): void {
    const armed = Object.entries(this.timers).filter(([, id]) => id === sendId && id !== '');
    for (const [incarnation] of armed) {
      delete this.timers[incarnation];
      this.disarm(incarnation, { kind: 'unschedule', incarnation });
    }
    // XState's own timers are never sent to others.
    if (armed.length === 0 && !sendId.startsWith('xstate.after.')) this.takeBack(sentAs(sendId));
  }

  /** What this step sends under the id vanishes; what earlier ones have sent is taken back. */
  private takeBack(incarnation: string): void {
    for (const [index, ordered] of this.effects.entries()) {
      if (ordered?.kind === 'schedule' && ordered.incarnation === incarnation) {
        this.effects[index] = undefined;
      }
    }
    this.effects.push({ kind: 'unschedule', incarnation });
  }

  private spawnChild(params: SpawnParams): void {
    const { src, actorRef, id } = params;
    const source = typeof src === 'string' ? this.stepping.machine.sources.get(src) : undefined;
    if (typeof src !== 'string' || source === undefined || actorRef === undefined) {
      throw new StepError('source_unknown', unknownSource(src, this.stepping.machine));
    }
    if (id === undefined) {
      throw new StepError(
        'spawn_without_id',
        `spawnChild('${src}') has no id, so no later event could name the child. Give it one: spawnChild('${src}', { id: '…' }).`,
      );
    }
    const childId = actorRef.id;
    // A child of the same id that is still there can no longer be named: it ends.
    this.disarmChild(childId);
    const input = jsonInput(params.input, src);
    if (source.kind === 'call') this.orderCall(childId, src, input);
    else this.orderActor(childId, source.machine, input);
  }

  private orderCall(childId: string, source: string, input: unknown): void {
    const incarnation = this.incarnationOf(childId);
    this.calls[childId] = incarnation;
    this.armedHere.set(incarnation, this.effects.length);
    this.effects.push({ kind: 'call', incarnation, source, input });
  }

  private orderActor(childId: string, machine: string, input: unknown): void {
    const { address: parent, revision } = this.stepping;
    const address = childAddress(machine, parent, childId, revision);
    if (address.length > ADDRESS_CHARACTERS_MAX) {
      throw new StepError(
        'address_too_long',
        `The address of child '${childId}' would have ${address.length} characters; at most ${ADDRESS_CHARACTERS_MAX} are taken. Shorten the ids, or spawn less deeply.`,
      );
    }
    this.actors[childId] = address;
    this.armedHere.set(address, this.effects.length);
    this.effects.push({ kind: 'spawn', address, childId, machine, input });
  }

  private disarmChild(childId: string | undefined): void {
    if (childId === undefined) return;
    const incarnation = this.calls[childId];
    if (incarnation !== undefined) {
      delete this.calls[childId];
      this.disarm(incarnation, { kind: 'cancelCall', incarnation });
    }
    const address = this.actors[childId];
    if (address !== undefined) {
      delete this.actors[childId];
      this.disarm(address, { kind: 'stop', address });
    }
  }

  /** What this very step armed never starts, so both orders vanish; else the disarming is an effect. */
  private disarm(key: string, effect: Effect): void {
    const index = this.armedHere.get(key);
    if (index === undefined) {
      this.effects.push(effect);
      return;
    }
    this.armedHere.delete(key);
    this.effects[index] = undefined;
  }

  private emit(event: MachineEvent): void {
    this.effects.push({ kind: 'emit', event: jsonEvent(event) });
  }

  private notify(action: CollectedAction): void {
    const params = inspectJson(action.params).ok ? action.params : '(not JSON)';
    this.effects.push({
      kind: 'notify',
      action: action.type,
      ...(params === undefined ? {} : { params }),
    });
    this.notifications.push({
      action: action.type,
      exec: action.exec,
      info: action.info,
      params: action.params,
    });
  }

  /** `<id>@<revision>`; an id that one step arms twice gets a number, so that each arming has a name of its own. */
  private incarnationOf(id: string): string {
    const plain = `${id}@${this.stepping.revision}`;
    if (!this.armedHere.has(plain)) return plain;
    let number = 2;
    while (this.armedHere.has(`${plain}#${number}`)) number++;
    return `${plain}#${number}`;
  }

  private addressOf(to: Ref | string | undefined, targetId: string | undefined): ActorAddress {
    const { scope, address, machine } = this.stepping;
    if (typeof to === 'object') {
      if (to === scope.self) return address;
      if (to.address !== undefined) return to.address;
      // A call hears no events and a finished child has no address any more: the message becomes undeliverable.
      return this.actors[to.id] ?? `${address}#${this.calls[to.id] ?? to.id}`;
    }
    throw new StepError(
      'target_unknown',
      `sendTo found no actor '${targetId ?? String(to)}' in machine ${machine.name}. Name an invoked or spawned child, the parent, or system.get('machine/id').`,
    );
  }
}

/** A copy without a prototype, so that a child may be called `constructor`. */
function copyOf<T>(record: Readonly<Record<string, T>>): Record<string, T> {
  return Object.assign(Object.create(null) as Record<string, T>, record);
}

interface RaiseParams {
  readonly event: MachineEvent;
  readonly id: string | undefined;
  readonly delay: number | undefined;
}

interface SendToParams extends RaiseParams {
  readonly to: Ref | string | undefined;
  readonly targetId: string | undefined;
}

interface SpawnParams {
  readonly id: unknown;
  readonly src: unknown;
  readonly input: unknown;
  readonly actorRef: Ref | undefined;
}

/** The incarnation of a delayed event to another actor. Without an id it cannot be taken back. */
function sentAs(id: string | undefined): string {
  return id === undefined ? '@sent' : `${id}@sent`;
}

function unknownSource(src: unknown, machine: SteppedMachine): string {
  const known = [...machine.sources.keys()].map((name) => `'${name}'`).join(', ') || 'none';
  return typeof src === 'string'
    ? `Source '${src}' is not an actor of machine ${machine.name} (known: ${known}). Register it in setup({ actors }) or as a call.`
    : `spawnChild in machine ${machine.name} was given logic itself. Register it in setup({ actors }) and name it, so that a restart finds it again.`;
}

function requireDelay(delayMs: number, id: string): void {
  if (Number.isFinite(delayMs) && delayMs >= 0 && delayMs <= DELAY_MS_MAX) return;
  throw new StepError(
    'delay_invalid',
    `The delay of '${id}' is ${delayMs} ms. A delay is finite and from 0 to ${DELAY_MS_MAX} ms (a thousand years).`,
  );
}

function jsonEvent(event: MachineEvent | undefined): MachineEvent {
  const finding = inspectJson(event);
  const type = typeof event === 'object' ? event.type : undefined;
  if (finding.ok && event !== undefined && typeof type === 'string') return event;
  const why = finding.ok ? 'it has no type' : explainFinding(finding, 'it');
  throw new StepError(
    'event_not_json',
    `The event '${type ?? '(none)'}' cannot be stored: ${why}. Send plain JSON; name actors by their address.`,
  );
}

function jsonInput(input: unknown, source: string): unknown {
  const finding = inspectJson(input);
  if (finding.ok) return input;
  throw new StepError(
    'input_not_json',
    `${finding.path === '' ? 'input' : `input.${finding.path}`} of '${source}' is ${finding.found}, which JSON does not give back. Pass plain JSON.`,
  );
}
