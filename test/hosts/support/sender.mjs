// Sender: a client beside hosts that sends one message after the other. Its one argument is JSON:
// { store, address, sends, name }. It prints one JSON line: for each send, how many groups the hosts have committed
// between its start and its receipt, and its receipt's sequence number.

import Database from 'better-sqlite3';
import { openTroupe } from '../../../dist/hosts/embedded/index.js';

const { store, address, sends, name } = JSON.parse(process.argv[2] ?? '{}');
const troupe = await openTroupe({ store });
const reader = new Database(store, { readonly: true, fileMustExist: true, timeout: 5_000 });
const groups = reader.prepare('SELECT sum(commit_group) FROM hosts').pluck();

const sent = [];
for (let index = 0; index < sends; index++) {
  const before = /** @type {number} */ (groups.get());
  const { seq } = await troupe.send(address, { type: 'COUNT' }, { messageId: `${name}-${index}` });
  sent.push({ seq, passedBy: /** @type {number} */ (groups.get()) - before });
}
process.stdout.write(`${JSON.stringify(sent)}\n`);
reader.close();
await troupe.close();
