// Sender: a process beside the host of senders.ts. It says when it has opened, and the time of each of its sends.

import { openTroupe } from '../hosts/embedded/index.ts';

interface Argument {
  readonly store: string;
  readonly address: `${string}/${string}`;
  readonly sends: number;
}

const { store, address, sends } = JSON.parse(process.argv[2] ?? '{}') as Argument;
const troupe = await openTroupe({ store });

process.once('message', () => {
  void sendAll().then(async (timesMs) => {
    await troupe.close();
    process.send?.(timesMs, () => process.disconnect());
  });
});
process.send?.('ready');

async function sendAll(): Promise<number[]> {
  const timesMs: number[] = [];
  while (timesMs.length < sends) {
    const startedMs = performance.now();
    await troupe.send(address, { type: 'NEXT' });
    timesMs.push(performance.now() - startedMs);
  }
  return timesMs;
}
