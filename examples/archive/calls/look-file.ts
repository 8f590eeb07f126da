// Look file: tells whether an original is still there, after a deletion of which nobody knows.

import { callFunction } from '../../../adapters/index.ts';
import type { lookFile } from '../calls.ts';
import { digestOfFile } from './digest.ts';
import { traced } from './traced.ts';

export default callFunction<typeof lookFile>((input, context) =>
  traced({ call: 'lookFile', file: input.file, input, context }, async () => {
    try {
      const { sha256 } = await digestOfFile(input.file, context.signal);
      return { found: sha256 === input.sha256 ? 'unchanged' : 'changed' };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { found: 'gone' };
      throw error;
    }
  }),
);
