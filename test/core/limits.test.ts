// K10: limits are checked before anything is written.

import { describe, expect, it } from 'vitest';
import { assign, createMachine, enqueueActions, raise, sendTo, setup, spawnChild } from 'xstate';
import {
  EVENT_BYTES_MAX,
  SNAPSHOT_BYTES_MAX,
  STEP_EFFECTS_MAX,
  STEP_WRITES_BYTES_MAX,
} from '../../actors/limits.ts';
import type { StepErrorCode } from '../../actors/step/index.ts';
import { durable, message, refusal, start } from './harness.ts';

/** An event of exactly this many bytes of JSON. */
function eventOf(bytes: number, filler = 'x'): { readonly type: string } {
  const bare = message('PUT', { text: '' });
  const rest = bytes - JSON.stringify(bare).length;
  const unit = new TextEncoder().encode(filler).length;
  const text = filler.repeat(Math.floor(rest / unit)) + 'x'.repeat(rest % unit);
  return message('PUT', { text });
}

interface Sized {
  readonly count?: number;
  readonly bytes?: number;
}
const sized = (event: unknown): Sized => event as Sized;

const kid = createMachine({ id: 'kid' });
const glutton = setup({
  types: { context: {} as { texts: string[] } },
  actors: { kid },
}).createMachine({
  id: 'glutton',
  context: { texts: [] },
  on: {
    PUT: {
      actions: assign({
        texts: ({ event }) => [(event as { text?: string }).text?.slice(0, 3) ?? ''],
      }),
    },
    GROW: {
      actions: assign({ texts: ({ event }) => ['x'.repeat(sized(event).bytes ?? 0)] }),
    },
    SEND: {
      actions: sendTo(
        ({ self }) => self,
        (args) => message('PUT', { text: 'x'.repeat(sized(args.event).bytes ?? 0) }),
      ),
    },
    LATER: {
      actions: raise(({ event }) => message('PUT', { text: 'x'.repeat(sized(event).bytes ?? 0) }), {
        delay: 1_000,
      }),
    },
    SPAWN: {
      actions: spawnChild('kid', {
        id: 'kid',
        input: ({ event }: { event: unknown }) => 'x'.repeat(sized(event).bytes ?? 0) as never,
      }),
    },
    EMIT: {
      actions: enqueueActions(({ event, enqueue }) => {
        for (let n = 0; n < (sized(event).count ?? 0); n++)
          enqueue.emit({ type: 'said', n } as never);
      }),
    },
    FLOOD: {
      actions: [
        assign({ texts: () => ['x'.repeat(4_000_000)] }),
        enqueueActions(({ event, enqueue }) => {
          for (let n = 0; n < (sized(event).count ?? 0); n++) {
            enqueue.raise(message('PUT', { text: 'x'.repeat(1_000_000) }), {
              delay: 1_000,
            });
          }
        }),
      ],
    },
  },
});
const machines = [durable(glutton)];

describe('an event from outside', () => {
  it.each(['x', 'é', '漢', '😀'])(
    '[K10] of 1 MiB of %s is taken, of one byte more refused',
    async (filler) => {
      const { troupe, rows } = await start({ machines });
      await troupe.spawn(durable(glutton), { id: '1' });
      await troupe.send('glutton/1', eventOf(EVENT_BYTES_MAX, filler));
      expect(await troupe.get('glutton/1')).toMatchObject({ status: 'active', revision: 2 });
      const error = await refusal(
        troupe.send('glutton/1', eventOf(EVENT_BYTES_MAX + 1, filler)),
        'event_too_large',
      );
      expect(error.message).toContain(`${EVENT_BYTES_MAX + 1} bytes`);
      expect(error.message).toContain('Put the data into a file');
      expect(rows('SELECT count(*) AS count FROM journal')).toEqual([{ count: 2 }]);
      expect(EVENT_BYTES_MAX).toBe(1024 * 1024);
    },
  );

  it('[K10] of 2 MiB disturbs nobody', async () => {
    const { troupe } = await start({ machines });
    await troupe.spawn(durable(glutton), { id: '1' });
    const [large, small] = await Promise.allSettled([
      troupe.send('glutton/1', eventOf(2 * EVENT_BYTES_MAX)),
      troupe.send('glutton/1', eventOf(100)),
    ]);
    expect([large.status, small.status]).toEqual(['rejected', 'fulfilled']);
    expect(await troupe.get('glutton/1')).toMatchObject({ status: 'active', revision: 2 });
  });

  it('[K10] an input of 2 MiB is refused before an actor is made', async () => {
    const { troupe } = await start({ machines });
    const input = { text: 'x'.repeat(2 * EVENT_BYTES_MAX) };
    await refusal(
      troupe.spawn(durable(glutton), { id: '1', input: input as never }),
      'invalid_input',
    );
    expect(await troupe.list()).toEqual([]);
  });
});

