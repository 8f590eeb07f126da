// Isolation: what a call does to its own thread reaches nobody else.

import { expect, it } from 'vitest';
import { setup } from 'xstate';
import { defineMachine } from '../../actors/index.ts';
import { until } from '../kit/index.ts';
import type { Act } from './modules/behave.ts';
import {
  behaving,
  callerOf,
  calls,
  doing,
  effectMachine,
  keptIn,
  machines,
  openThreads,
  readMachine,
  witness,
} from './support/calls.ts';

const ticker = defineMachine({
  version: 1,
  machine: setup({}).createMachine({
    id: 'ticker',
    initial: 'waiting',
    states: { waiting: { after: { 10: 'rung' } }, rung: {} },
  }),
});

/** How long it goes on by itself, what it does, and what its actor then learns. */
const misbehaviours: readonly [what: string, act: Act, error: object][] = [
  ['blocks its loop', { do: 'block' }, { code: 'time_limit', outcome: 'unknown' }],
  ['throws', { do: 'throw', message: 'no' }, { code: 'threw', outcome: 'unknown' }],
  ['exits', { do: 'exit' }, { code: 'interrupted', outcome: 'unknown' }],
  ['fills its heap', { do: 'exhaust' }, { code: 'interrupted', outcome: 'unknown' }],
];

it.each(misbehaviours)(
  '[C2] a call that %s delays no step, no timer and no other call',
  async (_what, act, error) => {
    const test = await openThreads({ machines: [...machines, ticker] });
    const seen = witness();
    const bad = await test.troupe.spawn(effectMachine, {
      id: 'bad',
      input: doing([act], seen.file),
    });
    await seen.seen('begin');

    await test.troupe.send(bad.address, { type: 'PING' });
    await until(async () => pingsOf((await test.troupe.get(bad.address)).context) === 1);
    const { address } = await test.troupe.spawn(ticker, { id: 'beside' });
    await until(async () => (await test.troupe.get(address)).state === 'waiting');
    await test.clock.advance(10);
    await until(async () => (await test.troupe.get(address)).state === 'rung');
    const other = await test.troupe.spawn(readMachine, {
      id: 'beside',
      input: doing([{ do: 'answer', value: 1 }]),
    });
    expect(await keptIn(test, other.address, 'done')).toMatchObject({ output: 1 });
    if (act.do === 'block') expect(seen.count('end')).toBe(0);

    if (act.do === 'block') await test.clock.advance(3_000);
    expect(await keptIn(test, bad.address, 'failed')).toMatchObject({ pings: 1, error });
    const next = await test.troupe.spawn(effectMachine, {
      id: 'next',
      input: doing([{ do: 'answer', value: 2 }]),
    });
    expect(await keptIn(test, next.address, 'done')).toMatchObject({ output: 2 });
  },
);

it('[C2] calls that run side by side have a thread each, and none is the host’s', async () => {
  const test = await openThreads();
  const seen = witness();
  const gate = seen.gate('go');
  for (const id of ['1', '2']) {
    const acts: Act[] = [{ do: 'await', file: gate.file }, { do: 'tell' }];
    await test.troupe.spawn(effectMachine, { id, input: doing(acts, seen.file) });
  }
  await seen.seen('begin', 2);
  gate.open();
  const threads = await Promise.all(
    ['actor/1', 'actor/2'].map(
      async (address) => (await keptIn(test, address, 'done')).output as { threadId: number },
    ),
  );
  const ids = threads.map(({ threadId }) => threadId);
  expect(new Set(ids).size).toBe(2);
  expect(ids).not.toContain(0);
});

it('[C2] a thread that is used again knows nothing of the call before', async () => {
  const single = behaving('act', 'effect', { concurrency: 1 });
  const test = await openThreads({
    calls: [...calls.filter(({ name }) => name !== 'act'), single],
  });
  const seen = witness();
  const slow = await test.troupe.spawn(effectMachine, {
    id: 'slow',
    input: doing([{ do: 'awaitAbort' }, { do: 'answer', value: 1 }], seen.file),
  });
  const next = await test.troupe.spawn(effectMachine, {
    id: 'next',
    input: doing([{ do: 'tell' }]),
  });
  await seen.seen('begin');
  await test.clock.advance(1_000);
  await keptIn(test, slow.address, 'done');
  expect(await keptIn(test, next.address, 'done')).toMatchObject({
    output: { callId: 'actor/next#work@1', idempotencyKey: 'actor/next#work@1', signal: false },
  });
});

it('[C2] a definition whose threads all hang holds up no other one, even of the same module', async () => {
  const hanging = behaving('hang', 'effect', { concurrency: 2 });
  const hanger = callerOf('hanger', 'hang');
  const test = await openThreads({
    machines: [...machines, hanger],
    calls: [...calls, hanging],
  });
  const seen = witness();
  for (const id of ['1', '2', '3']) {
    await test.troupe.spawn(hanger, { id, input: doing([{ do: 'block' }], seen.file) });
  }
  await seen.seen('begin', 2);
  const { address } = await test.troupe.spawn(effectMachine, {
    id: 'free',
    input: doing([{ do: 'answer', value: 1 }]),
  });
  expect(await keptIn(test, address, 'done')).toMatchObject({ output: 1 });
  expect(seen.count('begin')).toBe(2);
});

function pingsOf(context: unknown): number {
  return (context as { readonly pings: number }).pings;
}
