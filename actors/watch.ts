// Watch: the committed changes of one actor, read from the journal, so that nothing uncommitted can be seen (M5).

import {
  type ActorAddress,
  type ActorStatus,
  asStorageError,
  type JournalRow,
  type Store,
  TroupeError,
} from '../persistence/index.ts';
import type { MachineEvent } from './step/index.ts';
import { type JournalEntry, journalEntry } from './view.ts';

/** One committed change of an actor. */
export interface Change extends JournalEntry {
  /** Events that the step emitted. */
  readonly emitted: readonly MachineEvent[];
  /** The actor's status when this change was read; later than the change, where others have followed. */
  readonly status: ActorStatus;
}

export interface WatchOptions {
  /** The sequence number of the journal after which to begin; default: what is committed from now on. 0 gives all. */
  readonly after?: number;
  /** Ends the watch. */
  readonly signal?: AbortSignal;
}

/** Where commits are heard of. */
export interface CommitFeed {
  /** Settles at the next commit that touches the actor, or when the feed is closed. */
  next(address: ActorAddress): Promise<void>;
  /** Lets all that wait look again. */
  notify(): void;
  readonly isClosed: boolean;
  /** Why the host has stopped by itself. */
  readonly failure: Error | undefined;
}

/** Rows read at once. */
const PAGE_ROWS = 200;

const FINAL: ReadonlySet<ActorStatus> = new Set(['done', 'error', 'stopped']);

/**
 * The changes of one actor in order, each once, until the actor has ended. The watch begins with this call, so that an
 * actor that is looked at afterwards has no change in between.
 * @throws {TroupeError} `actor_unknown`, when the first change is asked for; `storage_…`; why this host has stopped.
 */
export function watchActor(
  store: Store,
  feed: CommitFeed,
  address: ActorAddress,
  options: WatchOptions,
): AsyncGenerator<Change, void, undefined> {
  return changesAfter(options.after ?? store.journal.last(), store, feed, address, options);
}

async function* changesAfter(
  begin: number,
  store: Store,
  feed: CommitFeed,
  address: ActorAddress,
  options: WatchOptions,
): AsyncGenerator<Change, void, undefined> {
  let after = begin;
  options.signal?.addEventListener('abort', () => feed.notify(), { once: true });
  while (!feed.isClosed && options.signal?.aborted !== true) {
    // The wait is prepared before the look, so that a commit between the two is not missed.
    const next = feed.next(address);
    const { status, rows } = look(store, address, after);
    for (const row of rows) {
      after = row.seq;
      yield changeOf(journalEntry(row), status);
    }
    if (rows.length > 0) continue;
    if (FINAL.has(status)) return;
    await next;
  }
  // A host that has stopped by itself must not look like an actor that has ended.
  if (feed.failure !== undefined) throw feed.failure;
}

function look(
  store: Store,
  address: ActorAddress,
  after: number,
): { readonly status: ActorStatus; readonly rows: readonly JournalRow[] } {
  try {
    const status = store.actors.status(address);
    if (status !== undefined)
      return { status, rows: store.journal.ofActor(address, after, PAGE_ROWS) };
  } catch (error) {
    throw asStorageError(error, store.file);
  }
  throw new TroupeError('actor_unknown', `There is no actor ${address}. See 'troupe ls'.`, {
    details: { address },
  });
}

function changeOf(entry: JournalEntry, status: ActorStatus): Change {
  const emitted = entry.effects.flatMap((effect) => {
    const { kind, event } = effect as { readonly kind?: string; readonly event?: MachineEvent };
    return kind === 'emit' && event !== undefined ? [event] : [];
  });
  return { ...entry, emitted, status };
}