describe('a step', () => {
  const parking: [what: string, code: StepErrorCode, event: { readonly type: string }][] = [
    ['a snapshot over 4 MiB', 'snapshot_too_large', message('GROW', { bytes: SNAPSHOT_BYTES_MAX })],
    ['a message over 1 MiB', 'event_too_large', message('SEND', { bytes: EVENT_BYTES_MAX })],
    [
      'a delayed message over 1 MiB',
      'event_too_large',
      message('LATER', { bytes: EVENT_BYTES_MAX }),
    ],
    ['an input over 1 MiB', 'event_too_large', message('SPAWN', { bytes: EVENT_BYTES_MAX })],
    ['1,001 effects', 'too_many_effects', message('EMIT', { count: STEP_EFFECTS_MAX + 1 })],
    ['over 8 MiB together', 'writes_too_large', message('FLOOD', { count: 5 })],
  ];

  it.each(parking)('[K10] with %s is refused before it is written', async (_what, code, event) => {
    const { troupe, rows } = await start({ machines });
    await troupe.spawn(durable(glutton), { id: '1' });
    await troupe.send('glutton/1', event);
    const parked = await troupe.get('glutton/1');
    expect(parked).toMatchObject({
      status: 'stuck',
      revision: 1,
      timers: [],
      context: { texts: [] },
    });
    expect(parked.stuck?.code).toBe(code);
    expect(rows("SELECT count(*) AS kids FROM actors WHERE id <> 'glutton/1'")).toEqual([
      { kids: 0 },
    ]);
  });

  it.each([
    ['a snapshot of almost 4 MiB', message('GROW', { bytes: SNAPSHOT_BYTES_MAX - 100 })],
    ['a message of almost 1 MiB', message('SEND', { bytes: EVENT_BYTES_MAX - 200 })],
    ['1,000 effects', message('EMIT', { count: STEP_EFFECTS_MAX })],
    ['almost 8 MiB together', message('FLOOD', { count: 4 })],
  ])('[K10] with %s is taken', async (_what, event) => {
    const { troupe, clock } = await start({ machines });
    await troupe.spawn(durable(glutton), { id: '1' });
    await troupe.send('glutton/1', event);
    await clock.settle();
    expect((await troupe.get('glutton/1')).status).toBe('active');
    expect([SNAPSHOT_BYTES_MAX, STEP_EFFECTS_MAX, STEP_WRITES_BYTES_MAX]).toEqual([
      4 * 1024 * 1024,
      1_000,
      8 * 1024 * 1024,
    ]);
  });
});

it('[K10] what is ready beyond 16 MiB waits for the next group', async () => {
  const commits: number[] = [];
  let look = (): void => {};
  const test = await start({
    machines,
    boundary: (point) => {
      if (point === 'group.committed') look();
    },
  });
  const ids = Array.from({ length: 12 }, (_, n) => String(n));
  await Promise.all(ids.map((id) => test.troupe.spawn(durable(glutton), { id })));
  await test.clock.settle();
  look = () => {
    const [row] = test.rows<{ steps: number }>('SELECT count(*) - 12 AS steps FROM journal');
    commits.push(row?.steps ?? 0);
  };
  const event = message('GROW', { bytes: 4_000_000 });
  await Promise.all(ids.map((id) => test.troupe.send(`glutton/${id}`, event)));
  await test.clock.settle();
  const steps = commits.map((count, index) => count - (commits[index - 1] ?? 0));
  expect(commits.at(-1)).toBe(12);
  expect(Math.max(...steps)).toBeLessThanOrEqual(5);
});
