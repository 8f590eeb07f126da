// Operating: a host of operations, and callers that keep so many of them in flight.

import { openTroupe } from '../hosts/embedded/index.ts';
import { operationOf, requestOf } from './operation.ts';

export interface Operating {
  /** Commits of this host so far: each is one sync. */
  readonly commits: () => number;
  /** Runs one operation. @returns its time from the request to its end. Milliseconds. */
  operate(): Promise<number>;
  /** Settles when an operation has ended, also before it was asked. */
  ended(address: string): Promise<void>;
  close(): Promise<void>;
}

/** @param ledger The file in which each dispatch is noted. */
export async function startOperating(store: string, ledger?: string): Promise<Operating> {
  const endings = new Endings();
  let commits = 0;
  const definition = operationOf((address) => endings.add(address));
  const troupe = await openTroupe({
    store,
    machines: [definition],
    boundary: (boundary) => {
      if (boundary === 'group.committed') commits++;
    },
  });
  return {
    commits: () => commits,
    operate: async () => {
      const startedMs = performance.now();
      const { address } = await troupe.spawn(definition, { input: requestOf(ledger) });
      await endings.of(address);
      return performance.now() - startedMs;
    },
    ended: (address) => endings.of(address),
    close: () => troupe.close(),
  };
}

/** Who has ended, and who waits for it. */
class Endings {
  private readonly ended = new Set<string>();
  private readonly waiting = new Map<string, () => void>();

  add(address: string): void {
    this.ended.add(address);
    this.waiting.get(address)?.();
    this.waiting.delete(address);
  }

  of(address: string): Promise<void> {
    if (this.ended.has(address)) return Promise.resolve();
    return new Promise((resolve) => this.waiting.set(address, resolve));
  }
}

/** Runs so many operations, so many at a time. @returns the time of each. Milliseconds. */
export async function operateAll(
  operating: Operating,
  count: number,
  inFlight: number,
): Promise<number[]> {
  const timesMs: number[] = [];
  let left = count;
  const caller = async (): Promise<void> => {
    while (left-- > 0) timesMs.push(await operating.operate());
  };
  await Promise.all(Array.from({ length: inFlight }, caller));
  return timesMs;
}
