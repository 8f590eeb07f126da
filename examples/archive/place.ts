// Place: where an archive's files, its packed files and its store lie. It follows from one folder, so that this folder
// is all that has to be named to go on.

import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { makeSampleFolder } from './sample.ts';
import type { ArchiveInput } from './schemas.ts';

export interface Place {
  /** The folder of the store and of the packed files. */
  readonly base: string;
  readonly store: string;
  /** The actor is archive/<id>. */
  readonly id: string;
  readonly input: ArchiveInput;
  /** True for samples, which nobody misses. */
  readonly isSample: boolean;
}

const ORIGINALS = 'originals';
const SUFFIX = '-archive';

/** Samples are packed slowly enough to be watched, and killed. Milliseconds. */
const SAMPLE_PACE_MS = 120;

/** @throws {Error} with the way out when a folder is not there. */
export async function placeOf(named: {
  readonly folder: string | undefined;
  readonly resume: string | undefined;
}): Promise<Place> {
  if (named.resume !== undefined) return resumed(resolve(named.resume));
  if (named.folder !== undefined) return ownPlace(resolve(named.folder));
  const base = await realpath(await mkdtemp(join(tmpdir(), 'troupe-archive-')));
  await makeSampleFolder(join(base, ORIGINALS));
  return samplePlace(base);
}

function resumed(base: string): Promise<Place> | Place {
  if (existsSync(join(base, ORIGINALS))) return samplePlace(base);
  if (base.endsWith(SUFFIX)) return ownPlace(base.slice(0, -SUFFIX.length));
  throw new Error(`${base} holds no archive. Name the folder that an earlier run has printed.`);
}

function samplePlace(base: string): Place {
  const input = {
    folder: join(base, ORIGINALS),
    target: join(base, 'packed'),
    paceMs: SAMPLE_PACE_MS,
  };
  return { base, store: join(base, 'troupe.db'), id: 'sample', input, isSample: true };
}

async function ownPlace(folder: string): Promise<Place> {
  if (!existsSync(folder)) throw new Error(`There is no folder ${folder}.`);
  const base = `${folder}${SUFFIX}`;
  await mkdir(base, { recursive: true });
  const id = basename(folder).replace(/[^\p{L}\p{N}._-]+/gu, '_') || 'folder';
  const input = { folder, target: join(base, 'packed') };
  return { base, store: join(base, 'troupe.db'), id, input, isSample: false };
}
