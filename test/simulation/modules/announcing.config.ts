// A configuration that says when each run begins, and whose runs end early, each after another number of rows.

import { createMachine } from 'xstate';
import { defineMachine } from '../../../hosts/embedded/index.ts';

const machine = createMachine({
  id: 'bell',
  initial: 'still',
  states: { still: { on: { RING: 'rung' } }, rung: { type: 'final' } },
});

let runs = 0;

export default {
  machines: [defineMachine({ machine, version: 1 })],
  simulation: () => {
    process.stderr.write(`run ${++runs} begins\n`);
    return { world: { actorsMax: runs }, steps: 50 };
  },
};
