// V8: a host whose store or WAL is not the opened one any more writes nothing; a store on a network file system is refused.

import { copyFileSync, existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { createMachine } from 'xstate';
import { requireLocal } from '../../persistence/local-file-system.ts';
import { durable, message, refusal, start } from './harness.ts';

const machine = durable(createMachine({ id: 'm', on: { PING: {} } }));

const losses = [
  ['the WAL is deleted', (file: string) => rmSync(`${file}-wal`)],
  [
    'the WAL is another file',
    (file: string) => {
      rmSync(`${file}-wal`);
      writeFileSync(`${file}-wal`, '');
    },
  ],
  ['the store is deleted', (file: string) => rmSync(file)],
  [
    'the store is another file',
    (file: string) => {
      copyFileSync(file, `${file}.copy`);
      renameSync(`${file}.copy`, file);
    },
  ],
] as const;

it.each(losses)('[V8] when %s, the host stops before its next commit', async (_what, lose) => {
  const fatal: unknown[] = [];
  const test = await start({ machines: [machine], onFatal: (error) => fatal.push(error) });
  await test.troupe.spawn(machine, { id: '1' });
  await test.clock.settle();
  lose(test.file);
  const error = await refusal(test.troupe.send('m/1', message('PING')), 'store_replaced');
  expect(error).toMatchObject({ outcome: 'notWritten' });
  expect(error.message).toContain('is gone or another file');
  expect(fatal).toMatchObject([{ code: 'store_replaced' }]);
});

it('[V8, M1] after its WAL was deleted nothing that was acknowledged is lost once its host has ended', async () => {
  const test = await start({ machines: [machine], onFatal: () => {} });
  await test.troupe.spawn(machine, { id: '1' });
  for (let count = 0; count < 20; count++) await test.troupe.send('m/1', message('PING'));
  await test.clock.settle();
  rmSync(`${test.file}-wal`);
  await refusal(test.troupe.send('m/1', message('PING')), 'store_replaced');
  await test.leave();
  expect(existsSync(`${test.file}-wal`)).toBe(false);
  expect(test.rows('SELECT revision FROM actors')).toEqual([{ revision: 21 }]);
});

it('[V8] a store on a network file system is refused before it is opened', async () => {
  const nfs = () => 0x6969;
  const error = await refusal(
    Promise.resolve().then(() => requireLocal('/exports/troupe.db', nfs)),
    'store_not_local',
  );
  expect(error.message).toContain('NFS');
  // CIFS as statfs gives it where its field has a sign.
  expect(() => requireLocal('/share/troupe.db', () => -0xacb2be)).toThrow('CIFS');
  expect(() => requireLocal('/home/troupe.db', () => 0xef53)).not.toThrow();
});
