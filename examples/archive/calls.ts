// Calls: what the archive's machines do to the world, and what an interruption of each means.

import { defineCall } from '../../hosts/embedded/index.ts';
import {
  deleteFileInput,
  deleteFileOutput,
  hashFileInput,
  hashFileOutput,
  listFilesInput,
  listFilesOutput,
  lookFileInput,
  lookFileOutput,
  packFileInput,
  packFileOutput,
  verifyFileInput,
  verifyFileOutput,
} from './schemas.ts';

/** For calls that read or write a whole file. Milliseconds. */
const FILE_LIMIT_MS = 120_000;

/** Files wait for their turn as long as a large one before them takes. Milliseconds. */
const CLAIM_LIMIT_MS = 3_600_000;

export const listFiles = defineCall({
  name: 'listFiles',
  module: new URL('./calls/list-files.ts', import.meta.url),
  class: 'read',
  concurrency: 1,
  input: listFilesInput,
  output: listFilesOutput,
});

export const hashFile = defineCall({
  name: 'hashFile',
  module: new URL('./calls/hash-file.ts', import.meta.url),
  class: 'read',
  limitMs: FILE_LIMIT_MS,
  claimLimitMs: CLAIM_LIMIT_MS,
  input: hashFileInput,
  output: hashFileOutput,
});

/** Safe to repeat with the same key: it writes to a file named by the key, and renames it when it is whole. */
export const packFile = defineCall({
  name: 'packFile',
  module: new URL('./calls/pack-file.ts', import.meta.url),
  class: 'replayable',
  limitMs: FILE_LIMIT_MS,
  claimLimitMs: CLAIM_LIMIT_MS,
  input: packFileInput,
  output: packFileOutput,
});

export const verifyFile = defineCall({
  name: 'verifyFile',
  module: new URL('./calls/verify-file.ts', import.meta.url),
  class: 'read',
  limitMs: FILE_LIMIT_MS,
  claimLimitMs: CLAIM_LIMIT_MS,
  input: verifyFileInput,
  output: verifyFileOutput,
});

/** An effect: interrupted, only a look tells whether the file is gone. */
export const deleteFile = defineCall({
  name: 'deleteFile',
  module: new URL('./calls/delete-file.ts', import.meta.url),
  class: 'effect',
  limitMs: FILE_LIMIT_MS,
  concurrency: 1,
  input: deleteFileInput,
  output: deleteFileOutput,
});

export const lookFile = defineCall({
  name: 'lookFile',
  module: new URL('./calls/look-file.ts', import.meta.url),
  class: 'read',
  limitMs: FILE_LIMIT_MS,
  concurrency: 1,
  input: lookFileInput,
  output: lookFileOutput,
});
