// Reader: holds one read transaction after the other, so that there is always one. Arguments: the store, how long each is
// held in milliseconds. It says `reading` when the first is open, and how many it has held when its parent disconnects.

import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';

const [store = '', heldMs = '100'] = process.argv.slice(2);
const connection = new Database(store, { readonly: true, fileMustExist: true, timeout: 5_000 });
const look = connection.prepare('SELECT count(*) FROM actors');

process.on('disconnect', () => process.exit());
for (let held = 0; ; held++) {
  connection.exec('BEGIN');
  look.get();
  process.send?.(held);
  await pause(Number(heldMs));
  connection.exec('COMMIT');
}
