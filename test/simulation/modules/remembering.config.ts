// A configuration with one world for all seeds, whose functions may remember.

import { parcel } from './parcel.ts';

export default {
  machines: [parcel],
  simulation: { world: { spawn: () => ({ machine: parcel }) } },
};
