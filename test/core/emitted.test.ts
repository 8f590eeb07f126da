// M5: emitted events reach live subscribers after the commit, at most once, and are in the journal for everybody else.

import { expect, it } from 'vitest';
import { emit, setup } from 'xstate';
import type { Change } from '../../actors/watch.ts';
import type { TestTroupe } from '../kit/index.ts';
import { durable, message, refusal, start } from './harness.ts';

const speaker = durable(
  setup({ types: { emitted: {} as { type: 'said'; n: unknown } } }).createMachine({
    id: 'speaker',
    initial: 'on',
    states: {
      on: {
        on: {
          SAY: { actions: emit(({ event }) => ({ type: 'said', n: (event as { n?: number }).n })) },
          END: 'off',
          THROW: {
            actions: [
              emit({ type: 'said', n: 'never' }),
              () => {},
              emit(() => {
                throw new Error('no');
              }),
            ],
          },
        },
      },
      off: { type: 'final', entry: emit({ type: 'said', n: 'last' }) },
    },
  }),
);
const say = (n: number) => message('SAY', { n });

/** Listens until the actor ends. @returns what was heard so far, and the end. */
function listen(
  { troupe, rows }: TestTroupe,
  after?: number,
): { heard: unknown[]; ended: Promise<void> } {
  const heard: unknown[] = [];
  const hear = async (): Promise<void> => {
    for await (const change of troupe.watch('speaker/1', after === undefined ? {} : { after })) {
      for (const event of change.emitted) heard.push(event['n']);
      // What a subscriber hears is on disk already.
      expect(rows('SELECT seq FROM journal WHERE seq = ?', change.seq)).toHaveLength(1);
    }
  };
  return { heard, ended: hear() };
}

async function speaking(): Promise<TestTroupe> {
  const test = await start({ machines: [speaker] });
  await test.troupe.spawn(speaker, { id: '1' });
  await test.clock.settle();
  return test;
}

it('[M5] every live subscriber hears each event once, in order', async () => {
  const test = await speaking();
  const all = [listen(test), listen(test)];
  await test.clock.settle();
  await Promise.all([1, 2, 3].map((n) => test.troupe.send('speaker/1', say(n))));
  await test.troupe.send('speaker/1', { type: 'END' });
  await Promise.all(all.map(({ ended }) => ended));
  expect(all.map(({ heard }) => heard)).toEqual([
    [1, 2, 3, 'last'],
    [1, 2, 3, 'last'],
  ]);
});

it('[M5] who comes later finds them in the journal, also in another process and after a restart', async () => {
  const test = await speaking();
  await test.troupe.send('speaker/1', say(1));
  await test.reopen();
  const late = listen(test);
  const all = listen(test, 0);
  await test.clock.settle();
  await test.troupe.send('speaker/1', say(2));
  const beside = await start({ store: test.file, clock: test.clock });
  const outside = listen(beside, 0);
  await test.troupe.send('speaker/1', { type: 'END' });
  await test.clock.advance(40);
  await Promise.all([late.ended, all.ended, outside.ended]);
  expect(late.heard).toEqual([2, 'last']);
  expect(all.heard).toEqual([1, 2, 'last']);
  expect(outside.heard).toEqual([1, 2, 'last']);
});

it('[M5] nothing is heard of a step that failed, or of a group that was lost', async () => {
  let isBroken = false;
  const test = await start({
    machines: [speaker],
    boundary: (point) => {
      if (!isBroken || point !== 'group.beforeCommit') return;
      throw Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR' });
    },
  });
  await test.troupe.spawn(speaker, { id: '1' });
  const { heard } = listen(test);
  await test.clock.settle();
  isBroken = true;
  await refusal(test.troupe.send('speaker/1', say(1)), 'storage_unavailable');
  isBroken = false;
  await test.clock.advance(1_000);
  await test.troupe.send('speaker/1', say(2));
  await test.troupe.send('speaker/1', { type: 'THROW' });
  await test.clock.settle();
  expect(heard).toEqual([2]);
});

it('[M5] a change tells revision, event, effects and state, and the watch ends with its actor', async () => {
  const test = await speaking();
  const changes: Change[] = [];
  const watching = (async () => {
    for await (const change of test.troupe.watch('speaker/1', { after: 0 })) changes.push(change);
  })();
  await test.troupe.send('speaker/1', say(7));
  await test.troupe.send('speaker/1', { type: 'END' });
  await watching;
  expect(changes).toMatchObject([
    { revision: 1, kind: 'step', state: 'on', emitted: [] },
    { revision: 2, event: { type: 'SAY', n: 7 }, emitted: [{ type: 'said', n: 7 }] },
    { revision: 3, event: { type: 'END' }, state: 'off', emitted: [{ type: 'said', n: 'last' }] },
  ]);
});

it('[M5] a watch ends at its signal, and when the Troupe closes', async () => {
  const test = await speaking();
  const controller = new AbortController();
  const watch = async (signal?: AbortSignal): Promise<string> => {
    for await (const _ of test.troupe.watch('speaker/1', signal ? { signal } : {})) continue;
    return 'ended';
  };
  const aborted = watch(controller.signal);
  const closed = watch();
  await test.clock.settle();
  controller.abort();
  expect(await aborted).toBe('ended');
  await test.leave();
  expect(await closed).toBe('ended');
});

it('[M5] nobody can watch who is not there', async () => {
  const { troupe } = await speaking();
  await refusal(troupe.watch('speaker/none').next(), 'actor_unknown');
});
