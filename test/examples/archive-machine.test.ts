// The archive's machines where the world misbehaves: calls do what the test says, and time is the test's.

import { afterEach, beforeEach, expect, it } from 'vitest';
import { type ArchiveReport, archive, archiveFile } from '../../examples/archive/index.ts';
import { openTestTroupe, type ScriptedAttempt, type TestTroupe, until } from '../kit/index.ts';

const SHA256 = '0'.repeat(64);
const input = { folder: '/from', target: '/to', attemptsMax: 3, retryMs: 1_000, retryMsMax: 1_500 };

let test: TestTroupe;

beforeEach(async () => {
  test = await openTestTroupe({ machines: [archive, archiveFile] });
});

afterEach(() => test.close());

/** The next attempt of a call that is running. */
function running(source: string): Promise<ScriptedAttempt> {
  return until(() => test.pool.running.find((attempt) => attempt.source === source), {
    what: `a call of ${source}`,
  });
}

async function answer(source: string, output: unknown): Promise<void> {
  (await running(source)).answer(output);
}

/** Brings an archive of one file to where it waits for a person. */
async function bringToDecision(): Promise<string> {
  const { address } = await test.troupe.spawn(archive, { id: 'a', input });
  await answer('listFiles', { files: [{ path: 'a.txt', bytes: 1 }] });
  await answer('hashFile', { sha256: SHA256, bytes: 1 });
  await answer('packFile', { packedBytes: 21 });
  await answer('verifyFile', { bytes: 1 });
  await until(async () => (await test.troupe.get(address)).state === 'deciding');
  return address;
}

async function reportOf(address: string): Promise<ArchiveReport> {
  const actor = await until(async () => {
    const view = await test.troupe.get(address);
    return view.status === 'done' && view;
  });
  return actor.output as ArchiveReport;
}

it('[C3] an interrupted deletion is looked at, and ordered anew only when the file is unchanged', async () => {
  const address = await bringToDecision();
  await test.troupe.send(address, { type: 'APPROVE' });
  const first = await running('deleteFile');
  first.cut('thread_ended');
  await answer('lookFile', { found: 'unchanged' });
  const second = await running('deleteFile');
  expect(second.idempotencyKey).not.toBe(first.idempotencyKey);
  second.cut('thread_ended');
  await answer('lookFile', { found: 'gone' });
  expect(await reportOf(address)).toMatchObject({ deleted: 1 });
  expect(test.pool.started.filter(({ source }) => source === 'deleteFile')).toHaveLength(2);
});

it('[C3] a deletion that is interrupted every time is given up after its budget', async () => {
  const address = await bringToDecision();
  await test.troupe.send(address, { type: 'APPROVE' });
  for (let attempt = 1; attempt <= 3; attempt++) {
    (await running('deleteFile')).cut('thread_ended');
    await answer('lookFile', { found: 'unchanged' });
  }
  const report = await reportOf(address);
  expect(report.files).toMatchObject([
    { original: 'kept', reason: 'deleting it was interrupted 3 times' },
  ]);
});

it('[C3] an original of which nobody can tell is reported as unknown', async () => {
  const address = await bringToDecision();
  await test.troupe.send(address, { type: 'APPROVE' });
  (await running('deleteFile')).cut('thread_ended');
  (await running('lookFile')).throw({ code: 'EIO', message: 'the disk does not answer' });
  await until(async () => (await test.troupe.get(address)).timers.length > 0);
  await test.clock.advance(1_500);
  (await running('lookFile')).throw({ code: 'EIO', message: 'the disk does not answer' });
  expect((await reportOf(address)).files).toMatchObject([
    { original: 'unknown', reason: 'the disk does not answer' },
  ]);
});

it('[T1] waits grow between attempts, up to the longest, and end with the budget', async () => {
  const { address } = await test.troupe.spawn(archive, { id: 'a', input });
  await answer('listFiles', { files: [{ path: 'a.txt', bytes: 1 }] });
  const child = 'archive-file/a.0-a_txt@2';
  for (const waitMs of [1_000, 1_500]) {
    (await running('hashFile')).throw({ code: 'EACCES', message: 'not yours' });
    const [timer] = await until(async () => {
      const { timers } = await test.troupe.get(child);
      return timers.length > 0 && timers;
    });
    expect(timer?.readyAtMs).toBe(test.clock.now() + waitMs);
    await test.clock.advance(waitMs);
  }
  (await running('hashFile')).throw({ code: 'EACCES', message: 'not yours' });
  expect(await reportOf(address)).toMatchObject({
    decision: 'none',
    failed: 1,
    files: [{ status: 'failed', reason: 'not yours', original: 'there' }],
  });
});

it('[T1] the originals wait for 24 hours, not shorter and not longer', async () => {
  const address = await bringToDecision();
  await test.clock.advance(86_399_000);
  expect((await test.troupe.get(address)).state).toBe('deciding');
  await test.clock.advance(1_000);
  expect(await reportOf(address)).toMatchObject({ decision: 'expired', deleted: 0 });
});

it('[C8] no more files are worked on at once than asked for', async () => {
  const files = Array.from({ length: 7 }, (_, index) => ({ path: `${index}.txt`, bytes: 1 }));
  const { address } = await test.troupe.spawn(archive, {
    id: 'a',
    input: { ...input, filesAtOnceMax: 3, attemptsMax: 1 },
  });
  await answer('listFiles', { files });
  for (let failed = 0; failed < files.length; failed++) {
    await until(async () => {
      const active = await test.troupe.list({ parent: address, status: 'active' });
      return active.length === Math.min(3, files.length - failed);
    });
    (await running('hashFile')).throw({ code: 'EIO', message: 'no' });
    await until(async () => {
      const { context } = await test.troupe.get(address);
      const { status } = await test.troupe.get(address);
      return status === 'done' || (context as { failed: number }).failed === failed + 1;
    });
  }
  expect(await reportOf(address)).toMatchObject({ failed: 7, packed: 0 });
});
