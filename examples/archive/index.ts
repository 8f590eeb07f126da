// The archive example: its machines and calls, registered. `troupe run` takes the default export.

import { defineMachine } from '../../hosts/embedded/index.ts';
import { archiveMachine } from './archive.ts';
import { archiveFileMachine } from './archive-file.ts';
import { deleteFile, hashFile, listFiles, lookFile, packFile, verifyFile } from './calls.ts';
import {
  archiveContext,
  archiveEvent,
  archiveInput,
  archiveReport,
  fileContext,
  fileInput,
  fileReport,
} from './schemas.ts';

export const archiveFile = defineMachine({
  machine: archiveFileMachine,
  version: 1,
  schemas: { input: fileInput, context: fileContext, output: fileReport },
  calls: [hashFile, packFile, verifyFile],
  strict: true,
});

export const archive = defineMachine({
  machine: archiveMachine,
  version: 1,
  schemas: {
    input: archiveInput,
    context: archiveContext,
    events: archiveEvent,
    output: archiveReport,
  },
  calls: [listFiles, deleteFile, lookFile],
  strict: true,
});

export default archive;

export type { LedgerLine } from './calls/traced.ts';
export { deleteFile, hashFile, listFiles, lookFile, packFile, verifyFile } from './calls.ts';
export { makeSampleFolder } from './sample.ts';
export type { ArchiveInput, ArchiveReport } from './schemas.ts';
