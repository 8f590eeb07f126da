// M4: several processes write one store at once, and none of them loses a message or fails (E20).

import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { assign, setup } from 'xstate';
import { openTroupe } from '../../hosts/embedded/index.ts';
import { until } from '../kit/index.ts';
import { durable, message, place } from './harness.ts';

const ear = durable(
  setup({ types: { context: {} as { heard: string[] } } }).createMachine({
    id: 'ear',
    context: { heard: [] },
    on: {
      SAY: {
        actions: assign({
          heard: ({ context, event }) => {
            const { name, n } = event as { name?: string; n?: number };
            return [...context.heard, `${name}${n}`];
          },
        }),
      },
    },
  }),
);

const SENDS = 150;

/** Runs the sender. @returns what it printed on its standard error, and its exit code. */
function sender(store: string, name: string): Promise<{ code: number | null; errors: string }> {
  const file = fileURLToPath(new URL('./processes/sender.ts', import.meta.url));
  const child = spawn(
    process.execPath,
    ['--import', import.meta.resolve('tsx'), file, store, name, String(SENDS)],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += String(chunk);
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, errors }));
  });
}

it('[M4, M2] E20: two processes send while a third one steps and sends: nothing is lost or refused', async () => {
  const { file } = place();
  const troupe = await openTroupe({ store: file, machines: [ear] });
  await troupe.spawn(ear, { id: '1' });
  const sending = { isOver: false };
  const senders = Promise.all([sender(file, 'a'), sender(file, 'b')]).finally(() => {
    sending.isOver = true;
  });
  let own = 0;
  while (!sending.isOver) {
    await troupe.send('ear/1', message('SAY', { name: 'host', n: own }));
    own++;
  }
  expect(await senders).toEqual([
    { code: 0, errors: '' },
    { code: 0, errors: '' },
  ]);
  await until(async () => (await troupe.get('ear/1')).messages.length === 0);
  const { heard } = (await troupe.get('ear/1')).context as { heard: string[] };
  await troupe.close();
  expect(heard).toHaveLength(2 * SENDS + own);
  for (const [name, count] of [
    ['a', SENDS],
    ['b', SENDS],
    ['host', own],
  ] as const) {
    const numbers = heard.filter((each) => each.replace(/\d+$/, '') === name);
    expect(numbers).toEqual(Array.from({ length: count }, (_, n) => `${name}${n}`));
  }
});
