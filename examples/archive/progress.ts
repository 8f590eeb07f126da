// Progress: an archive's context and report, in words. Pure.

import type { ArchiveContext, ArchiveReport, FileRecord } from './schemas.ts';

const BAR_WIDTH = 24;
const NAMES_MAX = 6;

/** A block of lines for a terminal of that width. */
export function progressBlock(context: ArchiveContext, state: string, width: number): string[] {
  const { total, done, failed, files } = context;
  if (total === 0) return [cut(state, width)];
  const deleted = files.filter(({ original }) => original === 'deleted').length;
  const isDeleting = context.decision === 'delete';
  const count = isDeleting ? deleted : done + failed;
  const filled = Math.round((count / (isDeleting ? done : total || 1)) * BAR_WIDTH);
  const bar = '█'.repeat(filled) + '░'.repeat(BAR_WIDTH - filled);
  const words = isDeleting
    ? `${deleted} of ${done} originals deleted`
    : `${done} of ${total} packed${failed > 0 ? `, ${failed} failed` : ''}`;
  return [`${bar} ${words}`, ...namesOf(files, isDeleting)].map((line) => cut(line, width));
}

function namesOf(files: readonly FileRecord[], isDeleting: boolean): string[] {
  if (isDeleting) return [];
  const working = files.filter(({ status }) => status === 'working');
  const names = working.slice(0, NAMES_MAX).map(({ path }) => `  ${path}`);
  const more = working.length - names.length;
  return more > 0 ? [...names, `  and ${more} more`] : names;
}

/** One line for each file that has moved on since. */
export function progressLines(before: ArchiveContext | undefined, after: ArchiveContext): string[] {
  const lines: string[] = [];
  for (const [index, file] of after.files.entries()) {
    const was = before?.files[index];
    if (was?.status !== file.status) lines.push(...statusLine(file, after));
    if ((was?.original ?? 'there') !== file.original) lines.push(originalLine(file));
  }
  return lines.map(printable);
}

function statusLine(file: FileRecord, { done, failed, total }: ArchiveContext): string[] {
  switch (file.status) {
    case 'packed':
      return [`${done + failed}/${total}  packed   ${file.path}  ${sizes(file)}`];
    case 'failed':
      return [`${done + failed}/${total}  FAILED   ${file.path}: ${file.reason ?? ''}`];
    default:
      return [];
  }
}

function originalLine({ path, original, reason }: FileRecord): string {
  const why = reason === undefined ? '' : `: ${reason}`;
  return original === 'deleted' ? `deleted  ${path}` : `${original}  ${path}${why}`;
}

function sizes({ bytes, packedBytes }: FileRecord): string {
  return `${size(bytes)} → ${size(packedBytes ?? 0)}`;
}

export function reportLines(report: ArchiveReport, target: string): string[] {
  const { total, packed, failed, deleted, bytes, packedBytes } = report;
  if (report.reason !== undefined) return [`Nothing was archived: ${report.reason}`];
  if (total === 0) return ['The folder has no files.'];
  const exceptions = report.files.filter(
    ({ status, original }) =>
      status === 'failed' || (original !== 'there' && original !== 'deleted'),
  );
  return [
    `${packed} of ${total} files packed into ${target}`,
    `${size(bytes)} became ${size(packedBytes)}; each was unpacked again and compared.`,
    ORIGINALS[report.decision](deleted, packed),
    ...(failed > 0 ? [`${failed} failed and were not touched:`] : []),
    ...exceptions.map(({ path, reason }) => printable(`  ${path}: ${reason ?? ''}`)),
  ];
}

const ORIGINALS: Readonly<
  Record<ArchiveReport['decision'], (deleted: number, packed: number) => string>
> = {
  none: () => 'The originals are still there.',
  keep: () => 'The originals stay, as was decided.',
  expired: () => 'Nobody decided in time, so the originals stay.',
  delete: (deleted, packed) => `${deleted} of ${packed} originals deleted, after an approval.`,
};

/** `0 B`, `1.2 kB`, `34 MB` */
export function size(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  const [value, unit] = bytes < 1_000_000 ? [bytes / 1_000, 'kB'] : [bytes / 1_000_000, 'MB'];
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${unit}`;
}

function cut(text: string, width: number): string {
  const line = printable(text);
  return line.length <= width ? line : `${line.slice(0, Math.max(width - 1, 0))}…`;
}

/** Names of files may hold anything; a terminal must not obey it. */
function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, '?');
}
