// The archive example on real files, with real threads.

import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createActor, fromPromise, toPromise } from 'xstate';
import { archiveMachine } from '../../examples/archive/archive.ts';
import { archiveFileMachine } from '../../examples/archive/archive-file.ts';
import {
  type ArchiveInput,
  type ArchiveReport,
  archive,
  archiveFile,
  type LedgerLine,
  makeSampleFolder,
} from '../../examples/archive/index.ts';
import { openTroupe, type Troupe } from '../../hosts/embedded/index.ts';
import { type TemporaryStore, temporaryStore } from '../kit/index.ts';

let place: TemporaryStore;
let folder: string;
let target: string;
let troupe: Troupe;

beforeEach(async () => {
  place = temporaryStore();
  folder = join(place.folder, 'originals');
  target = join(place.folder, 'packed');
  mkdirSync(folder);
  troupe = await openTroupe({ store: place.file, machines: [archive, archiveFile] });
});

afterEach(async () => {
  await troupe.close();
  place.remove();
});

/** Archives the folder; `decide` is called once all is packed. @returns the report. */
async function run(
  input: Partial<ArchiveInput>,
  decide: (address: string) => unknown = () => {},
): Promise<ArchiveReport> {
  const { address } = await troupe.spawn(archive, { id: 'a', input: { folder, target, ...input } });
  for await (const { state } of troupe.watch(address, { after: 0 })) {
    if (state === 'deciding') await decide(address);
  }
  return (await troupe.get(address)).output as ArchiveReport;
}

const approve = (address: string) => troupe.send(address, { type: 'APPROVE' });

const filesIn = (root: string) =>
  readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(root.length + 1))
    .sort();

it('[K9, C2] every file is packed, read back and, after an approval, deleted', async () => {
  const ledger = join(place.folder, 'ledger');
  const count = await makeSampleFolder(folder);
  const copy = join(place.folder, 'copy');
  cpSync(folder, copy, { recursive: true });
  const report = await run({ ledger }, approve);
  expect(report).toMatchObject({ decision: 'delete', total: count, packed: count, deleted: count });
  expect(report.failed).toBe(0);
  expect(filesIn(folder)).toEqual([]);
  const names = filesIn(copy);
  expect(filesIn(target)).toEqual(names.map((name) => `${name}.gz`));
  for (const name of names) {
    const packed = gunzipSync(readFileSync(join(target, `${name}.gz`)));
    expect(packed.equals(readFileSync(join(copy, name)))).toBe(true);
  }
  const lines = readFileSync(ledger, 'utf8').trimEnd().split('\n');
  const ledgerLines = lines.map((line) => JSON.parse(line) as LedgerLine);
  expect(ledgerLines.filter(({ call, at }) => call === 'deleteFile' && at === 'end')).toHaveLength(
    count,
  );
  expect(ledgerLines.every(({ failed, attempt }) => failed === undefined && attempt === 1)).toBe(
    true,
  );
});

it('[T1] without an answer in time the originals stay', async () => {
  await makeSampleFolder(folder);
  const before = filesIn(folder);
  const report = await run({ approvalLimitMs: 30 });
  expect(report).toMatchObject({ decision: 'expired', packed: 12, deleted: 0 });
  expect(filesIn(folder)).toEqual(before);
});

it('[K9] the originals stay when a person says so', async () => {
  writeFileSync(join(folder, 'a.txt'), 'a');
  const report = await run({}, (address) => troupe.send(address, { type: 'KEEP' }));
  expect(report).toMatchObject({ decision: 'keep', packed: 1, deleted: 0 });
  expect(filesIn(folder)).toEqual(['a.txt']);
});

