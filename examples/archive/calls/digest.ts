// Digest: the SHA-256 of a file as it is, and of what a packed file holds.

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';

export interface Digest {
  readonly sha256: string;
  readonly bytes: number;
}

export async function digestOfFile(file: string, signal: AbortSignal): Promise<Digest> {
  const count = new Counter();
  await pipeline(createReadStream(file), (source) => count.take(source), { signal });
  return count.digest();
}

/** @throws what zlib throws when the file is not whole. */
export async function digestOfPacked(file: string, signal: AbortSignal): Promise<Digest> {
  const count = new Counter();
  await pipeline(createReadStream(file), createGunzip(), (source) => count.take(source), {
    signal,
  });
  return count.digest();
}

class Counter {
  private readonly hash = createHash('sha256');
  private bytes = 0;

  async take(source: AsyncIterable<Buffer>): Promise<void> {
    for await (const chunk of source) {
      this.hash.update(chunk);
      this.bytes += chunk.length;
    }
  }

  digest(): Digest {
    return { sha256: this.hash.digest('hex'), bytes: this.bytes };
  }
}
