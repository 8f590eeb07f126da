// The kit's own promises: time in the hands of the test, in one order.

import { existsSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createMachine } from 'xstate';
import {
  openTestTroupe,
  seededEntropy,
  temporaryStore,
  until,
  virtualClock,
} from '../kit/index.ts';
import { durable } from './harness.ts';

describe('the virtual clock', () => {
  it('[kit] runs timers by due time, then by the order in which they were armed', async () => {
    const clock = virtualClock(1_000);
    const seen: string[] = [];
    for (const [name, ms] of [
      ['c', 30],
      ['a', 10],
      ['b1', 20],
      ['b2', 20],
      ['never', 31],
    ] as const) {
      clock.after(ms, () => seen.push(`${name}@${clock.now()}`));
    }
    clock.after(15, () => seen.push('gone'))();
    await clock.advance(30);
    expect(seen).toEqual(['a@1010', 'b1@1020', 'b2@1020', 'c@1030']);
    expect(clock.now()).toBe(1_030);
    expect(clock.armed).toEqual([1]);
  });

  it('[kit] ends what a timer causes before the next one runs', async () => {
    const clock = virtualClock(0);
    const seen: string[] = [];
    clock.after(1, () => {
      clock.soon(() => void Promise.resolve().then(() => clock.soon(() => seen.push('caused'))));
      clock.after(0, () => seen.push('armed by the first'));
    });
    clock.after(1, () => seen.push('second'));
    await clock.advance(1);
    expect(seen).toEqual(['caused', 'second', 'armed by the first']);
  });

  it('[kit] a jump changes the wall clock and lets no time pass', async () => {
    const clock = virtualClock(0);
    let runs = 0;
    clock.after(1_000, () => runs++);
    clock.jump(5_000);
    await clock.settle();
    expect([clock.now(), runs]).toEqual([5_000, 0]);
    clock.jump(-7_000);
    await clock.advance(1_000);
    expect([clock.now(), runs]).toEqual([-1_000, 1]);
    await expect(clock.advance(-1)).rejects.toThrow('jump()');
  });

  it('[kit] a look that finds nothing is left out, and one that would find something is not', async () => {
    const clock = virtualClock(0);
    let looks = 0;
    let flag = false;
    const found: number[] = [];
    const look = (): void => {
      looks++;
      if (flag) found.push(clock.now());
      flag = false;
      clock.after(20, look);
    };
    look();
    clock.after(50_005, () => {
      flag = true;
    });
    await clock.advance(100_000);
    expect(found).toEqual([50_020]);
    expect(looks).toBeLessThan(20);
  });

  it('[kit] what is due a moment after work that armed nothing else is no look: it is not left out', async () => {
    const clock = virtualClock(0);
    const seen: number[] = [];
    clock.after(1, () => {
      clock.after(1, () => seen.push(clock.now()));
    });
    await clock.advance(10);
    expect(seen).toEqual([2]);
  });
});

it('[kit] entropy of one seed gives the same names, and of two seeds others', () => {
  const names = (seed: string): string[] => {
    const entropy = seededEntropy(seed);
    return [entropy.incarnation(), entropy.incarnation()];
  };
  expect(names('a')).toEqual(names('a'));
  expect(new Set([...names('a'), ...names('b')]).size).toBe(4);
  expect(() => seededEntropy('../a')).toThrow(RangeError);
});

it('[kit] until waits for an answer, and says what it waited for in vain', async () => {
  let asked = 0;
  expect(await until(() => (++asked > 3 ? 'yes' : undefined))).toBe('yes');
  await expect(until(() => false, { limitMs: 1, what: 'the impossible' })).rejects.toThrow(
    'the impossible',
  );
});

it('[kit] a temporary store leaves nothing behind', async () => {
  const store = temporaryStore();
  writeFileSync(`${store.folder}/other`, '');
  store.remove();
  expect(existsSync(store.folder)).toBe(false);
  const test = await openTestTroupe({ machines: [durable(createMachine({ id: 'm' }))] });
  expect(existsSync(test.file)).toBe(true);
  await test.close();
  expect(existsSync(test.file)).toBe(false);
});
