// A configuration that knows the ticket, and leaves the store to the command line.

import ticket from './ticket.ts';

export default { machines: [ticket] };
