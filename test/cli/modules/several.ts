// Several machines, and none that `troupe run` could take for the one that is meant.

export { part, ticket } from './ticket.ts';
