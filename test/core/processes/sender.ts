// Sender: a process of its own that sends numbered messages beside a host, one after the other.

import { openTroupe } from '../../../hosts/embedded/index.ts';

const [store = '', name = '', count = '0'] = process.argv.slice(2);
const troupe = await openTroupe({ store });
for (let n = 0; n < Number(count); n++) {
  await troupe.send('ear/1', { type: 'SAY', name, n } as { type: string });
}
await troupe.close();
