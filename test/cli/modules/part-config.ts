// A configuration that knows only the subtask, so that a ticket has no host here.

import { part } from './ticket.ts';

export default { machines: [part] };
