// Requests: what the outside of a simulation asks for, drawn from the world's choices.

import type { AnyMachineDefinition } from '../../../actors/index.ts';
import type { Request } from './client.ts';
import type { SimulateOptions } from './options.ts';
import type { Random } from './random.ts';

/** Actors at most, when the world does not say. */
const ACTORS_MAX = 8;

/** Part of the requests that ask for a new actor while there is room. */
const SPAWNS = 0.3;

export class Requests {
  private readonly options: SimulateOptions;
  private readonly random: Random;
  /** Those that may take something. */
  private addresses: string[] = [];
  private actors = 0;
  private count = 0;

  constructor(options: SimulateOptions, random: Random) {
    this.options = options;
    this.random = random;
  }

  /** The next request; undefined when there is nobody to ask for anything. */
  next(): Request | undefined {
    const isRoom = this.addresses.length < (this.options.world?.actorsMax ?? ACTORS_MAX);
    const isSpawn = this.addresses.length === 0 || (isRoom && this.random.chance(SPAWNS));
    return isSpawn ? this.spawn() : this.send(this.random.pick(this.addresses));
  }

  /** Something for one actor; undefined when its machine takes nothing from outside. */
  send(address: string): Request | undefined {
    const machine = address.slice(0, address.indexOf('/'));
    const events = this.options.world?.events?.[machine] ?? [];
    if (events.length === 0) return undefined;
    const event = this.random.pick(events);
    return { kind: 'send', address, event, messageId: `m${++this.count}` };
  }

  /** An actor that has ended or is stuck makes room for another. */
  refused(request: Request): void {
    if (request.kind !== 'send' || request.refusal !== undefined) return;
    this.addresses = this.addresses.filter((address) => address !== request.address);
  }

  private spawn(): Request {
    const { machine, input } = this.choose();
    const id = `a${++this.actors}`;
    this.addresses.push(`${machine.name}/${id}`);
    return { kind: 'spawn', machine, id, input };
  }

  private choose(): { readonly machine: AnyMachineDefinition; readonly input?: unknown } {
    const { world, machines } = this.options;
    return world?.spawn?.(this.random) ?? { machine: this.random.pick(machines) };
  }
}
