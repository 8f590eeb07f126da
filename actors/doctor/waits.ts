// Waits: what could be stepped and is not, and why.

import type { Inspection, WaitingRows } from '../../persistence/index.ts';
import { about, type DoctorFinding } from './finding.ts';

/** Past it a host that lives should have stepped what is ready. Milliseconds. */
export const WAIT_MS_MAX = 60_000;

/** What waits the longest. Times are milliseconds since 1970. */
export interface Waiting {
  readonly count: number;
  readonly oldest:
    | { readonly seq: number; readonly address: string; readonly readyAtMs: number }
    | undefined;
}

export interface Waits {
  readonly messages: Waiting;
  readonly timers: Waiting;
}

const NOTHING: Waiting = { count: 0, oldest: undefined };
export const NO_WAITS: Waits = { messages: NOTHING, timers: NOTHING };

export function examineWaits(inspection: Inspection, nowMs: number): Waits {
  return {
    messages: waiting(inspection.waitingMessages()),
    timers: waiting(inspection.overdueTimers(nowMs)),
  };
}

function waiting({ count, oldest }: WaitingRows): Waiting {
  if (oldest === undefined) return { count, oldest: undefined };
  const { seq, actor, ready_at } = oldest;
  return { count, oldest: { seq, address: actor, readyAtMs: ready_at } };
}

/** Beside a host a moment's wait is its work; without one all of it waits. */
export function waitFindings(
  { messages, timers }: Waits,
  isStepped: boolean,
  nowMs: number,
): DoctorFinding[] {
  return [
    ...waitFinding('message_waits', 'messages', messages, isStepped, nowMs),
    ...waitFinding('timer_overdue', 'timers that are due', timers, isStepped, nowMs),
  ];
}

function waitFinding(
  code: string,
  what: string,
  { count, oldest }: Waiting,
  isStepped: boolean,
  nowMs: number,
): DoctorFinding[] {
  if (oldest === undefined) return [];
  if (!isStepped) {
    return about([oldest.address], {
      severity: 'warning',
      code,
      problem: `No host steps this store, and ${what} wait (${count}).`,
      mend: 'troupe run MODULE',
    });
  }
  if (nowMs - oldest.readyAtMs <= WAIT_MS_MAX) return [];
  return about([oldest.address], {
    severity: 'warning',
    code,
    problem: `A host lives, and still ${what} wait (${count}), the oldest for ${Math.floor((nowMs - oldest.readyAtMs) / 1_000)} s: it does not know that machine, is suspended, or has too much to do.`,
    mend: 'troupe run MODULE with the machine of these actors; troupe show ADDRESS',
  });
}
