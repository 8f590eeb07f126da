// Archive: packs every file of a folder, one child for each, then asks before it deletes the originals.
//
// Deleting cannot be undone, so it is ordered only after an approval, one file at a time. When nobody knows whether a
// deletion happened, the machine looks before it does anything else.

import {
  assign,
  type DoneActorEvent,
  type ErrorActorEvent,
  enqueueActions,
  setup,
} from 'xstate';
import type { z } from 'zod';
import { archiveFileMachine } from './archive-file.ts';
import { backoffMs, outcomeOf, reasonOf } from './call-error.ts';
import {
  contextOf,
  fileInputOf,
  indexOfChild,
  nextDeletable,
  reportOf,
  withFile,
  withSettled,
  childIdOf,
} from './archive-context.ts';
import { placeholder } from './placeholder.ts';
import {
  type ArchiveContext,
  type ArchiveInput,
  type ArchiveReport,
  type archiveEvent,
  deleteFileInput,
  deleteFileOutput,
  type FileReport,
  listFilesInput,
  listFilesOutput,
  lookFileInput,
  lookFileOutput,
} from './schemas.ts';

type ArchiveEvent =
  | z.output<typeof archiveEvent>
  /** A file has come to its end. Its id begins with the file's number. */
  | DoneActorEvent<FileReport>
  | ErrorActorEvent;

export const archiveMachine = setup({
  types: {} as {
    context: ArchiveContext;
    events: ArchiveEvent;
    input: ArchiveInput;
    output: ArchiveReport;
    tags: 'call' | 'timer' | 'person' | 'outside' | 'settled';
  },
  actors: {
    listFiles: placeholder(listFilesInput, listFilesOutput),
    deleteFile: placeholder(deleteFileInput, deleteFileOutput),
    lookFile: placeholder(lookFileInput, lookFileOutput),
    archiveFile: archiveFileMachine,
  },
}).createMachine({
  id: 'archive',
  initial: 'listing',
  context: ({ input }) => contextOf(input),
  output: ({ context }) => reportOf(context),
  states: {
    packing: {
      on: {
        'xstate.done.actor.*': {
          actions: assign(({ context, event }) => context),
        },
      },
    },
  },
});
