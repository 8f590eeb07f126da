// Noted: a no-op that notes each of its starts in a ledger, when it is given one.

import { appendFileSync } from 'node:fs';
import { callFunction } from '../../adapters/index.ts';
import type { dispatch } from '../operation.ts';

export default callFunction<typeof dispatch>(({ ledger }, { callId }) => {
  if (ledger !== undefined) appendFileSync(ledger, `${callId}\n`);
  return null;
});
