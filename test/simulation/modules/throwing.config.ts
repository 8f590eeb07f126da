// A configuration whose world throws when it is to say what to spawn.

import { parcel } from './parcel.ts';

export default {
  machines: [parcel],
  simulation: () => ({
    world: {
      spawn: () => {
        throw new Error('nothing to spawn');
      },
    },
  }),
};
