// A call with types, and with an import that has types only.

import { CallFailure, callFunction } from '../../../adapters/index.ts';
import type { typedCall } from '../support/typed-call.ts';

export default callFunction<typeof typedCall>(({ word, times }, { attempt }) => {
  if (times < 0) {
    throw new CallFailure('too_few', `${times} is too few`, {
      outcome: 'failed',
      details: { times },
    });
  }
  return { text: word.repeat(times), attempt };
});
