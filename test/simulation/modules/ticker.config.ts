// A configuration with a machine that never rests.

import { createMachine } from 'xstate';
import { defineMachine } from '../../../hosts/embedded/index.ts';

const machine = createMachine({
  id: 'ticker',
  initial: 'on',
  states: { on: { after: { 4: { target: 'on', reenter: true } } } },
});

export default {
  machines: [defineMachine({ machine, version: 1 })],
  simulation: () => ({ world: { actorsMax: 1 } }),
};
