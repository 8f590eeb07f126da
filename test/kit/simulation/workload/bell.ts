// Bell: a child that rings a few times and ends, unless it is stopped.

import { assign, sendParent, setup } from 'xstate';
import { defineMachine } from '../../../../actors/index.ts';

export const bellMachine = setup({
  types: { input: {} as { readonly rings: number }, context: {} as { rings: number } },
  delays: { ring: 3_000 },
}).createMachine({
  id: 'bell',
  context: ({ input }) => ({ rings: input.rings }),
  initial: 'quiet',
  states: {
    quiet: {
      after: {
        ring: [
          { guard: ({ context }) => context.rings <= 1, target: 'worn' },
          {
            target: 'quiet',
            reenter: true,
            actions: [
              assign({ rings: ({ context }) => context.rings - 1 }),
              sendParent({ type: 'RANG' }),
            ],
          },
        ],
      },
      on: { HUSH: { target: 'worn' } },
    },
    worn: { type: 'final' },
  },
});

/** Registered itself, too, so that its journal can be replayed. */
export const bell = defineMachine({ machine: bellMachine, version: 1 });
