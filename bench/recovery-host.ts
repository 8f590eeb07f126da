// Recovery host: keeps 500 operations in flight until it is killed. It says when so many have ended.

import { operateAll, startOperating } from './operating.ts';

const IN_FLIGHT = 500;

const [store = '', ledger = ''] = process.argv.slice(2);
const operating = await startOperating(store, ledger);
const load = operateAll(operating, Number.POSITIVE_INFINITY, IN_FLIGHT);
await operateAll(operating, 1, 1);
process.send?.('under load');
await load;
