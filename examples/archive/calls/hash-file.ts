import { callFunction } from '../../../adapters/index.ts';
import type { hashFile } from '../calls.ts';
import { digestOfFile } from './digest.ts';
import { traced } from './traced.ts';

export default callFunction<typeof hashFile>((input, context) =>
  traced({ call: 'hashFile', file: input.file, input, context }, () =>
    digestOfFile(input.file, context.signal),
  ),
);
