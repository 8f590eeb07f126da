// Checks: everything that is looked at after a run.

import type { Finding } from '../options.ts';
import { armings } from './armings.ts';
import { calls } from './calls.ts';
import { consequences } from './consequences.ts';
import type { Check, Evidence } from './evidence.ts';
import { hosts, integrity } from './integrity.ts';
import { messages } from './messages.ts';
import { order } from './order.ts';
import { promises } from './promises.ts';
import { replays } from './replays.ts';
import { overdue, waiting } from './waiting.ts';

/** While the host still serves, after all has come to rest. */
const ALIVE: readonly Check[] = [overdue, waiting];

/** After the host has left. */
const CLOSED: readonly Check[] = [
  integrity,
  hosts,
  messages,
  order,
  consequences,
  armings,
  calls,
  promises,
  replays,
];

export function checkAll(when: 'alive' | 'closed', evidence: Evidence): Finding[] {
  const checks = when === 'alive' ? ALIVE : CLOSED;
  return checks.flatMap((check) => check(evidence));
}
