// Delete file: unlinks an original, but only while it and its packed file both hold what was packed.
//
// All that fails before the unlink is a certain failure: nothing was deleted. From the unlink on, only its own error
// is certain.

import { unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CallFailure, callFunction } from '../../../adapters/index.ts';
import type { deleteFile } from '../calls.ts';
import { type Digest, digestOfFile, digestOfPacked } from './digest.ts';
import { syncFolder } from './sync-folder.ts';
import { traced } from './traced.ts';

/** Errors of unlink which say that the entry is still there. */
const CERTAIN = new Set(['EACCES', 'EPERM', 'EROFS', 'EBUSY', 'EISDIR', 'ENOENT']);

export default callFunction<typeof deleteFile>((input, context) =>
  traced({ call: 'deleteFile', file: input.file, input, context }, async () => {
    const { file, archive, sha256 } = input;
    await requireDigest(
      digestOfPacked(archive, context.signal),
      sha256,
      'archive_changed',
      archive,
    );
    await requireDigest(digestOfFile(file, context.signal), sha256, 'file_changed', file);
    await unlink(file).catch((error: NodeJS.ErrnoException) => {
      throw CERTAIN.has(error.code ?? '') ? refusal('not_deleted', error.message, error) : error;
    });
    await syncFolder(dirname(file));
    return { deleted: true as const };
  }),
);

async function requireDigest(
  reading: Promise<Digest>,
  sha256: string,
  code: string,
  file: string,
): Promise<void> {
  const found = await reading.catch((error: Error) => {
    throw refusal(code, `${file} cannot be read: ${error.message}`, error);
  });
  if (found.sha256 === sha256) return;
  throw refusal(code, `${file} is not what was packed; nothing was deleted.`);
}

function refusal(code: string, message: string, cause?: unknown): CallFailure {
  return new CallFailure(code, message, { outcome: 'failed', cause });
}
