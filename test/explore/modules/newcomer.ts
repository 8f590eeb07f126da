// Newcomer: a door as somebody might write it on the first day. It has a state with no way on, and a timer that nobody cancels.

import { createMachine, raise } from 'xstate';

export default createMachine({
  id: 'door',
  initial: 'closed',
  states: {
    closed: { on: { OPEN: 'open' } },
    open: {
      entry: raise({ type: 'SHUT' }, { id: 'shut', delay: 5_000 }),
      on: { SHUT: 'closed', PUSH: 'closed', BREAK: 'broken' },
    },
    broken: {},
  },
});
