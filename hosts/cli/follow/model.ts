// Model: where each followed actor stands, built from what was found and from each change. Pure.

import type { ActorStatus, ActorSummary, Change } from '../../embedded/index.ts';
import { statePath } from '../format/state.ts';

export interface Followed {
  readonly address: string;
  readonly status: ActorStatus;
  readonly state: unknown;
  /** When it came into this state. Milliseconds since 1970. */
  readonly sinceMs: number;
}

export interface Moved {
  readonly before: Followed | undefined;
  readonly after: Followed;
}

export class FollowModel {
  private readonly actors = new Map<string, Followed>();

  get all(): readonly Followed[] {
    return [...this.actors.values()];
  }

  find(actor: ActorSummary): Followed {
    const { address, status, state, updatedAtMs } = actor;
    const followed = { address, status, state, sinceMs: updatedAtMs };
    this.actors.set(address, followed);
    return followed;
  }

  /** An actor has ended. */
  end(address: string, status: ActorStatus): Moved | undefined {
    const before = this.actors.get(address);
    if (before === undefined || before.status === status) return undefined;
    const after = { ...before, status };
    this.actors.set(address, after);
    return { before, after };
  }

  /** @returns undefined when the change moved nothing that is shown. Its status is told apart by `end`. */
  take(change: Change): Moved | undefined {
    if (change.kind === 'late' || change.kind === 'intervention') return undefined;
    const before = this.actors.get(change.address);
    const state = change.state ?? before?.state;
    const status: ActorStatus = change.kind === 'step' ? 'active' : change.kind;
    const isSame = before !== undefined && statePath(before.state) === statePath(state);
    if (isSame && before.status === status) return undefined;
    const sinceMs = isSame ? before.sinceMs : change.atMs;
    const after = { address: change.address, status, state, sinceMs };
    this.actors.set(change.address, after);
    return { before, after };
  }
}
