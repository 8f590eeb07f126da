// Archive context: what an archive knows of its files, and how that changes. Pure.

import type { ArchiveContext, ArchiveInput, ArchiveReport, FileInput, FileRecord, FileReport } from './schemas.ts';

const APPROVAL_LIMIT_MS = 86_400_000;
const FILES_AT_ONCE_MAX = 16;
const ATTEMPTS_MAX = 5;
const RETRY_MS = 500;
const RETRY_MS_MAX = 30_000;

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
    trace: { ledger, paceMs },
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
export declare const fileInputOf: any, indexOfChild: any, nextDeletable: any, reportOf: any, withFile: any, withSettled: any, childIdOf: any;
