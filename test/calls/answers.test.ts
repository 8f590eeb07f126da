// Answers: what comes back from a call, and what goes in, is checked at the border.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { z } from 'zod';
import type { CallClass } from '../../actors/index.ts';
import { EVENT_BYTES_MAX } from '../../actors/limits.ts';
import { openTroupe } from '../../hosts/embedded/index.ts';
import { type TestTroupe, temporaryStore } from '../kit/index.ts';
import type { Act } from './modules/behave.ts';
import {
  behaving,
  callerOf,
  calls,
  doing,
  effectMachine,
  type Kept,
  keptIn,
  machines,
  openForTest,
  openThreads,
  readMachine,
  replayableMachine,
  witness,
} from './support/calls.ts';
import { typedCall } from './support/typed-call.ts';

const typedMachine = callerOf('typist', 'typed');

/** Lets one call of a class do this, and gives what its actor learns. */
async function fail(test: TestTroupe, callClass: CallClass, acts: readonly Act[]): Promise<Kept> {
  const machine = { read: readMachine, effect: effectMachine, replayable: replayableMachine }[
    callClass
  ];
  const { address } = await test.troupe.spawn(machine, { input: doing(acts) });
  return keptIn(test, address, 'failed');
}

it('[C6] an answer that is not JSON is malformed: of a read failed, of an effect unknown', async () => {
  const test = await openThreads();
  const oddities = [
    'function',
    'nestedFunction',
    'symbol',
    'bigint',
    'nestedBigint',
    'circle',
    'map',
    'date',
    'notANumber',
    'holes',
    'error',
    'throwingGetter',
  ];
  for (const value of oddities) {
    const kept = await fail(test, 'effect', [{ do: 'odd', value }]);
    expect({ value, error: kept.error }).toMatchObject({
      value,
      error: { code: 'answer_malformed', outcome: 'unknown' },
    });
  }
  expect(await fail(test, 'read', [{ do: 'odd', value: 'bigint' }])).toMatchObject({
    error: { code: 'answer_malformed', outcome: 'failed' },
  });
  expect(await fail(test, 'replayable', [{ do: 'odd', value: 'circle' }])).toMatchObject({
    error: { code: 'answer_malformed', outcome: 'unknown' },
  });
});

it('[C6, C5] a repeated attempt that says nothing happened cannot speak for the one before: it is unknown', async () => {
  const test = await openForTest({ machines, calls });
  const { address } = await test.troupe.spawn(replayableMachine, { input: doing([]) });
  await test.clock.settle();
  const failed = { code: 'refused', message: 'nothing happened', outcome: 'failed' } as const;
  test.pool.newest('repeat').cut('thread_ended');
  await test.clock.settle();
  expect(test.pool.newest('repeat').attempt).toBe(2);
  test.pool.newest('repeat').throw(failed);
  expect(await keptIn(test, address, 'failed')).toMatchObject({
    error: { code: 'refused', outcome: 'unknown' },
  });
});

it('[C6] an answer of more than 1 MiB is malformed, and one below it is taken', async () => {
  const test = await openThreads();
  expect(await fail(test, 'effect', [{ do: 'odd', value: 'large' }])).toMatchObject({
    error: {
      code: 'answer_malformed',
      outcome: 'unknown',
      message: expect.stringContaining(String(EVENT_BYTES_MAX)),
    },
  });
  const { address } = await test.troupe.spawn(effectMachine, {
    input: doing([{ do: 'odd', value: 'fits' }]),
  });
  expect((await keptIn(test, address, 'done')).output).toHaveLength(1_000_000);
});

it('[C6] an answer of undefined is an answer', async () => {
  const test = await openThreads();
  const { address } = await test.troupe.spawn(effectMachine, {
    input: doing([{ do: 'odd', value: 'undefined' }]),
  });
  expect(await keptIn(test, address, 'done')).toMatchObject({ output: null, error: null });
});

it('[C6] an answer of the wrong shape is malformed and says where; unknown fields are left out', async () => {
  const output = z.object({ name: z.string(), sizes: z.array(z.number()) });
  const shaped = behaving('act', 'effect', { output });
  const test = await openThreads({
    calls: [...calls.filter(({ name }) => name !== 'act'), shaped],
  });
  const wrong = { name: 'a', sizes: [1, 'two'] };
  const kept = await fail(test, 'effect', [{ do: 'answer', value: wrong }]);
  expect(kept).toMatchObject({
    error: {
      code: 'answer_malformed',
      outcome: 'unknown',
      message: expect.stringContaining('sizes.1'),
    },
  });
  expect(await fail(test, 'effect', [{ do: 'odd', value: 'undefined' }])).toMatchObject({
    error: { code: 'answer_malformed' },
  });
  const { address } = await test.troupe.spawn(effectMachine, {
    input: doing([{ do: 'answer', value: { name: 'a', sizes: [], secret: 1 } }]),
  });
  expect(await keptIn(test, address, 'done')).toMatchObject({ output: { name: 'a', sizes: [] } });
});

it.each([
  [
    'throws',
    z.unknown().transform(() => {
      throw new Error('no');
    }),
  ],
  ['waits', z.unknown().refine(async () => true)],
  ['gives a Date', z.unknown().transform(() => ({ at: new Date(0) }))],
])('[C6] an answer whose schema %s is malformed, and its actor goes on', async (_what, output) => {
  const odd = behaving('act', 'effect', { output });
  const test = await openThreads({ calls: [...calls.filter(({ name }) => name !== 'act'), odd] });
  expect(await fail(test, 'effect', [{ do: 'answer', value: 1 }])).toMatchObject({
    error: { code: 'answer_malformed', outcome: 'unknown' },
  });
});

