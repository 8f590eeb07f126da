import { expect, it } from 'vitest';
import { doing, effectMachine, keptIn, openThreads, witness } from './support/calls.ts';
it('[C2] probe', async () => {
  const test = await openThreads();
  const seen = witness();
  const { address } = await test.troupe.spawn(effectMachine, { id: 'a', input: doing([{ do: 'tell' }], seen.file) });
  const kept = await keptIn(test, address, 'done');
  console.log(kept, seen.lines());
  expect(1).toBe(2);
});
