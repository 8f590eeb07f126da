// A configuration with a machine whose own code throws.

import { assign, createMachine } from 'xstate';
import { defineMachine } from '../../../hosts/embedded/index.ts';

const machine = createMachine({
  id: 'breaking',
  initial: 'waiting',
  states: {
    waiting: {
      after: {
        50: {
          target: 'over',
          actions: assign(() => {
            throw new Error('it cannot be over');
          }),
        },
      },
    },
    over: { type: 'final' },
  },
});

export default { machines: [defineMachine({ machine, version: 1 })] };
