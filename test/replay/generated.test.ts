// J2, J3 on machines made at random, and on the example: whatever they do, their journals replay to the byte.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CHECKPOINT_REVISIONS } from '../../actors/limits.ts';
import { durable, message, start } from '../core/harness.ts';
import { buildMachine } from '../differential/build.ts';
import { generatedMachine, generatedMoves } from '../differential/generate.ts';
import type { TestTroupe } from '../kit/index.ts';

const MACHINES = 8;
const SEED = 20_261_201;
/** Enough for a checkpoint with whatever is armed there. */
const REVISIONS = CHECKPOINT_REVISIONS + 15;
const ROUNDS_MAX = 60;
/** More than a machine that rests now and then writes in its rounds. */
const ROWS_MAX = 3_000;
const LIMIT_MS = 120_000;

type Move = (typeof generatedMoves extends fc.Arbitrary<infer T> ? T : never)[number];

async function make(test: TestTroupe, address: string, move: Move): Promise<void> {
  const { troupe, clock, pool } = test;
  switch (move.kind) {
    case 'send':
      // Only Troupe itself sends those.
      if (move.event.type.startsWith('xstate.')) return;
      void troupe.send(address, message(move.event.type, { ...move.event })).catch(() => {});
      return;
    case 'fire':
      await clock.advance(50);
      break;
    case 'answer': {
      const attempt = pool.running.at(move.pick % Math.max(pool.running.length, 1));
      if (move.with === 'done') attempt?.answer(move.data);
      else attempt?.throw({ code: 'failed', message: 'it failed' });
      break;
    }
  }
  // What was sent before comes in first.
  await clock.settle();
}

/** False for a machine that never comes to rest: it takes steps without end, at one moment. */
async function comesToRest(test: TestTroupe, living: Promise<void>): Promise<boolean> {
  const seen = { isOver: false };
  const over = living.then(() => {
    seen.isOver = true;
  });
  const tooMany = (): boolean =>
    test.rows('SELECT 1 FROM journal LIMIT ?', ROWS_MAX).length === ROWS_MAX;
  while (!seen.isOver && !tooMany()) await new Promise((resolve) => setImmediate(resolve));
  // Of a restless one the host is closed while it is asked: what it still says is not heard.
  if (seen.isOver) await over;
  else over.catch(() => {});
  return seen.isOver;
}

async function live(test: TestTroupe, address: string, moves: readonly Move[]): Promise<void> {
  let before = 0;
  for (let round = 0; round < ROUNDS_MAX; round++) {
    for (const move of moves) await make(test, address, move);
    await test.clock.settle();
    const { status, revision } = await test.troupe.get(address);
    if (status !== 'active' || revision >= REVISIONS || revision === before) return;
    before = revision;
    if (round % 20 === 10) await test.reopen();
  }
}

it(
  `[J2] ${MACHINES} generated machines replay from their birth and from every checkpoint (seed ${SEED})`,
  async () => {
    const shown = { steps: 0, checkpoints: 0, stuck: 0, children: 0, begun: 0 };
    const cases = fc.sample(fc.tuple(generatedMachine, generatedMoves), {
      seed: SEED,
      numRuns: MACHINES,
    });
    for (const [plan, moves] of cases) {
      const definition = durable(buildMachine(plan));
      const test = await start({ machines: [definition] });
      const { address } = await test.troupe.spawn(definition, { id: 'one' });
      if (!(await comesToRest(test, live(test, address, moves)))) {
        await test.close();
        continue;
      }
      for (const actor of await test.troupe.list({ limit: 1_000 })) {
        const replay = await test.troupe.replay(actor.address);
        expect(replay).toMatchObject({
          divergence: undefined,
          mended: [],
          revision: actor.revision,
        });
        shown.steps += replay.steps;
        shown.checkpoints += replay.checkpoints;
        if (actor.status === 'stuck') shown.stuck++;
        if (actor.parent !== undefined) shown.children++;
        if (replay.checkpoints === 0) continue;
        const begun = await test.troupe.replay(actor.address, { from: CHECKPOINT_REVISIONS });
        expect(begun).toMatchObject({ from: CHECKPOINT_REVISIONS, divergence: undefined });
        shown.begun++;
      }
      await test.close();
    }
    // A generator gone dull must not look like a green run.
    expect(shown.steps).toBeGreaterThan(40 * MACHINES);
    expect(shown.begun).toBeGreaterThan(MACHINES / 5);
    expect(shown.checkpoints).toBeGreaterThan(MACHINES / 5);
    expect(shown.children).toBeGreaterThan(0);
    expect(shown.stuck).toBeGreaterThan(0);
  },
  LIMIT_MS,
);
