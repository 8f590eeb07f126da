// Archive file: packs one file. It is hashed, packed and read back; what fails is tried again after a growing wait,
// until the budget of attempts is used up.

import { assign, setup } from 'xstate';
import { backoffMs, reasonOf } from './call-error.ts';
import { placeholder } from './placeholder.ts';
import {
  type FileContext,
  type FileInput,
  type FileReport,
  hashFileInput,
  hashFileOutput,
  packFileInput,
  packFileOutput,
  verifyFileInput,
  verifyFileOutput,
} from './schemas.ts';

/** The two ways on after a failure. It starts again with the hash: the file may be another one by now. */
const onFailure = [
  { guard: 'hasAttemptsLeft' as const, target: 'waiting', actions: 'noteFailure' as const },
  { target: 'failed', actions: 'noteFailure' as const },
];

export const archiveFileMachine = setup({
  types: {
    context: {} as FileContext,
    input: {} as FileInput,
    output: {} as FileReport,
    tags: {} as 'call' | 'timer' | 'settled',
  },
  actors: {
    hashFile: placeholder(hashFileInput, hashFileOutput),
    packFile: placeholder(packFileInput, packFileOutput),
    verifyFile: placeholder(verifyFileInput, verifyFileOutput),
  },
  actions: {
    noteFailure: assign(({ context, event }) => ({
      failures: context.failures + 1,
      reason: reasonOf(event['error']),
    })),
  },
  guards: {
    hasAttemptsLeft: ({ context }) => context.failures + 1 < context.attemptsMax,
  },
  delays: {
    backoff: ({ context }) => backoffMs(context.failures, context),
  },
}).createMachine({
  id: 'archive-file',
  initial: 'hashing',
  context: ({ input }) => ({ ...input, failures: 0, sha256: '', bytes: 0, packedBytes: 0 }),
  output: ({ context }) => reportOf(context),
  states: {
    hashing: {
      tags: 'call',
      description: 'Reads the original and computes its SHA-256.',
      invoke: {
        id: 'hash',
        src: 'hashFile',
        input: ({ context: { file, trace } }) => ({ file, ...trace }),
        onDone: {
          target: 'packing',
          actions: assign(({ event }) => event.output),
        },
        onError: onFailure,
      },
    },
    packing: {
      tags: 'call',
      description: 'Writes the packed file beside its final name, syncs it and renames it.',
      invoke: {
        id: 'pack',
        src: 'packFile',
        input: ({ context: { file, archive, sha256, trace } }) => ({
          file,
          archive,
          sha256,
          ...trace,
        }),
        onDone: {
          target: 'verifying',
          actions: assign(({ event }) => event.output),
        },
        onError: onFailure,
      },
    },
    verifying: {
      tags: 'call',
      description: 'Unpacks the packed file in memory and compares its SHA-256 with the original.',
      invoke: {
        id: 'verify',
        src: 'verifyFile',
        input: ({ context: { archive, sha256, trace } }) => ({ archive, sha256, ...trace }),
        onDone: 'packed',
        onError: onFailure,
      },
    },
    waiting: {
      tags: 'timer',
      description: 'The last attempt failed; another follows after a wait that doubles each time.',
      after: { backoff: 'hashing' },
    },
    packed: {
      type: 'final',
      tags: 'settled',
      description: 'The packed file holds what the original holds.',
    },
    failed: {
      type: 'final',
      tags: 'settled',
      description: 'All attempts are used up. The original was not touched.',
    },
  },
});

function reportOf(context: FileContext): FileReport {
  const { failures, attemptsMax, sha256, bytes, packedBytes, reason } = context;
  return failures < attemptsMax
    ? { status: 'packed', sha256, bytes, packedBytes }
    : { status: 'failed', reason: reason ?? 'it failed without a message' };
}
