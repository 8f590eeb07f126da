// Slow: a machine that waits for a promise that takes its time and heeds no signal.

import { fromPromise, setup } from 'xstate';
import { defineMachine } from '../../../hosts/embedded/index.ts';

const SLOW_MS = 60_000;

const machine = setup({
  actors: {
    work: fromPromise(() => new Promise<void>((resolve) => setTimeout(resolve, SLOW_MS))),
  },
}).createMachine({
  id: 'slow',
  initial: 'working',
  states: {
    working: { tags: 'call', invoke: { id: 'work', src: 'work', onDone: 'done' } },
    done: { type: 'final' },
  },
});

export default defineMachine({
  machine,
  version: 1,
  promises: { work: { limitMs: 120_000 } },
});
