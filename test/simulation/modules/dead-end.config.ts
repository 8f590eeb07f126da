// A configuration that says what a simulation may send.

import { parcel } from './parcel.ts';

export default {
  machines: [parcel],
  simulation: () => ({ world: { actorsMax: 3, events: { parcel: [{ type: 'NOISE' }] } } }),
};
