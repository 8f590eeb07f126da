// Host: runs the archive example from dist until it has ended, or until it is told to die.
//
// Its one argument is JSON: { store, input, approve, killAt? }. With killAt it sends itself SIGKILL when that boundary is
// passed for the n-th time. It ends with 0 when the archive is done and the store is left.

import { archive, archiveFile } from '../../dist/examples/archive/index.js';
import { openTroupe } from '../../dist/hosts/embedded/index.js';

const { store, input, approve, killAt } = JSON.parse(process.argv[2] ?? '{}');

let passed = 0;
const boundary = (/** @type {string} */ at) => {
  if (at === killAt?.boundary && ++passed === killAt.count) process.kill(process.pid, 'SIGKILL');
};

const troupe = await openTroupe({ store, machines: [archive, archiveFile], boundary });
const { address } = await troupe.spawn(archive, { id: 'photos', input });

/** Looks once; sends the approval when it is asked for. The message id makes a repetition harmless (M3). */
async function look() {
  const view = await troupe.get(address);
  if (view.stuck) throw new Error(`${address} is stuck: ${view.stuck.message}`);
  if (approve && view.state === 'deciding') {
    await troupe.send(address, { type: 'APPROVE' }, { messageId: 'approve' });
  }
  return view.status !== 'active';
}

// The watch begins before the first look, so that no change falls between the two.
const changes = troupe.watch(address);
let isOver = await look();
while (!isOver) {
  const { done } = await changes.next();
  isOver = (await look()) || Boolean(done);
}
await troupe.close();
