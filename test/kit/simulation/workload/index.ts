// Workload: what `troupe simulate` runs when it is not told: Troupe's own adversary.

import type { SimulatedWorld, SimulateOptions } from '../options.ts';
import { bell } from './bell.ts';
import { errand, helper } from './errand.ts';
import { order } from './order.ts';

/** Actors at most; TELL sends from one order to another, and to one that may not be there yet. */
const ACTORS_MAX = 6;

/** Part of the new actors that are errands. */
const ERRANDS = 0.4;

/** Charges that have happened. */
function worldOf(): SimulatedWorld {
  const charged = new Set<string>();
  const others = ['order/a1', 'order/a2', 'order/a99'];
  return {
    actorsMax: ACTORS_MAX,
    spawn: (random) => ({
      machine: random.chance(ERRANDS) ? errand : order,
      input: { item: random.pick(['book', 'lamp']) },
    }),
    events: {
      order: [
        { type: 'PAY' },
        { type: 'PAY' },
        { type: 'CANCEL' },
        { type: 'HOLD' },
        { type: 'GO_ON' },
        ...[1, 2].map((by) => ({ type: 'NUDGE', by })),
        ...others.map((other) => ({ type: 'TELL', other })),
        ...others.map((other) => ({ type: 'TELL_LATER', other })),
        { type: 'TELL_NOT' },
        { type: 'BREAK' },
      ],
      errand: [
        { type: 'GO' },
        { type: 'GO' },
        { type: 'POKE' },
        { type: 'POKE' },
        { type: 'DROP' },
      ],
    },
    calls: {
      quote: (_input, { random }) => ({ price: random.whole(1, 99) }),
      charge: (_input, { callId, attempt, random }) => {
        charged.add(orderOf(callId));
        return { payment: `${callId}/${attempt}/${random.whole(1, 99)}` };
      },
      ship: (_input, { callId, attempt }) => ({ parcel: `${callId}/${attempt}` }),
      look: (_input, { callId }) => ({ isCharged: charged.has(orderOf(callId)) }),
    },
  };
}

function orderOf(callId: string): string {
  return callId.slice(0, callId.indexOf('#'));
}

/** Troupe's own workload: orders with calls of each class, timers and children. Each run needs a world of its own. */
export function workload(): Pick<SimulateOptions, 'machines' | 'world'> {
  return { machines: [order, errand, helper, bell], world: worldOf() };
}
