// Archive: packs every file of a folder, one child for each, then asks before it deletes the originals.
//
// Deleting cannot be undone, so it is ordered only after an approval, one file at a time. When nobody knows whether a
// deletion happened, the machine looks before it does anything else.

import { assign, type DoneActorEvent, type ErrorActorEvent, enqueueActions, setup } from 'xstate';
import type { z } from 'zod';
import {
  childIdOf,
  contextOf,
  deletionOf,
  fileInputOf,
  listed,
  nextDeletable,
  reportOf,
  startable,
  withFile,
  withSettled,
  withStarted,
} from './archive-context.ts';
import { archiveFileMachine } from './archive-file.ts';
import { backoffMs, outcomeOf, reasonOf } from './call-error.ts';
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
  /** A file's child has ended. */
  | DoneActorEvent<FileReport>
  | ErrorActorEvent;

export const archiveMachine = setup({
  types: {
    context: {} as ArchiveContext,
    events: {} as ArchiveEvent,
    input: {} as ArchiveInput,
    output: {} as ArchiveReport,
    tags: {} as 'call' | 'timer' | 'person' | 'outside' | 'settled',
  },
  actors: {
    listFiles: placeholder(listFilesInput, listFilesOutput),
    deleteFile: placeholder(deleteFileInput, deleteFileOutput),
    lookFile: placeholder(lookFileInput, lookFileOutput),
    archiveFile: archiveFileMachine,
  },
  actions: {
    startFiles: enqueueActions(({ context, enqueue }) => {
      const { from, to } = startable(context);
      for (let index = from; index < to; index++) {
        enqueue.spawnChild('archiveFile', {
          id: childIdOf(index, context.files[index]?.path ?? ''),
          input: fileInputOf(context, index),
        });
      }
      enqueue.assign(withStarted(context, to));
    }),
    noteFailure: assign(({ context, event }) => ({
      failures: context.failures + 1,
      reason: reasonOf('error' in event ? event.error : undefined),
    })),
    chooseNext: assign(({ context }) => ({
      deleting: Math.max(nextDeletable(context), 0),
      failures: 0,
    })),
    noteOriginal: assign(
      (
        { context },
        note: { readonly original: 'deleted' | 'kept' | 'unknown'; readonly reason?: string },
      ) => withFile(context, context.deleting, note),
    ),
  },
  guards: {
    hasAttemptsLeft: ({ context }) => context.failures + 1 < context.retry.attemptsMax,
    isEverythingSettled: ({ context }) => context.done + context.failed === context.total,
    isNothingLeftToDecide: ({ context }) => context.done === 0 && context.failed === context.total,
    isNoneLeft: ({ context }) => nextDeletable(context) === -1,
  },
  delays: {
    approvalLimit: ({ context }) => context.approvalLimitMs,
    backoff: ({ context }) => backoffMs(context.failures, context.retry),
  },
}).createMachine({
  id: 'archive',
  initial: 'listing',
  context: ({ input }) => contextOf(input),
  output: ({ context }) => reportOf(context),
  states: {
    listing: {
      tags: 'call',
      description: 'Looks for the files of the folder.',
      invoke: {
        id: 'list',
        src: 'listFiles',
        input: ({ context: { folder, target, trace } }) => ({ folder, target, ...trace }),
        onDone: { target: 'packing', actions: assign(({ event }) => listed(event.output.files)) },
        onError: [
          { guard: 'hasAttemptsLeft', target: 'listingAgain', actions: 'noteFailure' },
          { target: 'finished', actions: 'noteFailure' },
        ],
      },
    },
    listingAgain: {
      tags: 'timer',
      description: 'The folder could not be listed; it is tried again after a wait.',
      after: { backoff: 'listing' },
    },
    packing: {
      tags: 'outside',
      description: 'One actor for each file packs it; this one counts them.',
      entry: 'startFiles',
      on: {
        'xstate.done.actor.*': {
          actions: [
            assign(({ context, event }) => withSettled(context, event.actorId, event.output)),
            'startFiles',
          ],
        },
        'xstate.error.actor.*': {
          actions: [
            assign(({ context, event }) =>
              withSettled(context, event.actorId, {
                status: 'failed',
                reason: reasonOf(event.error),
              }),
            ),
            'startFiles',
          ],
        },
      },
      always: [
        { guard: 'isNothingLeftToDecide', target: 'finished' },
        { guard: 'isEverythingSettled', target: 'deciding' },
      ],
    },
    deciding: {
      tags: ['person', 'timer'],
      description:
        'All files are packed and verified. Send APPROVE to delete the originals, or KEEP to leave them; without an answer in time they stay.',
      on: {
        APPROVE: { target: 'deleting', actions: assign({ decision: 'delete' }) },
        KEEP: { target: 'finished', actions: assign({ decision: 'keep' }) },
      },
      after: {
        approvalLimit: { target: 'finished', actions: assign({ decision: 'expired' }) },
      },
    },
    deleting: {
      initial: 'choosing',
      states: {
        choosing: {
          tags: 'call',
          description: 'Takes the next original.',
          entry: 'chooseNext',
          always: [{ guard: 'isNoneLeft', target: '#archive.finished' }, { target: 'unlinking' }],
        },
        unlinking: {
          tags: 'call',
          description:
            'Deletes one original, if it and its packed file still hold what was packed.',
          invoke: {
            id: 'delete',
            src: 'deleteFile',
            input: ({ context }) => ({ ...deletionOf(context), ...context.trace }),
            onDone: {
              target: 'choosing',
              actions: { type: 'noteOriginal', params: { original: 'deleted' } },
            },
            onError: [
              {
                guard: ({ event }) => outcomeOf(event.error) === 'unknown',
                target: 'looking',
                actions: 'noteFailure',
              },
              {
                guard: ({ event }) => outcomeOf(event.error) === 'notStarted',
                target: 'unlinking',
                reenter: true,
              },
              {
                target: 'choosing',
                actions: {
                  type: 'noteOriginal',
                  params: ({ event }) => ({ original: 'kept', reason: reasonOf(event.error) }),
                },
              },
            ],
          },
        },
        looking: {
          tags: 'call',
          description: 'Nobody knows whether the original was deleted, so somebody looks.',
          invoke: {
            id: 'look',
            src: 'lookFile',
            input: ({ context }) => {
              const { file, sha256 } = deletionOf(context);
              return { file, sha256, ...context.trace };
            },
            onDone: [
              {
                guard: ({ event }) => event.output.found === 'gone',
                target: 'choosing',
                actions: { type: 'noteOriginal', params: { original: 'deleted' } },
              },
              {
                guard: ({ context, event }) =>
                  event.output.found === 'unchanged' &&
                  context.failures < context.retry.attemptsMax,
                target: 'unlinking',
              },
              {
                target: 'choosing',
                actions: {
                  type: 'noteOriginal',
                  params: ({ context, event }) => ({
                    original: 'kept',
                    reason:
                      event.output.found === 'changed'
                        ? 'it has changed since it was packed'
                        : `deleting it was interrupted ${context.failures} times`,
                  }),
                },
              },
            ],
            onError: [
              { guard: 'hasAttemptsLeft', target: 'lookingAgain', actions: 'noteFailure' },
              {
                target: 'choosing',
                actions: {
                  type: 'noteOriginal',
                  params: ({ event }) => ({ original: 'unknown', reason: reasonOf(event.error) }),
                },
              },
            ],
          },
        },
        lookingAgain: {
          tags: 'timer',
          description: 'The look failed; another follows after a wait.',
          after: { backoff: 'looking' },
        },
      },
    },
    finished: {
      type: 'final',
      tags: 'settled',
      description: 'The report is the output of this actor.',
    },
  },
});
