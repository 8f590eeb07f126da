import { expect, it } from 'vitest';
import { Timeline } from '../kit/simulation/timeline.ts';

const owner = { isDead: false };

it('[simulate] what is due a moment after work that armed nothing else is no idle poll: it happens', async () => {
  const timeline = new Timeline();
  const clock = timeline.clockOf(owner);
  const happened: string[] = [];
  clock.soon(() => {
    happened.push('work');
    clock.after(1, () => happened.push('due'));
  });
  while (await timeline.next(10));
  expect(happened).toEqual(['work', 'due']);
});

it('[simulate] a poll that finds nothing sleeps until something else has happened', async () => {
  const timeline = new Timeline();
  const clock = timeline.clockOf(owner);
  let polls = 0;
  const poll = (): void => {
    clock.after(20, () => {
      polls++;
      poll();
    });
  };
  poll();
  while (await timeline.next(1_000));
  expect(polls).toBe(1);
  timeline.after(5, () => {});
  while (await timeline.next(1_000));
  expect(polls).toBe(2);
});

it('[simulate] what a suspended process was to do happens when it goes on, in its order, and not when it has died', async () => {
  const timeline = new Timeline();
  const suspended = { isDead: false, suspendedUntilMs: 100 };
  const happened: [string, number][] = [];
  const note = (what: string) => () => happened.push([what, timeline.passedMs]);
  timeline.after(10, note('first'), suspended);
  timeline.after(20, note('second'), suspended);
  timeline.after(30, note('of another'), owner);
  while (await timeline.next(1_000));
  expect(happened).toEqual([
    ['of another', 30],
    ['first', 100],
    ['second', 100],
  ]);
  const dying = { isDead: false, suspendedUntilMs: timeline.passedMs + 100 };
  timeline.after(10, note('never'), dying);
  timeline.after(50, () => {
    dying.isDead = true;
  });
  while (await timeline.next(1_000));
  expect(happened).toHaveLength(3);
});
