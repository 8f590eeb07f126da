// Actor cache: actors as they were after their last committed step. Valid while nobody else has written (DESIGN).

import type { ActorAddress } from '../../persistence/index.ts';
import { CACHED_ACTORS_MAX, CACHED_CHARACTERS_MAX } from '../limits.ts';
import type { ActorState } from '../step/index.ts';

export interface CachedActor {
  readonly state: ActorState;
  /** The stamp of its last step. Milliseconds since 1970. */
  readonly updatedAtMs: number;
}

export class ActorCache {
  private readonly actors = new Map<ActorAddress, CachedActor>();
  private characters = 0;

  get(address: ActorAddress): CachedActor | undefined {
    return this.actors.get(address);
  }

  /** Keeps an actor; the least recently stepped ones leave when there are too many, or too large ones. */
  put(actor: CachedActor): void {
    const { address, text } = actor.state;
    this.drop(address);
    this.actors.set(address, actor);
    this.characters += text.length;
    while (this.actors.size > CACHED_ACTORS_MAX || this.characters > CACHED_CHARACTERS_MAX) {
      const oldest = this.actors.keys().next();
      if (oldest.done || oldest.value === address) return;
      this.drop(oldest.value);
    }
  }

  drop(address: ActorAddress): void {
    this.characters -= this.actors.get(address)?.state.text.length ?? 0;
    this.actors.delete(address);
  }

  clear(): void {
    this.actors.clear();
    this.characters = 0;
  }
}
