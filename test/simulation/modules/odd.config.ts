// A configuration whose simulation has a rate that is none.

import { parcel } from './parcel.ts';

export default { machines: [parcel], simulation: { faults: { crash: 2 } } };
