// Schemas: what goes into and comes out of the archive's machines and calls. Plain zod; nothing of Troupe.

import { z } from 'zod';

const count = z.number().int().min(0);
const delayMs = z.number().min(0).max(31_556_952_000);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** Watches the calls from outside. */
export const trace = z.object({
  /** A file to which each call appends one line before and one after its effect. Absolute path; default none. */
  ledger: z.string().min(1).optional(),
  /** How long each call pauses on either side of its effect, to be seen or to be killed. Milliseconds, 0–20_000; default 0. */
  paceMs: z.number().min(0).max(20_000).optional(),
});

/** How often and how soon a failed file is tried again. */
const retry = z.object({
  /** Attempts per file, and per listing, before it is given up. From 1; default 5. */
  attemptsMax: z.number().int().min(1).max(1_000),
  /** Wait after the first failure; doubled after each further one. Milliseconds; default 500. */
  retryMs: delayMs,
  /** Longest wait between two attempts. Milliseconds; default 30_000. */
  retryMsMax: delayMs,
});

export const archiveInput = z
  .object({
    /** The folder whose files are packed. Absolute path. */
    folder: z.string().min(1),
    /** Where the packed files go. Absolute path; made when it is not there. */
    target: z.string().min(1),
    /** How long the originals wait for an approval. Milliseconds; default 86_400_000 (24 h). */
    approvalLimitMs: delayMs.optional(),
    /** Files that are worked on at once. 1–256; default 16. */
    filesAtOnceMax: z.number().int().min(1).max(256).optional(),
  })
  .extend(retry.partial().shape)
  .extend(trace.shape);

/** What is known of one file. */
export const fileRecord = z.object({
  /** Relative to the folder. */
  path: z.string(),
  bytes: count,
  status: z.enum(['waiting', 'working', 'packed', 'failed']),
  /** What became of the original. `unknown`: its deletion was ordered, and nobody could look afterwards. */
  original: z.enum(['there', 'deleted', 'kept', 'unknown']),
  sha256: sha256.optional(),
  packedBytes: count.optional(),
  reason: z.string().optional(),
});

export const decision = z.enum(['none', 'delete', 'keep', 'expired']);

export const archiveContext = z.object({
  folder: z.string(),
  target: z.string(),
  approvalLimitMs: z.number(),
  filesAtOnceMax: z.number(),
  retry,
  trace,
  files: z.array(fileRecord),
  total: count,
  started: count,
  done: count,
  failed: count,
  decision,
  /** The file whose original is being deleted. */
  deleting: count,
  /** Failures of the same listing or look in a row. */
  failures: count,
  reason: z.string().optional(),
});

/** What may be sent to an archive. */
export const archiveEvent = z.discriminatedUnion('type', [
  /** Delete the originals. */
  z.object({ type: z.literal('APPROVE') }),
  /** Leave the originals. */
  z.object({ type: z.literal('KEEP') }),
]);

export const archiveReport = z.object({
  decision,
  /** Why nothing was archived, when the folder could not be listed. */
  reason: z.string().optional(),
  total: count,
  packed: count,
  failed: count,
  deleted: count,
  /** Size of the packed files before and after. */
  bytes: count,
  packedBytes: count,
  files: z.array(fileRecord),
});

export const fileInput = z
  .object({
    /** Relative to the folder. */
    path: z.string(),
    /** Absolute path of the original. */
    file: z.string(),
    /** Absolute path of the packed file. */
    archive: z.string(),
    trace,
  })
  .extend(retry.shape);

export const fileContext = fileInput.extend({
  failures: count,
  sha256: z.string(),
  bytes: count,
  packedBytes: count,
  reason: z.string().optional(),
});

export const fileReport = z.discriminatedUnion('status', [
  z.object({
    status: z.literal('packed'),
    sha256,
    bytes: count,
    packedBytes: count,
  }),
  z.object({ status: z.literal('failed'), reason: z.string() }),
]);

export const listFilesInput = trace.extend({ folder: z.string(), target: z.string() });
export const listFilesOutput = z.object({
  files: z.array(z.object({ path: z.string(), bytes: count })),
});
export const hashFileInput = trace.extend({ file: z.string() });
export const hashFileOutput = z.object({ sha256, bytes: count });
export const packFileInput = trace.extend({ file: z.string(), archive: z.string(), sha256 });
export const packFileOutput = z.object({ packedBytes: count });
export const verifyFileInput = trace.extend({ archive: z.string(), sha256 });
export const verifyFileOutput = z.object({ bytes: count });
export const deleteFileInput = trace.extend({ file: z.string(), archive: z.string(), sha256 });
export const deleteFileOutput = z.object({ deleted: z.literal(true) });
export const lookFileInput = trace.extend({ file: z.string(), sha256 });
export const lookFileOutput = z.object({ found: z.enum(['gone', 'unchanged', 'changed']) });

export type Trace = z.output<typeof trace>;
export type ArchiveInput = z.output<typeof archiveInput>;
export type ArchiveContext = z.output<typeof archiveContext>;
export type ArchiveReport = z.output<typeof archiveReport>;
export type FileRecord = z.output<typeof fileRecord>;
export type FileInput = z.output<typeof fileInput>;
export type FileContext = z.output<typeof fileContext>;
export type FileReport = z.output<typeof fileReport>;
