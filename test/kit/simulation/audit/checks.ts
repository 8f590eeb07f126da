// Checks: everything that is looked at after a run.

import type { SimulationFinding } from '../options.ts';
import { answers } from './answers.ts';
import { armings } from './armings.ts';
import { calls } from './calls.ts';
import { consequences } from './consequences.ts';
import { deadlines } from './deadlines.ts';
import type { Check, Evidence } from './evidence.ts';
import { heard } from './heard.ts';
import { hosts, integrity } from './integrity.ts';
import { interventions } from './interventions.ts';
import { messages } from './messages.ts';
import { order } from './order.ts';
import { outcomes } from './outcomes.ts';
import { overdue } from './overdue.ts';
import { promises } from './promises.ts';
import { replays } from './replays.ts';
import { waiting } from './waiting.ts';

/** While the host still serves, after all has come to rest. */
const ALIVE: readonly Check[] = [overdue, waiting];

/** However the last host ended. */
const ALWAYS: readonly Check[] = [
  integrity,
  messages,
  order,
  deadlines,
  consequences,
  answers,
  armings,
  calls,
  outcomes,
  promises,
  interventions,
  heard,
  replays,
];

/** When a run is looked at: its host serves, has left, or was killed. */
export type Moment = 'alive' | 'closed' | 'killed';

const CHECKS: Readonly<Record<Moment, readonly Check[]>> = {
  alive: ALIVE,
  closed: [...ALWAYS, hosts],
  killed: ALWAYS,
};

export function checkAll(when: Moment, evidence: Evidence): SimulationFinding[] {
  return CHECKS[when].flatMap((check) => check(evidence));
}
