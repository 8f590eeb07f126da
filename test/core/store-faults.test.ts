// V8: what cannot be a store is refused with the way out, and stays as it is.

import { createHash } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createMachine } from 'xstate';
import type { ErrorCode } from '../../persistence/index.ts';
import { openTestTroupe, type TemporaryStore } from '../kit/index.ts';
import { durable, place, refusal, start } from './harness.ts';

const machines = [durable(createMachine({ id: 'm', on: { HI: {} } }))];
const NOBODY = 65_534;

interface Fault {
  readonly what: string;
  readonly make: (file: string) => void;
  readonly code: ErrorCode;
  readonly told: RegExp;
}

function foreign(file: string, sql: string): void {
  const database = new Database(file);
  database.exec(sql);
  database.close();
}

const faults: readonly Fault[] = [
  {
    what: 'a text file',
    make: (file) => writeFileSync(file, 'Dear diary,\n'.repeat(1_000)),
    code: 'store_damaged',
    told: /not a SQLite database.*left as it is.*move it away/,
  },
  {
    what: 'a text file of five bytes',
    make: (file) => writeFileSync(file, 'hello'),
    code: 'store_damaged',
    told: /left as it is/,
  },
  {
    what: 'a SQLite file of somebody else',
    make: (file) => foreign(file, 'CREATE TABLE photos(name TEXT)'),
    code: 'store_schema',
    told: /not a store of Troupe.*left as it is/,
  },
  {
    what: 'a SQLite file with an application id of somebody else',
    make: (file) => foreign(file, 'PRAGMA application_id = 77; CREATE TABLE photos(name TEXT)'),
    code: 'store_schema',
    told: /not a store of Troupe/,
  },
  {
    what: 'an empty SQLite file that somebody else has numbered',
    make: (file) => foreign(file, 'PRAGMA user_version = 3'),
    code: 'store_schema',
    told: /not a store of Troupe/,
  },
];

const digest = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** Everything in the folder, with its bytes. No connection to any of it is open. */
function contents({ folder }: TemporaryStore): unknown {
  return readdirSync(folder)
    .toSorted()
    .map((name) => [name, digest(readFileSync(join(folder, name)))]);
}

describe('a host', () => {
  it.each(faults)('[V8] refuses $what and leaves it as it is', async ({ make, code, told }) => {
    const store = place();
    make(store.file);
    const before = contents(store);
    for (const withMachines of [true, false]) {
      const options = { store: store.file, ...(withMachines ? { machines } : {}) };
      const error = await refusal(openTestTroupe(options), code);
      expect(error.message).toContain(store.file);
      expect(error.message).toMatch(told);
    }
    expect(contents(store)).toEqual(before);
  });

  it('[V8] refuses a store that a newer Troupe has written', async () => {
    const test = await start({ machines });
    await test.leave();
    test.write('PRAGMA user_version = 1000');
    const error = await refusal(openTestTroupe({ store: test.file, machines }), 'store_schema');
    expect(error.message).toMatch(/newer Troupe \(layout 1000; this one knows \d+\)\. Update/);
    expect(test.rows('PRAGMA user_version')).toEqual([{ user_version: 1_000 }]);
  });

  it('[V8] refuses a folder in place of a store', async () => {
    const { folder } = place();
    const error = await refusal(openTestTroupe({ store: folder, machines }), 'store_damaged');
    expect(error.message).toContain('is not a file');
  });

  it('[V8] refuses a folder that is not there', async () => {
    const { folder } = place();
    const error = await refusal(
      openTestTroupe({ store: join(folder, 'no', 'where', 'troupe.db'), machines }),
      'store_missing',
    );
    expect(error.message).toContain(
      `The folder ${join(folder, 'no', 'where')} does not exist. Make it`,
    );
  });

  it('[V8] makes a store of an empty file', async () => {
    const { file } = place();
    writeFileSync(file, '');
    const { troupe } = await start({ store: file, machines });
    expect(await troupe.list()).toEqual([]);
  });

  it('[V8] takes links and relative names for the one store that they lead to', async () => {
    const store = place();
    const test = await start({ store: store.file, machines });
    symlinkSync(store.file, join(store.folder, 'link.db'));
    mkdirSync(join(store.folder, 'deep'));
    for (const name of ['link.db', 'deep/../troupe.db', './troupe.db']) {
      const other = await start({ store: join(store.folder, name), machines });
      expect(other.troupe.store).toBe(test.troupe.store);
    }
  });
});

describe('a process without machines', () => {
  it('[V8] does not make a store', async () => {
    const { file, folder } = place();
    for (const readonly of [true, false]) {
      const error = await refusal(openTestTroupe({ store: file, readonly }), 'store_missing');
      expect(error.message).toContain('troupe run');
    }
    expect(readdirSync(folder)).toEqual([]);
  });

  it('[V8] that only reads writes nothing, and says so', async () => {
    const test = await start({ machines });
    await test.troupe.spawn(machines[0] as never, { id: '1' });
    const reader = await start({ store: test.file, readonly: true });
    expect(await reader.troupe.get('m/1')).toMatchObject({ status: 'active' });
    await expect(reader.troupe.send('m/1', { type: 'HI' })).rejects.toMatchObject({
      name: 'TroupeError',
      outcome: 'notWritten',
    });
  });
});

/** Runs as a user to whom nothing belongs, when the tests run as root: root may write everywhere. */
async function asNobody<T>(run: () => Promise<T>): Promise<T> {
  if (process.getuid?.() !== 0) return run();
  process.seteuid?.(NOBODY);
  try {
    return await run();
  } finally {
    process.seteuid?.(0);
  }
}

describe('permissions', () => {
  const closed = (folder: string, mode: number): void => {
    chmodSync(folder, mode);
    onTestFinished(() => chmodSync(folder, 0o755));
  };

  it('[V8] a folder that cannot be written is told, with what must be allowed', async () => {
    const { file, folder } = place();
    closed(folder, 0o555);
    const error = await asNobody(() =>
      refusal(openTestTroupe({ store: file, machines }), 'store_not_writable'),
    );
    expect(error.message).toMatch(
      /the folder must allow this user to create files.*Change the permissions/,
    );
    expect(readdirSync(folder)).toEqual([]);
  });

  it('[V8] a store in a folder that cannot be written is told, and stays whole', async () => {
    const test = await start({ machines, store: place().file });
    await test.troupe.spawn(machines[0] as never, { id: '1' });
    await test.leave();
    const folder = join(test.file, '..');
    closed(folder, 0o555);
    await asNobody(() =>
      refusal(openTestTroupe({ store: test.file, machines }), 'store_not_writable'),
    );
    chmodSync(folder, 0o755);
    const troupe = await test.reopen();
    expect(await troupe.get('m/1')).toMatchObject({ status: 'active' });
  });

  it('[V8] a store that cannot be written itself is told', async () => {
    const test = await start({ machines, store: place().file });
    await test.leave();
    chmodSync(test.file, 0o444);
    closed(join(test.file, '..'), 0o777);
    await asNobody(() =>
      refusal(openTestTroupe({ store: test.file, machines }), 'store_not_writable'),
    );
  });
});
