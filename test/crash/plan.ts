// Plan: at which instants the hosts of a run die. A seed gives the same plan for ever.

import type { Boundary } from '../../actors/index.ts';

/** Where a host dies. Counts begin at 1 with each host. */
export type Kill =
  | { readonly kind: 'boundary'; readonly boundary: Boundary; readonly count: number }
  /** When the ledger shows the n-th begin of this call. */
  | { readonly kind: 'call'; readonly call: string; readonly count: number }
  /** So long after its process was started. */
  | { readonly kind: 'time'; readonly ms: number };

/** One archive, from its first host to its end; each kill ends one host. */
export interface Plan {
  /** What repeats it: TROUPE_CRASH_SEED. */
  readonly seed: string;
  readonly kills: readonly Kill[];
  /** The pause of each call on either side of its effect. Milliseconds. */
  readonly paceMs: number;
}

const BOUNDARIES: readonly Boundary[] = [
  'open.lockTaken',
  'open.registered',
  'group.begun',
  'group.beforeCommit',
  'group.committed',
  'perform.beforeCall',
  'perform.callStarted',
  'perform.done',
  'close.beforeLeave',
];

/** Passed once by a host. */
const ONCE = new Set<Boundary>(['open.lockTaken', 'open.registered', 'close.beforeLeave']);

const KILLS_PER_RUN = 3;

/** Nine runs: each boundary three times, at another count. */
export function boundaryPlans(): Plan[] {
  return BOUNDARIES.map((_first, run) => {
    const random = randomOf(run + 1);
    const kills = Array.from({ length: KILLS_PER_RUN }, (_, turn) => {
      const boundary = BOUNDARIES[(run + turn * KILLS_PER_RUN) % BOUNDARIES.length];
      if (boundary === undefined) throw new Error('there is no such boundary');
      const count = ONCE.has(boundary) ? 1 : 1 + random.below(4);
      return { kind: 'boundary', boundary, count } as const;
    });
    // A host that dies while it leaves has nothing left to do.
    const ordered = kills.toSorted((a, b) => order(a.boundary) - order(b.boundary));
    return { seed: `boundary-${run + 1}`, kills: ordered, paceMs: 2 };
  });
}

function order(boundary: Boundary): number {
  return boundary === 'close.beforeLeave' ? 1 : 0;
}

/** Six runs: three with kills inside listing, hashing and packing, three inside verifying, deleting and looking. */
export function callPlans(): Plan[] {
  return Array.from({ length: 6 }, (_, run) => {
    const random = randomOf(100 + run);
    const first = run < 3;
    const calls = first
      ? ['listFiles', 'hashFile', 'packFile']
      : ['verifyFile', 'deleteFile', 'lookFile'];
    const kills = calls.map((call): Kill => {
      const count = call === 'listFiles' || call === 'lookFile' ? 1 : 1 + random.below(3);
      return { kind: 'call', call, count };
    });
    return { seed: `call-${run + 1}`, kills, paceMs: 15 };
  });
}

/** Five runs with three kills each at any time. */
export function timePlans(): Plan[] {
  return Array.from({ length: 5 }, (_, run) => {
    const random = randomOf(200 + run);
    const kills = Array.from(
      { length: KILLS_PER_RUN },
      (_each, turn): Kill => ({ kind: 'time', ms: random.below(turn === 0 ? 600 : 400) }),
    );
    return { seed: `time-${run + 1}`, kills, paceMs: 25 };
  });
}

export function explainKill(kill: Kill): string {
  switch (kill.kind) {
    case 'boundary':
      return `${kill.boundary} #${kill.count}`;
    case 'call':
      return `inside ${kill.call} #${kill.count}`;
    case 'time':
      return `after ${kill.ms} ms`;
  }
}

/** Numbers from a seed (mulberry32). */
function randomOf(seed: number): { below(limit: number): number } {
  let state = seed * 0x9e3779b9;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return { below: (limit) => Math.floor(next() * limit) };
}
