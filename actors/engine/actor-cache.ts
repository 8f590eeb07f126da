// Actor cache: actors as they were after their last committed step. Valid while nobody else has written (DESIGN).

import type { ActorAddress } from '../../persistence/index.ts';
import { CACHED_ACTORS_MAX } from '../limits.ts';
import type { ActorState } from '../step/index.ts';

export interface CachedActor {
  readonly state: ActorState;
  /** The stamp of its last step. Milliseconds since 1970. */
  readonly updatedAtMs: number;
}

export class ActorCache {
  private readonly actors = new Map<ActorAddress, CachedActor>();

  get(address: ActorAddress): CachedActor | undefined {
    return this.actors.get(address);
  }

  /** Keeps an actor; the least recently stepped one leaves when there are too many. */
  put(actor: CachedActor): void {
    const { address } = actor.state;
    this.actors.delete(address);
    this.actors.set(address, actor);
    if (this.actors.size <= CACHED_ACTORS_MAX) return;
    const oldest = this.actors.keys().next();
    if (!oldest.done) this.actors.delete(oldest.value);
  }

  drop(address: ActorAddress): void {
    this.actors.delete(address);
  }

  clear(): void {
    this.actors.clear();
  }
}
