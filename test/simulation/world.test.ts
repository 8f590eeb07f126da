import { expect, it } from 'vitest';
import type { Attempt } from '../../actors/index.ts';
import { CALL_ABORT_GRACE_MS } from '../../actors/limits.ts';
import type { CallSpec } from '../../actors/registry/index.ts';
import { NO_FAULTS } from '../kit/index.ts';
import { FaultPlan } from '../kit/simulation/faults.ts';
import { Ledger } from '../kit/simulation/ledger.ts';
import { randomOf } from '../kit/simulation/random.ts';
import { Timeline } from '../kit/simulation/timeline.ts';
import { World } from '../kit/simulation/world.ts';

const LIMIT_MS = 5_000;
const spec = {
  key: 'ship',
  class: 'replayable',
  limitMs: LIMIT_MS,
  runs: { on: 'thread', module: 'file:///ship.js', name: 'ship' },
} as unknown as CallSpec;
const attempt: Attempt = {
  callId: 'order/1#ship@1',
  attempt: 1,
  idempotencyKey: 'order/1#ship@1',
  spec,
  input: {},
};

/** One attempt whose answer comes late, with its host's hands. */
function lateAttempt() {
  const timeline = new Timeline();
  const ledger = new Ledger(() => timeline.passedMs);
  const script = [{ fault: 'replyLate' as const, occasion: 1 }];
  const faults = new FaultPlan(NO_FAULTS, script, randomOf('faults'), () => timeline.passedMs);
  const calls = { ship: () => ({ parcel: 1 }) };
  const parts = { timeline, faults, ledger, seed: 'late', calls };
  const world = new World({ ...parts, isClaimed: () => true, onReply: () => {} });
  const host = { number: 1, incarnation: 'p1', isDead: false };
  const running = world.poolOf(host).start(attempt);
  const happened: string[] = [];
  void running.end.then((end) => happened.push(`end: ${end.kind}`));
  void running.late?.then((end) => happened.push(`late: ${end.kind}`));
  const rest = async () => {
    while (await timeline.next(60_000));
  };
  return { timeline, ledger, running, happened, rest };
}

it('[simulate, C4] an answer that comes after its host gave up is a late one', async () => {
  const { timeline, ledger, running, happened, rest } = lateAttempt();
  timeline.after(LIMIT_MS + CALL_ABORT_GRACE_MS, () => running.kill());
  await rest();
  expect(happened).toEqual(['end: cut', 'late: answered']);
  expect(ledger.entries.at(-1)).toMatchObject({ what: 'ended', end: { kind: 'cut' } });
});

it('[simulate, C4] seed 99: an answer that comes late while its stalled host has not given up is the answer, and in the ledger', async () => {
  const { timeline, ledger, running, happened, rest } = lateAttempt();
  timeline.after(60_000, () => running.kill());
  await rest();
  expect(happened).toEqual(['end: answered']);
  expect(ledger.entries.at(-1)).toMatchObject({
    what: 'ended',
    end: { kind: 'answered', output: { parcel: 1 } },
  });
});
