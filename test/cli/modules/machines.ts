// A configuration that knows all machines of the ticket.

import ticket, { part } from './ticket.ts';

export default { machines: [ticket, part] };
