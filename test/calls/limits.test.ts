// Limits: what happens at the end of a call's time, on real threads and with a clock that the test moves.

import { expect, it } from 'vitest';
import { CALL_ATTEMPTS_MAX } from '../../actors/limits.ts';
import { scriptedPool, until } from '../kit/index.ts';
import type { Act } from './modules/behave.ts';
import {
  behaving,
  calls,
  doing,
  effectMachine,
  keptIn,
  machines,
  openForTest,
  openThreads,
  readMachine,
  replayableMachine,
  witness,
} from './support/calls.ts';

const LIMIT_MS = 1_000;
const GRACE_MS = 2_000;

const everyClass = [
  ['read', readMachine],
  ['effect', effectMachine],
  ['replayable', replayableMachine],
] as const;

it.each(everyClass)(
  '[C3] at its limit a %s sees the signal, and what it answers inside the grace counts',
  async (_class, machine) => {
    const test = await openThreads();
    const seen = witness();
    const { address } = await test.troupe.spawn(machine, {
      id: 'a',
      input: doing([{ do: 'awaitAbort' }, { do: 'answer', value: 'in time' }], seen.file),
    });
    await seen.seen('begin');
    await test.clock.advance(LIMIT_MS - 1);
    expect(seen.count('aborted')).toBe(0);
    await test.clock.advance(1);
    expect(await keptIn(test, address, 'done')).toMatchObject({ output: 'in time' });
    expect(seen.lines().map((line) => line.split(' ')[0])).toEqual(['begin', 'aborted', 'end']);
  },
);

const timedOut = [
  ['read', readMachine, { code: 'time_limit', outcome: 'failed' }],
  ['effect', effectMachine, { code: 'time_limit', outcome: 'unknown' }],
] as const;

it.each(timedOut)(
  '[C3] a %s that is deaf to its signal ends with its thread after the grace',
  async (_class, machine, error) => {
    const test = await openThreads();
    const seen = witness();
    const { address } = await test.troupe.spawn(machine, {
      id: 'a',
      input: doing([{ do: 'block' }], seen.file),
    });
    await seen.seen('alive');
    await test.clock.advance(LIMIT_MS + GRACE_MS - 1);
    expect(test.rows('SELECT status FROM calls')).toEqual([{ status: 'claimed' }]);
    await test.clock.advance(1);
    expect(await keptIn(test, address, 'failed')).toMatchObject({ error });
    const after = seen.lines().length;
    expect(test.rows('SELECT status, attempt FROM calls')).toEqual([
      { status: error.outcome, attempt: 1 },
    ]);
    await echo(test, machine);
    expect(seen.lines()).toHaveLength(after);
    expect(seen.count('begin')).toBe(1);
  },
);

it('[C3] a replayable runs again with the same key, only after the earlier thread has really ended', async () => {
  const test = await openThreads();
  const seen = witness();
  const acts: Act[] = [{ do: 'firstOnly', act: { do: 'block' } }, { do: 'tell' }];
  const { address } = await test.troupe.spawn(replayableMachine, {
    id: 'a',
    input: doing(acts, seen.file),
  });
  await seen.seen('alive');
  await test.clock.advance(LIMIT_MS + GRACE_MS);
  expect(await keptIn(test, address, 'done')).toMatchObject({
    output: { attempt: 2, callId: 'repeater/a#work@1', idempotencyKey: 'repeater/a#work@1' },
  });
  const attempts = seen.lines().map((line) => line.split(' ').at(-1));
  expect(attempts.lastIndexOf('1')).toBeLessThan(attempts.indexOf('2'));
  expect(seen.count('begin')).toBe(2);
});

it.each(timedOut)(
  '[C3] a %s in native code, whose thread nothing can end, is told after the grace',
  async (_class, machine, error) => {
    const test = await openThreads();
    const seen = witness();
    const gate = seen.gate('go');
    const { address } = await test.troupe.spawn(machine, {
      id: 'a',
      input: doing([{ do: 'blockNatively', file: gate.file, witness: seen.file }], seen.file),
    });
    await seen.seen('native');
    await test.clock.advance(LIMIT_MS + GRACE_MS);
    expect(await keptIn(test, address, 'failed')).toMatchObject({ error });
    await echo(test, machine);
    gate.open();
  },
);

it('[C3] a replayable whose thread nothing can end runs again only when it has ended by itself', async () => {
  const test = await openThreads();
  const seen = witness();
  const gate = seen.gate('go');
  const stuck: Act = {
    do: 'firstOnly',
    act: { do: 'blockNatively', file: gate.file, witness: seen.file },
  };
  const { address } = await test.troupe.spawn(replayableMachine, {
    id: 'a',
    input: doing([stuck, { do: 'tell' }], seen.file),
  });
  await seen.seen('native');
  await test.clock.advance(LIMIT_MS + GRACE_MS);
  // Time enough for a second attempt: another call begins and ends meanwhile.
  await echo(test, readMachine);
  expect(seen.count('begin')).toBe(1);
  expect(test.rows("SELECT attempt, status FROM calls WHERE class = 'replayable'")).toEqual([
    { attempt: 1, status: 'claimed' },
  ]);
  gate.open();
  expect(await keptIn(test, address, 'done')).toMatchObject({ output: { attempt: 2 } });
});

