// The ticket with another chart under the same version, and the part in a newer one without a migration.

import { createMachine } from 'xstate';
import { defineMachine } from '../../../hosts/embedded/index.ts';

const changed = createMachine({
  id: 'ticket',
  initial: 'open',
  states: {
    open: { on: { CLOSE: 'closed' } },
    divided: {},
    failing: {},
    closed: { type: 'final' },
  },
});
const subtask = createMachine({ id: 'subtask', initial: 'open', states: { open: {} } });

export const part = defineMachine({ machine: subtask, version: 2 });
export default defineMachine({ machine: changed, version: 1 });
