// Archive context: what an archive knows of its files, and how that changes. Pure.

import type {
  ArchiveContext,
  ArchiveInput,
  ArchiveReport,
  FileInput,
  FileRecord,
  FileReport,
} from './schemas.ts';

const APPROVAL_LIMIT_MS = 86_400_000;
const FILES_AT_ONCE_MAX = 16;
const ATTEMPTS_MAX = 5;
const RETRY_MS = 500;
const RETRY_MS_MAX = 30_000;
const CHILD_NAME_CHARACTERS_MAX = 40;

export function contextOf(input: ArchiveInput): ArchiveContext {
  const { folder, target, ledger, paceMs } = input;
  return {
    folder,
    target,
    approvalLimitMs: input.approvalLimitMs ?? APPROVAL_LIMIT_MS,
    filesAtOnceMax: input.filesAtOnceMax ?? FILES_AT_ONCE_MAX,
    retry: {
      attemptsMax: input.attemptsMax ?? ATTEMPTS_MAX,
      retryMs: input.retryMs ?? RETRY_MS,
      retryMsMax: input.retryMsMax ?? RETRY_MS_MAX,
    },
    trace: {
      ...(ledger === undefined ? {} : { ledger }),
      ...(paceMs === undefined ? {} : { paceMs }),
    },
    files: [],
    total: 0,
    started: 0,
    done: 0,
    failed: 0,
    decision: 'none',
    deleting: 0,
    failures: 0,
  };
}

/** What has been found in the folder; nothing of it has been touched. */
export function listed(
  files: readonly { readonly path: string; readonly bytes: number }[],
): Pick<ArchiveContext, 'files' | 'total' | 'failures'> {
  const records = files.map(
    (file): FileRecord => ({ ...file, status: 'waiting', original: 'there' }),
  );
  return { files: records, total: files.length, failures: 0 };
}

/** The files that may be started now, so that no more than `filesAtOnceMax` are worked on. */
export function startable({ files, started, done, failed, filesAtOnceMax }: ArchiveContext): {
  readonly from: number;
  readonly to: number;
} {
  const free = filesAtOnceMax - (started - done - failed);
  return { from: started, to: Math.min(started + Math.max(free, 0), files.length) };
}

export function withStarted(context: ArchiveContext, to: number): Partial<ArchiveContext> {
  const files = context.files.map(
    (file, index): FileRecord =>
      index >= context.started && index < to ? { ...file, status: 'working' } : file,
  );
  return { files, started: to };
}

/** The id of a file's child: its number, which finds the record again, and its name, for people. */
export function childIdOf(index: number, path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/[^\p{L}\p{N}_-]+/gu, '_');
  return `${index}-${Array.from(name).slice(0, CHILD_NAME_CHARACTERS_MAX).join('')}`;
}

export function fileInputOf(context: ArchiveContext, index: number): FileInput {
  const { folder, target, retry, trace } = context;
  const { path } = fileAt(context, index);
  return { ...retry, path, file: `${folder}/${path}`, archive: `${target}/${path}.gz`, trace };
}

/** A file's child has ended. */
export function withSettled(
  context: ArchiveContext,
  childId: string | undefined,
  report: FileReport,
): Partial<ArchiveContext> {
  const packed = report.status === 'packed';
  return {
    ...withFile(context, Number.parseInt(childId ?? '', 10), report),
    done: context.done + (packed ? 1 : 0),
    failed: context.failed + (packed ? 0 : 1),
  };
}

export function withFile(
  context: ArchiveContext,
  index: number,
  change: Partial<FileRecord>,
): Partial<ArchiveContext> {
  return {
    files: context.files.map((file, at) => (at === index ? { ...file, ...change } : file)),
  };
}

/** The next file that is packed and whose original was not decided about; -1 when there is none. */
export function nextDeletable({ files }: ArchiveContext): number {
  return files.findIndex(({ status, original }) => status === 'packed' && original === 'there');
}

/** What is deleted, and the packed file that must still stand for it. */
export function deletionOf(context: ArchiveContext): {
  readonly file: string;
  readonly archive: string;
  readonly sha256: string;
} {
  const { file, archive } = fileInputOf(context, context.deleting);
  return { file, archive, sha256: fileAt(context, context.deleting).sha256 ?? '' };
}

export function reportOf(context: ArchiveContext): ArchiveReport {
  const { decision, reason, total, done, failed, files, failures } = context;
  const packed = files.filter(({ status }) => status === 'packed');
  return {
    decision,
    ...(total === 0 && failures > 0 ? { reason } : {}),
    total,
    packed: done,
    failed,
    deleted: files.filter(({ original }) => original === 'deleted').length,
    bytes: packed.reduce((sum, { bytes }) => sum + bytes, 0),
    packedBytes: packed.reduce((sum, { packedBytes }) => sum + (packedBytes ?? 0), 0),
    files,
  };
}

function fileAt({ files }: ArchiveContext, index: number): FileRecord {
  const file = files[index];
  if (file === undefined) throw new Error(`there is no file number ${index}`);
  return file;
}
