// Follower: the committed changes of an actor and of all below it, until the actor has ended or is stuck.

import type { ActorStatus, ActorSummary, Change, Troupe } from '../../embedded/index.ts';

/** Descendants that are followed at the same time; each costs a look at every commit. The others wait for their turn. */
const FOLLOWED_MAX = 64;

/** Children that are found when an actor goes on. */
const CHILDREN_MAX = 1_000;

export interface FollowerEvents {
  /** An actor that was there before it was followed. */
  readonly onFound: (actor: ActorSummary) => void;
  readonly onChange: (change: Change) => void;
  /** An actor has ended; nothing more comes from it. */
  readonly onEnd: (address: string, status: ActorStatus) => void;
}

interface Watch {
  readonly address: string;
  readonly controller: AbortController;
  readonly ended: Promise<void>;
}

export class Follower {
  private readonly troupe: Troupe;
  private readonly events: FollowerEvents;
  private readonly watches = new Map<string, Watch>();
  private readonly queue: { readonly address: string; readonly after: number | undefined }[] = [];
  private failure: { readonly error: unknown } | undefined;
  private isOver = false;

  constructor(troupe: Troupe, events: FollowerEvents) {
    this.troupe = troupe;
    this.events = events;
  }

  /**
   * Follows an actor that is new from its first change on, any other from now on.
   * @returns the status in which it came to rest: ended, stuck, or still active when the signal has aborted.
   */
  async follow(address: string, isNew: boolean, signal: AbortSignal): Promise<ActorStatus> {
    // The watch begins before the look, so that no change falls between the two.
    const changes = this.watch(address, isNew ? 0 : undefined, signal);
    const found = isNew ? 'active' : await this.find(address);
    if (found !== 'stuck') await this.takeUntilStuck(changes);
    if (!signal.aborted) await this.hearEnded();
    await this.leave();
    if (this.failure !== undefined) throw this.failure.error;
    const { status } = await this.troupe.get(address);
    if (isFinal(status)) this.events.onEnd(address, status);
    return status;
  }

  private async takeUntilStuck(changes: AsyncIterable<Change>): Promise<void> {
    for await (const change of changes) {
      this.take(change);
      if (change.kind === 'stuck') return;
    }
  }

  private watch(address: string, after: number | undefined, signal: AbortSignal) {
    return this.troupe.watch(address, after === undefined ? { signal } : { signal, after });
  }

  /** An actor whose beginning was not seen: where it stands, and who is below it. */
  private async find(address: string): Promise<ActorStatus> {
    const actor = await this.troupe.get(address);
    this.events.onFound(actor);
    if (isFinal(actor.status)) return actor.status;
    for (const status of ['active', 'stuck'] as const) {
      const children = await this.troupe.list({ parent: address, status, limit: CHILDREN_MAX });
      for (const child of children) this.add(child.address, undefined);
    }
    return actor.status;
  }

  private take(change: Change): void {
    this.events.onChange(change);
    for (const effect of change.effects) {
      const { kind, address } = effect as { readonly kind?: unknown; readonly address?: unknown };
      if (kind === 'spawn' && typeof address === 'string') this.add(address, change.seq);
    }
  }

  private add(address: string, after: number | undefined): void {
    if (this.isOver) return;
    if (this.watches.size >= FOLLOWED_MAX) {
      this.queue.push({ address, after });
      return;
    }
    const controller = new AbortController();
    const ended = this.watchChild(address, after, controller.signal);
    this.watches.set(address, { address, controller, ended });
  }

  /** Never rejects. */
  private async watchChild(
    address: string,
    after: number | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    try {
      const changes = this.watch(address, after, signal);
      if (after === undefined) await this.find(address);
      for await (const change of changes) this.take(change);
      const { status } = await this.troupe.get(address);
      if (isFinal(status)) this.events.onEnd(address, status);
    } catch (error) {
      this.failure ??= { error };
    }
    this.watches.delete(address);
    const next = this.queue.shift();
    if (next !== undefined) this.add(next.address, next.after);
  }

  /** Who has ended is heard to the end. */
  private async hearEnded(): Promise<void> {
    for (;;) {
      const final = await this.finalWatches();
      if (final.length === 0) return;
      await Promise.all(final.map(({ ended }) => ended));
    }
  }

  /** Who goes on is left. */
  private async leave(): Promise<void> {
    this.isOver = true;
    this.queue.length = 0;
    const left = [...this.watches.values()];
    for (const { controller } of left) controller.abort();
    await Promise.all(left.map(({ ended }) => ended));
  }

  private async finalWatches(): Promise<Watch[]> {
    const watches = [...this.watches.values()];
    const actors = await Promise.all(watches.map(({ address }) => this.troupe.get(address)));
    return watches.filter((_watch, index) => isFinal(actors[index]?.status));
  }
}

function isFinal(status: ActorStatus | undefined): boolean {
  return status === 'done' || status === 'error' || status === 'stopped';
}
