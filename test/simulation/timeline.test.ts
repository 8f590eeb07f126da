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
