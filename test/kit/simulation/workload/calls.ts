// Calls of the workload, one for each class. They run in the simulated world alone: their module is never loaded.

import { z } from 'zod';
import { defineCall } from '../../../../actors/index.ts';

const base = { module: import.meta.url, input: z.object({ item: z.string() }), limitMs: 5_000 };

/** Changes nothing. */
export const quote = defineCall({
  ...base,
  name: 'quote',
  class: 'read',
  output: z.object({ price: z.number() }),
});

/** Happens once: an interruption leaves it unknown. */
export const charge = defineCall({
  ...base,
  name: 'charge',
  class: 'effect',
  concurrency: 3,
  claimLimitMs: 20_000,
  output: z.object({ payment: z.string() }),
});

/** May be repeated with its key. */
export const ship = defineCall({
  ...base,
  name: 'ship',
  class: 'replayable',
  concurrency: 1,
  claimLimitMs: 30_000,
  output: z.object({ parcel: z.string() }),
});

/** Looks whether a charge has happened. */
export const look = defineCall({
  ...base,
  name: 'look',
  class: 'read',
  output: z.object({ isCharged: z.boolean() }),
});
