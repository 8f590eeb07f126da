// A machine with a mistake: nothing leads out of `lost`.

import { createMachine } from 'xstate';
import { defineMachine } from '../../../hosts/embedded/index.ts';

const machine = createMachine({
  id: 'parcel',
  initial: 'packed',
  states: {
    packed: { after: { 5_000: 'lost' }, on: { SEND: 'delivered' } },
    lost: {},
    delivered: { type: 'final' },
  },
});

export const parcel = defineMachine({ machine, version: 1 });
