// V8: a damaged row parks its own actor, at once and once; every other goes on.

import { describe, expect, it } from 'vitest';
import { assign, setup } from 'xstate';
import { z } from 'zod';
import { defineMachine } from '../../actors/index.ts';
import type { TestTroupe } from '../kit/index.ts';
import { durable, refusal, start } from './harness.ts';

const machine = setup({ types: { context: {} as { count: number } } }).createMachine({
  id: 'm',
  context: { count: 0 },
  initial: 'a',
  states: {
    a: {
      on: {
        GO: { target: 'b', actions: assign({ count: ({ context }) => context.count + 1 }) },
      },
      after: { 60_000: 'b' },
    },
    b: { on: { GO: 'a' } },
  },
});
const m = durable(machine);

/** An actor whose row was damaged while no host ran, beside one that is well. */
async function damaged(sql: string): Promise<TestTroupe> {
  const test = await start({ machines: [m] });
  for (const id of ['1', 'well']) await test.troupe.spawn(m, { id });
  await test.leave();
  test.write(sql);
  await test.reopen();
  return test;
}

const damages: readonly (readonly [what: string, set: string, code: string, told: string])[] = [
  ['a snapshot that is no JSON', 'snapshot = \'{"status":\'', 'snapshot_damaged', 'not JSON'],
  ['a snapshot of nothing', "snapshot = ''", 'snapshot_damaged', 'not JSON'],
  ['a snapshot that is null', 'snapshot = NULL', 'snapshot_damaged', 'not JSON'],
  ['a snapshot without status', "snapshot = '{}'", 'snapshot_damaged', 'no status'],
  ['a snapshot that is a list', "snapshot = '[1]'", 'snapshot_damaged', 'no status'],
  [
    'a state that the machine does not have',
    "snapshot = json_set(snapshot, '$.value', 'gone')",
    'state_unknown',
    '"gone"',
  ],
  [
    'a state of another shape',
    'snapshot = json_set(snapshot, \'$.value\', json(\'{"a":"x"}\'))',
    'state_unknown',
    'not one of machine m',
  ],
  ['no state at all', "snapshot = json_remove(snapshot, '$.value')", 'state_unknown', 'machine m'],
  ['armings that are no JSON', "armings = 'x'", 'snapshot_damaged', 'armings of m/1'],
  ['armings of another shape', "armings = '{}'", 'snapshot_damaged', 'armings of m/1'],
];

describe('a damaged row', () => {
  it.each(damages)('[V8] with %s parks its actor alone', async (_what, set, code, told) => {
    const test = await damaged(`UPDATE actors SET ${set} WHERE id = 'm/1'`);
    // Nobody is loaded who has no work: it is found when it is needed.
    expect(await test.troupe.get('m/1')).toMatchObject({ status: 'active' });
    await test.troupe.send('m/1', { type: 'GO' });
    await test.troupe.send('m/well', { type: 'GO' });
    const parked = await test.troupe.get('m/1');
    expect(parked).toMatchObject({ status: 'stuck', revision: 1, stuck: { code, event: 'GO' } });
    expect(parked.stuck?.message).toContain(told);
    expect(await test.troupe.get('m/well')).toMatchObject({ status: 'active', state: 'b' });
    // What was found is still there for whoever repairs it.
    expect(parked.messages).toHaveLength(1);
    expect(parked.timers).toHaveLength(1);
  });

  it('[V8] with an event that is no JSON parks its actor alone', async () => {
    const test = await damaged(
      `INSERT INTO messages(actor, machine, event, kind, ready_at) VALUES ('m/1', 'm', '{"type":', 'event', 0)`,
    );
    await test.troupe.send('m/well', { type: 'GO' });
    expect(await test.troupe.get('m/1')).toMatchObject({
      status: 'stuck',
      stuck: { code: 'event_damaged', event: '(damaged)' },
      messages: [{ event: { damaged: '{"type":' } }],
    });
    expect(await test.troupe.get('m/well')).toMatchObject({ state: 'b' });
  });

  it('[V8] with a timer that is no JSON parks its actor alone, when it is due', async () => {
    const test = await damaged(`UPDATE messages SET event = 'x' WHERE actor = 'm/1'`);
    await test.clock.advance(60_000);
    expect(await test.troupe.get('m/1')).toMatchObject({ status: 'stuck', state: 'a' });
    expect(await test.troupe.get('m/well')).toMatchObject({ state: 'b' });
  });

  it('[V8] E08: answers each of 20 senders at once, and is not tried over and over', async () => {
    let groups = 0;
    const test = await damaged(`UPDATE actors SET snapshot = 'damaged' WHERE id = 'm/1'`);
    await test.reopen({
      boundary: (point) => {
        if (point === 'group.begun') groups++;
      },
    });
    await test.troupe.send('m/1', { type: 'GO' });
    groups = 0;
    for (let sends = 0; sends < 20; sends++) {
      await refusal(test.troupe.send('m/1', { type: 'GO' }), 'actor_stuck');
    }
    await test.clock.advance(60_000);
    expect(groups).toBeLessThanOrEqual(22);
    for (let lives = 0; lives < 3; lives++) await test.reopen();
    const journal = await test.troupe.journal('m/1');
    expect(journal.map(({ kind }) => kind)).toEqual(['step', 'stuck']);
    expect(await test.troupe.list({ status: 'stuck' })).toHaveLength(1);
  });

  it('[V8] E08: of 20 sends of one moment none is lost', async () => {
    const test = await damaged(`UPDATE actors SET snapshot = 'damaged' WHERE id = 'm/1'`);
    const sends = Array.from({ length: 20 }, () => test.troupe.send('m/1', { type: 'GO' }));
    const receipts = await Promise.all(sends);
    await test.clock.settle();
    const { messages } = await test.troupe.get('m/1');
    expect(messages.map(({ seq }) => seq)).toEqual(receipts.map(({ seq }) => seq));
  });
});

describe('a context that does not fit its schema any more', () => {
  const checked = defineMachine({
    machine,
    version: 1,
    schemas: { context: z.object({ count: z.number().max(10) }) },
  });

  it('[V8] parks its actor when it is loaded, naming the path', async () => {
    const test = await damaged(
      "UPDATE actors SET snapshot = json_set(snapshot, '$.context.count', 'many') WHERE id = 'm/1'",
    );
    await test.reopen({ machines: [checked] });
    await test.troupe.send('m/1', { type: 'GO' });
    const { status, stuck } = await test.troupe.get('m/1');
    expect({ status, code: stuck?.code }).toEqual({ status: 'stuck', code: 'context_invalid' });
    expect(stuck?.message).toContain('count');
  });
});
