// A configuration whose world sends what is no event.

import { parcel } from './parcel.ts';

export default {
  machines: [parcel],
  simulation: () => ({ world: { events: { parcel: ['SEND'] } } }),
};
