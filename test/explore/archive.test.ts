// The archive's machines: every state and transition, and what must hold whatever happens.

import { expect, it } from 'vitest';
import { archive, archiveFile } from '../../examples/archive/index.ts';
import type { ArchiveContext } from '../../examples/archive/schemas.ts';
import { type Edge, type ExploredState, explore } from '../kit/index.ts';

const sha256 = '0'.repeat(64);
const retry = { attemptsMax: 3, retryMs: 1_000, retryMsMax: 1_500 };
const paths = ['a.txt', 'b.txt'];

type State = ExploredState<ArchiveContext>;

/** The originals whose deletion a step orders. */
function ordered({ effects }: Edge): string[] {
  return effects.flatMap((effect) =>
    effect.kind === 'call' && effect.source === 'deleteFile'
      ? [(effect.input as { file: string }).file]
      : [],
  );
}

/** The original of which nobody knows whether it is there, while somebody looks. */
function inDoubt({ value, context }: State): string | undefined {
  const isLooking = ['looking', 'lookingAgain'].includes(
    (value as { deleting?: string }).deleting ?? '',
  );
  return isLooking ? `/from/${context.files[context.deleting]?.path}` : undefined;
}

const invariants = {
  'deletes only after an approval': ({ context }: State, edge: Edge<ArchiveContext>) =>
    ordered(edge).length === 0 || context.decision === 'delete',
  'deletes only when every file is settled': ({ context }: State, edge: Edge<ArchiveContext>) =>
    ordered(edge).length === 0 ||
    context.files.every(({ status }) => status === 'packed' || status === 'failed'),
  'deletes only what was packed and verified': ({ context }: State, edge: Edge<ArchiveContext>) =>
    ordered(edge).every((file) =>
      context.files.some(({ path, status }) => `/from/${path}` === file && status === 'packed'),
    ),
  'deletes one file at a time': ({ calls }: State) =>
    calls.filter(({ source }) => source === 'deleteFile').length <= 1,
  'looks when nobody knows': (state: State, { before, stimulus }: Edge<ArchiveContext>) =>
    stimulus.kind !== 'error' ||
    stimulus.source !== 'deleteFile' ||
    (stimulus.error as { outcome: string }).outcome !== 'unknown' ||
    (state.calls.some(({ source }) => source === 'lookFile') &&
      inDoubt(state) === `/from/${before?.context.files[before.context.deleting]?.path}`),
  'never orders in doubt without a look': (_state: State, edge: Edge<ArchiveContext>) => {
    const doubted = edge.before && inDoubt(edge.before);
    if (doubted === undefined || !ordered(edge).includes(doubted)) return true;
    const { stimulus } = edge;
    return (
      stimulus.kind === 'done' &&
      stimulus.source === 'lookFile' &&
      (stimulus.output as { found: string }).found === 'unchanged'
    );
  },
  'leaves originals alone when they are kept': ({ status, output }: State) =>
    status !== 'done' ||
    (output as { decision: string }).decision === 'delete' ||
    (output as { deleted: number }).deleted === 0,
  'counts every file once': ({ context: { done, failed, total, files } }: State) =>
    done + failed <= total &&
    files.filter(({ status }) => status === 'packed').length === done &&
    files.filter(({ status }) => status === 'failed').length === failed,
};

it('[explore] the archive: every state, every transition, and no original is deleted in doubt', () => {
  const report = explore(archive, {
    machines: [archiveFile],
    inputs: [1, 2].map((filesAtOnceMax) => ({
      folder: '/from',
      target: '/to',
      filesAtOnceMax,
      ...retry,
    })),
    results: {
      listFiles: [{ files: [] }, { files: paths.map((path) => ({ path, bytes: 1 })) }],
      archiveFile: [
        { status: 'packed', sha256, bytes: 1, packedBytes: 1 },
        { status: 'failed', reason: 'no' },
      ],
      deleteFile: [{ deleted: true }],
      lookFile: [{ found: 'gone' }, { found: 'unchanged' }, { found: 'changed' }],
    },
    invariants,
    abstract: withoutReasons,
  });
  expect(report.findings).toEqual([]);
  expect(report).toMatchObject({ isComplete: true, limits: [] });
  expect(report.coverage.states).toMatchObject({
    missed: [],
    total: report.coverage.states.visited,
  });
  expect(report.coverage.transitions.missed).toEqual([]);
  expect(report.states).toBeGreaterThan(150);
});

/** Why something failed is for people; no step depends on it. */
function withoutReasons({ reason: _reason, files, ...rest }: ArchiveContext): unknown {
  return { ...rest, files: files.map(({ reason: _each, ...file }) => file) };
}

it('[explore] an invariant of the archive that is wrong is found: they are really asked', () => {
  const report = explore(archive, {
    machines: [archiveFile],
    input: { folder: '/from', target: '/to', ...retry },
    results: {
      listFiles: [{ files: [{ path: 'a.txt', bytes: 1 }] }],
      archiveFile: [{ status: 'packed', sha256, bytes: 1, packedBytes: 1 }],
      deleteFile: [{ deleted: true }],
      lookFile: [{ found: 'unchanged' }],
    },
    invariants: {
      ...invariants,
      'never deletes': (_state: State, edge: Edge) => ordered(edge).length === 0,
      'never orders again': (_state: State, { stimulus, effects }: Edge<ArchiveContext>) =>
        stimulus.kind !== 'done' ||
        stimulus.source !== 'lookFile' ||
        ordered({ stimulus, effects, before: undefined }).length === 0,
    },
  });
  expect(report.findings.map(({ message }) => message)).toEqual([
    "Invariant 'never deletes' does not hold.",
    "Invariant 'never orders again' does not hold.",
  ]);
  expect(report.findings.map(({ path }) => path.at(-1)?.text)).toEqual([
    'APPROVE',
    `lookFile 'look' answers {"found":"unchanged"}`,
  ]);
});

it('[explore] a file of the archive: every state and transition, and no pack without a hash', () => {
  const report = explore(archiveFile, {
    input: { path: 'a.txt', file: '/from/a.txt', archive: '/to/a.txt.gz', trace: {}, ...retry },
    results: {
      hashFile: [{ sha256, bytes: 1 }],
      packFile: [{ packedBytes: 1 }],
      verifyFile: [{ bytes: 1 }],
    },
    invariants: {
      'packs what it has hashed': ({ calls, context }) =>
        !calls.some(({ source }) => source === 'packFile') || context.sha256 === sha256,
      'packed means verified': ({ status, value, output }, { stimulus }) =>
        status !== 'done' ||
        value !== 'packed' ||
        ((output as { status: string }).status === 'packed' &&
          stimulus.kind === 'done' &&
          stimulus.source === 'verifyFile'),
      'stays within its budget': ({ context }) => context.failures <= context.attemptsMax,
    },
  });
  expect(report.findings).toEqual([]);
  expect(report).toMatchObject({ isComplete: true });
  expect(report.coverage.states.missed).toEqual([]);
  expect(report.coverage.transitions.missed).toEqual([]);
});
