// Write: makes the golden store of a version: small, and with every kind of row that a host may leave behind (G5).

import Database from 'better-sqlite3';
import { openTestTroupe, seededEntropy, type TestTroupe } from '../kit/index.ts';
import { machines, orders } from './0.1.0/machines.ts';

const SENT: readonly (readonly [id: string, ...events: string[]])[] = [
  ['open', 'NOTE'],
  ['read', 'NOTE', 'READ'],
  ['write', 'WRITE'],
  ['given-up', 'READ', 'GIVE_UP'],
  ['helped', 'HELP'],
  ['alone', 'HELP', 'GIVE_UP'],
  ['split', 'SPLIT', 'TURN', 'NEXT'],
  ['paused', 'SPLIT', 'NEXT', 'PAUSE'],
  ['stuck', 'NOTE', 'BREAK'],
  ['closed', 'NOTE', 'CLOSE'],
];

/** Writes the store as a host leaves it that dies, with its calls claimed. The same bytes each time, with one SQLite. */
export async function writeGolden(file: string): Promise<void> {
  const test = await openTestTroupe({ machines, entropy: seededEntropy('golden') });
  try {
    await fill(test);
    test.write(`VACUUM INTO '${file}'`);
  } finally {
    await test.close();
  }
  finish(file);
}

async function fill({ troupe, clock, pool }: TestTroupe): Promise<void> {
  for (const [id, ...events] of SENT) {
    const { address } = await troupe.spawn(orders, { id });
    for (const type of events) {
      await clock.advance(1_000);
      await troupe.send(address, { type });
      await clock.settle();
    }
  }
  await troupe.send('order/open', { type: 'NOTE' }, { messageId: 'kept' });
  // Late evidence, a message to nobody, one in a stuck mailbox, and more than a checkpoint's worth of steps.
  pool.started.find(({ callId }) => callId.startsWith('order/given-up'))?.answer('too late');
  await troupe.send('order/nobody', { type: 'NOTE' }).catch(() => {});
  await troupe.send('order/closed', { type: 'NOTE' }).catch(() => {});
  for (let index = 0; index < 101; index++) await troupe.send('order/open', { type: 'NOTE' });
  await clock.settle();
}

/** Checkpointed and in WAL mode, as a host leaves its store; the path of a lock means nothing elsewhere. */
function finish(file: string): void {
  const connection = new Database(file);
  connection.pragma('journal_mode = WAL');
  connection
    .prepare("UPDATE hosts SET lock_file = 'store.db.host-' || incarnation, inode = 0, pid = 0")
    .run();
  connection.pragma('wal_checkpoint(TRUNCATE)');
  connection.close();
}
