// G3: the store's own layout is migrated only while no other host is alive, and who opened it before is refused.

import Database from 'better-sqlite3';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createMachine } from 'xstate';
import { openTroupe, type Troupe } from '../../actors/index.ts';
import { workerEntry } from '../../adapters/index.ts';
import { type Layout, STORE_SCHEMA, Store } from '../../persistence/index.ts';
import { durable, refusal, start } from '../core/harness.ts';
import { scriptedPool, seededEntropy, virtualClock } from '../kit/index.ts';

const NEXT: Layout = {
  schema: STORE_SCHEMA + 2,
  migrations: {
    [STORE_SCHEMA]: 'ALTER TABLE actors ADD COLUMN colour TEXT',
    [STORE_SCHEMA + 1]: "UPDATE actors SET colour = 'blue'",
  },
};
const lamp = durable(createMachine({ id: 'lamp', on: { PRESS: {} } }));

/** Opens the store as a Troupe of that layout does. */
async function openAs(file: string, layout: Layout, machines = [lamp]): Promise<Troupe> {
  const troupe = await openTroupe(
    { store: file, machines, graceMs: 0 },
    {
      clock: virtualClock(),
      entropy: seededEntropy('later'),
      log: pino({ level: 'silent' }),
      workerEntry,
      pid: process.pid,
      pool: scriptedPool(),
      openStore: (path, mode) => Store.open(path, mode, layout),
    },
  );
  onTestFinished(() => troupe.close());
  return troupe;
}

function schemaOf(file: string): unknown {
  const connection = new Database(file);
  try {
    return connection.pragma('user_version', { simple: true });
  } finally {
    connection.close();
  }
}

async function stored() {
  const test = await start({ machines: [lamp] });
  await test.troupe.spawn(lamp, { id: '1' });
  return test;
}

describe('a store of an earlier layout', () => {
  it('[G3] is migrated, layout by layout, by the first host of the later one', async () => {
    const test = await stored();
    await test.leave();
    const troupe = await openAs(test.file, NEXT);
    expect(schemaOf(test.file)).toBe(NEXT.schema);
    expect(test.rows('SELECT colour FROM actors')).toEqual([{ colour: 'blue' }]);
    expect(test.rows('SELECT schema FROM hosts')).toEqual([{ schema: NEXT.schema }]);
    await troupe.send('lamp/1', { type: 'PRESS' });
    expect(await troupe.get('lamp/1')).toMatchObject({ revision: 2 });
  });

  it('[G3] is refused while a host of it is alive, and stays as it is', async () => {
    const test = await stored();
    const error = await refusal(openAs(test.file, NEXT), 'store_schema');
    expect(error.message).toContain('stop host');
    expect(schemaOf(test.file)).toBe(STORE_SCHEMA);
    await test.troupe.send('lamp/1', { type: 'PRESS' });
    expect(await test.troupe.get('lamp/1')).toMatchObject({ revision: 2 });
  });

  it('[G3] is left as it is by who only sends or reads', async () => {
    const test = await stored();
    await test.leave();
    const error = await refusal(openAs(test.file, NEXT, []), 'store_schema');
    expect(error.message).toContain('start one first');
    expect(schemaOf(test.file)).toBe(STORE_SCHEMA);
  });

  it('[G3] a migration that fails leaves nothing of itself', async () => {
    const test = await stored();
    await test.leave();
    const broken = {
      schema: NEXT.schema,
      migrations: { ...NEXT.migrations, [STORE_SCHEMA + 1]: 'UPDATE nothing SET x = 1' },
    };
    await expect(openAs(test.file, broken)).rejects.toThrow();
    expect(schemaOf(test.file)).toBe(STORE_SCHEMA);
    await test.reopen();
  });

  it('[G3] older than all that is known is refused', async () => {
    const test = await stored();
    await test.leave();
    test.write(`PRAGMA user_version = ${STORE_SCHEMA - 1}`);
    const error = await refusal(test.reopen(), 'store_schema');
    expect(error.message).toContain(`layout ${STORE_SCHEMA - 1}`);
  });
});

describe('a process that opened the store before it was migrated', () => {
  it('[G3] is refused when it registers as a host', async () => {
    const test = await stored();
    await test.leave();
    const error = await refusal(
      openTroupe(
        { store: test.file, machines: [lamp], graceMs: 0 },
        {
          clock: virtualClock(),
          entropy: seededEntropy('slow'),
          log: pino({ level: 'silent' }),
          workerEntry,
          pid: process.pid,
          pool: scriptedPool(),
          // Between its opening and its row somebody else migrates.
          boundary: (name) => {
            if (name === 'open.lockTaken') test.write(`PRAGMA user_version = ${NEXT.schema}`);
          },
        },
      ),
      'store_schema',
    );
    expect(error.message).toContain(`layout ${NEXT.schema}`);
    expect(test.rows('SELECT * FROM hosts')).toEqual([]);
  });

  it('[G3] is refused when it sends', async () => {
    const test = await stored();
    await test.reopen({ machines: [] });
    test.write(`PRAGMA user_version = ${NEXT.schema}`);
    await refusal(test.troupe.send('lamp/1', { type: 'PRESS' }), 'store_schema');
    expect(test.rows('SELECT * FROM messages')).toEqual([]);
  });
});