it('[C6] a file that cannot be packed is tried again, given up, and never deleted', async () => {
  const ledger = join(place.folder, 'ledger');
  writeFileSync(join(folder, 'bad.txt'), 'bad');
  writeFileSync(join(folder, 'good.txt'), 'good');
  // A folder lies where the packed file would go.
  mkdirSync(join(target, 'bad.txt.gz', 'in the way'), { recursive: true });
  const report = await run({ ledger, attemptsMax: 3, retryMs: 5 }, approve);
  expect(report).toMatchObject({ total: 2, packed: 1, failed: 1, deleted: 1 });
  expect(report.files[0]).toMatchObject({ path: 'bad.txt', status: 'failed', original: 'there' });
  expect(report.files[0]?.reason).toContain('rename');
  expect(filesIn(folder)).toEqual(['bad.txt']);
  expect(filesIn(target)).toEqual(['good.txt.gz']);
  const attempts = readFileSync(ledger, 'utf8').match(/"begin","call":"packFile".*bad\.txt/g);
  expect(attempts).toHaveLength(3);
});

it('[C6] an original or a packed file that changed while a person thought is not deleted', async () => {
  for (const name of ['changed.txt', 'damaged.txt', 'same.txt'])
    writeFileSync(join(folder, name), name);
  const report = await run({}, (address) => {
    writeFileSync(join(folder, 'changed.txt'), 'newer');
    writeFileSync(join(target, 'damaged.txt.gz'), 'no archive');
    return approve(address);
  });
  expect(report).toMatchObject({ packed: 3, deleted: 1 });
  expect(report.files.map(({ original }) => original)).toEqual(['kept', 'kept', 'deleted']);
  expect(report.files[0]?.reason).toContain('is not what was packed');
  expect(filesIn(folder)).toEqual(['changed.txt', 'damaged.txt']);
});

it('[K9] links are not followed, and a target inside the folder is left out', async () => {
  const outside = join(place.folder, 'outside');
  mkdirSync(outside);
  writeFileSync(join(outside, 'secret.txt'), 'secret');
  symlinkSync(outside, join(folder, 'link'));
  symlinkSync(join(outside, 'secret.txt'), join(folder, 'link.txt'));
  writeFileSync(join(folder, 'mine.txt'), 'mine');
  const inside = join(folder, 'packed');
  mkdirSync(inside);
  writeFileSync(join(inside, 'old.gz'), 'old');
  const report = await run({ target: inside }, approve);
  expect(report.files.map(({ path }) => path)).toEqual(['mine.txt']);
  expect(existsSync(join(outside, 'secret.txt'))).toBe(true);
  expect(filesIn(inside)).toEqual(['mine.txt.gz', 'old.gz']);
});

it('[C6] a folder that is not there ends with a reason, an empty one without', async () => {
  const empty = await run({});
  expect(empty).toEqual({
    decision: 'none',
    total: 0,
    packed: 0,
    failed: 0,
    deleted: 0,
    bytes: 0,
    packedBytes: 0,
    files: [],
  });
  const input = { folder: `${folder}-gone`, target, attemptsMax: 2, retryMs: 5 };
  const { address } = await troupe.spawn(archive, { id: 'gone', input });
  for await (const _change of troupe.watch(address, { after: 0 }));
  expect((await troupe.get(address)).output).toMatchObject({
    total: 0,
    reason: expect.stringContaining('ENOENT') as unknown,
  });
});

it('[K9] its machines run as they are in plain XState', async () => {
  const sha256 = '0'.repeat(64);
  const plain = archiveMachine.provide({
    actors: {
      listFiles: fromPromise(async () => ({ files: [{ path: 'a.txt', bytes: 1 }] })),
      deleteFile: fromPromise(async () => ({ deleted: true as const })),
      archiveFile: archiveFileMachine.provide({
        actors: {
          hashFile: fromPromise(async () => ({ sha256, bytes: 1 })),
          packFile: fromPromise(async () => ({ packedBytes: 21 })),
          verifyFile: fromPromise(async () => ({ bytes: 1 })),
        },
      }),
    },
  });
  const actor = createActor(plain, { input: { folder, target } });
  actor.subscribe(({ value }) => {
    if (value === 'deciding') actor.send({ type: 'APPROVE' });
  });
  actor.start();
  expect(await toPromise(actor)).toMatchObject({ decision: 'delete', packed: 1, deleted: 1 });
});
