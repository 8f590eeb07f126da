import { expect, it } from 'vitest';
import { Children } from '../../scripts/lib/children.mjs';
import { until } from '../kit/index.ts';

const waiting = `
  process.on('SIGINT', () => { console.log('so far 7'); process.exit(130); });
  setInterval(() => {}, 1_000);
  console.log('begins');`;

it('[soak] lines are told apart by a name, and an interruption lets each say what it came to', async () => {
  const interruption = new AbortController();
  const lines: string[] = [];
  const children = new Children(interruption.signal, (line) => lines.push(line));
  const runs = ['memory', 'files'].map((name) => children.run(name, ['-e', waiting]));
  await until(() => lines.length === 2, { what: 'both begin' });
  interruption.abort();
  expect(await Promise.all(runs)).toEqual([false, false]);
  expect(lines.toSorted()).toEqual([
    'files: begins',
    'files: so far 7',
    'memory: begins',
    'memory: so far 7',
  ]);
  // Nothing is begun any more.
  expect(await children.run('late', ['-e', "console.log('late')"])).toBe(false);
  expect(lines).toHaveLength(4);
});

it('[soak] what ends well has succeeded, and its errors go aside', async () => {
  const aside: string[] = [];
  const children = new Children(
    new AbortController().signal,
    () => {},
    (line) => aside.push(line),
  );
  expect(await children.run('one', ['-e', "console.error('odd')"])).toBe(true);
  expect(aside).toEqual(['one: odd']);
});
