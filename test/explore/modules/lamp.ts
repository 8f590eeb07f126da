// Lamp: a machine in which nothing is wrong, that asks for an input and for payloads.

import { setup } from 'xstate';
import { z } from 'zod';
import { defineMachine } from '../../../hosts/embedded/index.ts';

const input = z.object({ watts: z.number() });
const events = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ON'), by: z.string() }),
  z.object({ type: z.literal('OFF') }),
]);

export const machine = setup({
  types: {
    input: {} as z.output<typeof input>,
    events: {} as z.output<typeof events>,
    context: {} as z.output<typeof input>,
  },
}).createMachine({
  id: 'lamp',
  context: ({ input: { watts } }) => ({ watts }),
  initial: 'off',
  states: {
    off: { on: { ON: 'on' } },
    on: { on: { OFF: 'off' }, after: { 60_000: 'off' } },
  },
});

export default defineMachine({ machine, version: 1, schemas: { input, events } });