it('[C3] a replayable whose thread exits runs again by itself, without waiting for its limit', async () => {
  const test = await openThreads();
  const seen = witness();
  const { address } = await test.troupe.spawn(replayableMachine, {
    id: 'a',
    input: doing([{ do: 'firstOnly', act: { do: 'exit' } }, { do: 'tell' }], seen.file),
  });
  expect(await keptIn(test, address, 'done')).toMatchObject({ output: { attempt: 2 } });
});

const givingUp = [
  ['read', readMachine, { code: 'time_limit', outcome: 'failed' }],
  ['effect', effectMachine, { code: 'time_limit', outcome: 'unknown' }],
] as const;

it.each(givingUp)(
  '[C3] a %s that throws because its signal aborted was cut off, not wrong',
  async (_class, machine, error) => {
    const test = await openThreads();
    const { address } = await test.troupe.spawn(machine, {
      id: 'a',
      input: doing([{ do: 'awaitAbort' }, { do: 'throw', message: 'aborted', code: 'ABORT_ERR' }]),
    });
    await until(() => test.rows("SELECT 1 FROM calls WHERE status = 'claimed'").length === 1);
    await test.clock.advance(LIMIT_MS);
    expect(await keptIn(test, address, 'failed')).toMatchObject({ error });
  },
);

it('[C3] a replayable that gives up at its signal runs again', async () => {
  const test = await openThreads();
  const seen = witness();
  const giveUp: Act = { do: 'awaitAbort' };
  const acts: Act[] = [
    { do: 'firstOnly', act: giveUp },
    { do: 'firstOnly', act: { do: 'throw', message: 'aborted' } },
    { do: 'tell' },
  ];
  const { address } = await test.troupe.spawn(replayableMachine, {
    id: 'a',
    input: doing(acts, seen.file),
  });
  await seen.seen('begin');
  await test.clock.advance(LIMIT_MS);
  expect(await keptIn(test, address, 'done')).toMatchObject({ output: { attempt: 2 } });
});

it('[C3] an effect that says at its limit that nothing happened has failed, for it knows', async () => {
  const test = await openThreads();
  const seen = witness();
  const refusal: Act = { do: 'throw', code: 'too_late', message: 'not sent', outcome: 'failed' };
  const { address } = await test.troupe.spawn(effectMachine, {
    id: 'a',
    input: doing([{ do: 'awaitAbort' }, refusal], seen.file),
  });
  await seen.seen('begin');
  await test.clock.advance(LIMIT_MS);
  expect(await keptIn(test, address, 'failed')).toMatchObject({
    error: { code: 'too_late', outcome: 'failed' },
  });
});

it('[C3] a replayable that ends its thread each time is unknown in the end', async () => {
  const pool = scriptedPool({ onStart: (attempt) => attempt.cut('thread_ended') });
  const test = await openForTest({ machines, calls, pool });
  const { address } = await test.troupe.spawn(replayableMachine, { id: 'a' });
  expect(await keptIn(test, address, 'failed')).toMatchObject({
    error: { code: 'interrupted', outcome: 'unknown' },
  });
  expect(pool.started.map(({ attempt }) => attempt)).toEqual(
    Array.from({ length: CALL_ATTEMPTS_MAX }, (_, index) => index + 1),
  );
  expect(new Set(pool.started.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
});

it('[C3, C8] a call that keeps ending its thread does not hold up those behind it', async () => {
  const pool = scriptedPool({
    onStart: (attempt) => {
      if (attempt.input === 'bad') attempt.cut('thread_ended');
      else attempt.answer(attempt.input);
    },
  });
  const one = behaving('repeat', 'replayable', { concurrency: 1 });
  const test = await openForTest({ machines, calls: [...calls.slice(0, 2), one], pool });
  for (const id of ['bad', 'good', 'better']) {
    await test.troupe.spawn(replayableMachine, { id, input: id });
  }
  await keptIn(test, 'repeater/bad', 'failed');
  const order = pool.started.map(({ input }) => input);
  expect(order.filter((input) => input !== 'bad')).toEqual(['good', 'better']);
  expect(order.lastIndexOf('better')).toBeLessThan(CALL_ATTEMPTS_MAX / 2);
});

it('[C3] calls on the threads of one definition keep a limit each', async () => {
  const test = await openForTest({ machines, calls });
  await test.troupe.spawn(effectMachine, { id: '1', input: '1' });
  await test.clock.advance(600);
  await test.troupe.spawn(effectMachine, { id: '2', input: '2' });
  await test.clock.advance(400);
  expect(test.pool.started.map(({ isAborted }) => isAborted)).toEqual([true, false]);
  await test.clock.advance(600);
  expect(test.pool.started.map(({ isAborted }) => isAborted)).toEqual([true, true]);
  await test.clock.advance(1_400);
  expect(test.pool.started.map(({ isEnded }) => isEnded)).toEqual([true, false]);
});

/** Shows that the definition has a thread again. */
async function echo(
  test: Awaited<ReturnType<typeof openThreads>>,
  machine: (typeof everyClass)[number][1],
): Promise<void> {
  const { address } = await test.troupe.spawn(machine, {
    id: 'next',
    input: doing([{ do: 'answer', value: 'next' }]),
  });
  expect(await keptIn(test, address, 'done')).toMatchObject({ output: 'next' });
}