it.each([
  [
    'throws',
    z.unknown().transform(() => {
      throw new Error('no');
    }),
  ],
  ['waits', z.unknown().refine(async () => true)],
])('[C6] an input whose schema %s never reaches a thread', async (_what, input) => {
  const odd = behaving('act', 'effect', { input });
  const test = await openThreads({ calls: [...calls.filter(({ name }) => name !== 'act'), odd] });
  expect(await fail(test, 'effect', [{ do: 'answer', value: 1 }])).toMatchObject({
    error: { code: 'input_invalid', outcome: 'failed' },
  });
});

it('[C6] what a call throws is stored as code, message and details, without a stack', async () => {
  const test = await openThreads();
  const details = { path: '/a', tries: 3 };
  const thrown: Act = { do: 'throw', code: 'no_room', message: 'the disk is full', details };
  const kept = await fail(test, 'effect', [thrown]);
  const error = { code: 'no_room', message: 'the disk is full', outcome: 'unknown', details };
  expect(kept.error).toEqual(error);
  const [row] = test.rows<{ result: string; status: string }>('SELECT result, status FROM calls');
  expect(row?.status).toBe('unknown');
  expect(JSON.parse(row?.result ?? '')).toEqual(error);
  const journal = test.rows<{ text: string }>('SELECT event || effects AS text FROM journal');
  expect(JSON.stringify([row, journal])).not.toContain('behave.ts');
});

it('[C6] an error of 2 MiB is stored shortened, so that the actor can take it', async () => {
  const test = await openThreads();
  const kept = await fail(test, 'effect', [{ do: 'throwLong', characters: 2 * EVENT_BYTES_MAX }]);
  expect(kept).toMatchObject({ error: { code: 'threw', outcome: 'unknown' } });
  const [longest] = test.rows<{ bytes: number }>('SELECT max(length(event)) AS bytes FROM journal');
  expect(longest?.bytes).toBeLessThanOrEqual(EVENT_BYTES_MAX);
});

it('[C6] an input that does not fit its schema never reaches a thread: failed, with the path', async () => {
  const seen = witness();
  const input = z.object({ acts: z.array(z.unknown()).min(1), witness: z.string() });
  const strict = behaving('act', 'effect', { input });
  const test = await openThreads({
    calls: [...calls.filter(({ name }) => name !== 'act'), strict],
  });
  const { address } = await test.troupe.spawn(effectMachine, {
    id: 'a',
    input: { acts: [], witness: seen.file },
  });
  const { error } = await keptIn(test, address, 'failed');
  expect(error).toMatchObject({
    code: 'input_invalid',
    outcome: 'failed',
    message: expect.stringContaining('acts'),
  });
  expect(seen.lines()).toEqual([]);
  expect(test.rows('SELECT status FROM calls')).toEqual([{ status: 'failed' }]);
});

it('[C2] a TypeScript call module gets its typed input, and CallFailure says that nothing happened', async () => {
  const test = await openThreads({ machines: [typedMachine], calls: [typedCall] });
  const spawn = (times: number) =>
    test.troupe.spawn(typedMachine, { input: { word: 'ab', times } });
  const fine = await spawn(2);
  expect(await keptIn(test, fine.address, 'done')).toMatchObject({
    output: { text: 'abab', attempt: 1 },
  });
  const bad = await spawn(-1);
  expect((await keptIn(test, bad.address, 'failed')).error).toEqual({
    code: 'too_few',
    message: '-1 is too few',
    outcome: 'failed',
    details: { times: -1 },
  });
});

it.each(['no-default.ts', 'throws-at-load.ts'])(
  '[C6] a module that is no call (%s) has done nothing: failed, naming the module',
  async (name) => {
    const broken = behaving('act', 'effect', {
      module: new URL(`./modules/${name}`, import.meta.url),
    });
    const test = await openThreads({
      calls: [...calls.filter((call) => call.name !== 'act'), broken],
    });
    expect(await fail(test, 'effect', [])).toMatchObject({
      error: {
        code: 'call_module_invalid',
        outcome: 'failed',
        message: expect.stringContaining(name),
      },
    });
  },
);

it('[C6] a missing module is found when the host opens, before anything is stepped', async () => {
  const place = temporaryStore();
  const { folder, file } = place;
  const module = pathToFileURL(join(folder, 'missing.ts'));
  const missing = behaving('act', 'effect', { module });
  const host = {
    store: file,
    machines,
    calls: [...calls.filter((c) => c.name !== 'act'), missing],
  };
  const refused = { code: 'call_module_missing', message: expect.stringContaining('missing.ts') };
  await expect(openTroupe(host)).rejects.toMatchObject(refused);
  writeFileSync(join(folder, 'missing.js'), 'export default () => "compiled";\n');
  const troupe = await openTroupe(host);
  await troupe.close();
  place.remove();
});

it('[C6] what a promise of the machine’s own answers is checked alike', async () => {
  const test = await openForTest({ machines, calls });
  const { address } = await test.troupe.spawn(effectMachine, { id: 'a' });
  await test.clock.settle();
  test.pool.newest('act').answer({ at: new Map() });
  expect(await keptIn(test, address, 'failed')).toMatchObject({
    error: { code: 'answer_malformed', outcome: 'unknown' },
  });
});
