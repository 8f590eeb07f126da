import { CallFailure, callFunction } from '../../../adapters/index.ts';
import type { verifyFile } from '../calls.ts';
import { digestOfPacked } from './digest.ts';
import { traced } from './traced.ts';

export default callFunction<typeof verifyFile>((input, context) =>
  traced({ call: 'verifyFile', file: input.archive, input, context }, async () => {
    const { sha256, bytes } = await digestOfPacked(input.archive, context.signal);
    if (sha256 === input.sha256) return { bytes };
    throw new CallFailure('digest_mismatch', `${input.archive} does not hold what was packed.`, {
      outcome: 'failed',
    });
  }),
);
