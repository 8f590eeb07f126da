// Pack file: writes `<archive>.<key>.partial`, syncs it, renames it, syncs the folder.
//
// The name holds the call's idempotency key: an attempt that follows a crash replaces what the one before it left.
// Whoever finds a file under its final name finds it whole.

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { CallFailure, callFunction } from '../../../adapters/index.ts';
import type { packFile } from '../calls.ts';
import { syncFolder } from './sync-folder.ts';
import { traced } from './traced.ts';

const KEY_CHARACTERS = 16;

export default callFunction<typeof packFile>((input, context) =>
  traced({ call: 'packFile', file: input.file, input, context }, async () => {
    const { archive } = input;
    const partial = partialOf(archive, context.idempotencyKey);
    await makeFolder(dirname(archive));
    try {
      const packedBytes = await pack(input, partial, context.signal);
      await rename(partial, archive);
      await syncFolder(dirname(archive));
      return { packedBytes };
    } finally {
      await rm(partial, { force: true });
    }
  }),
);

/** A key holds characters that a file's name may not: its digest stands for it. */
function partialOf(archive: string, key: string): string {
  const digest = createHash('sha256').update(key).digest('hex').slice(0, KEY_CHARACTERS);
  return `${archive}.${digest}.partial`;
}

/** Each folder that is new must be on disk in the one above it. */
async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true });
  if (first === undefined) return;
  for (let made = folder; made.length >= first.length; made = dirname(made)) {
    await syncFolder(dirname(made));
  }
}

interface Packing {
  readonly file: string;
  readonly archive: string;
  readonly sha256: string;
}

/** @returns the size of the packed file, which is whole and on disk. */
async function pack(packing: Packing, partial: string, signal: AbortSignal): Promise<number> {
  const { mode, atime, mtime } = await stat(packing.file);
  const handle = await open(partial, 'w', 0o600);
  try {
    await compress(packing, handle, signal);
    await handle.chmod(mode & 0o777);
    await handle.utimes(atime, mtime);
    await handle.sync();
    return (await handle.stat()).size;
  } finally {
    await handle.close();
  }
}

async function compress(packing: Packing, to: FileHandle, signal: AbortSignal): Promise<void> {
  const hash = createHash('sha256');
  const tap = new PassThrough().on('data', (chunk: Buffer) => hash.update(chunk));
  const write = async (packed: AsyncIterable<Buffer>): Promise<void> => {
    for await (const chunk of packed) await to.writeFile(chunk);
  };
  await pipeline(createReadStream(packing.file), tap, createGzip(), write, { signal });
  if (hash.digest('hex') === packing.sha256) return;
  throw new CallFailure('file_changed', `${packing.file} changed while it was packed.`, {
    outcome: 'failed',
  });
}
