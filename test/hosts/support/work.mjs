// Work: a call that does nothing but witness that it ran, outside the store.
//
// Its input: { call, witness, paceMs?, untilFile? }. The lines are those of ../../crash/place.ts, and the process's id.

import { appendFileSync, existsSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

/**
 * @param {{ call: string, witness: string, paceMs?: number, untilFile?: string }} input
 * @param {import('../../../adapters/index.ts').CallContext} context
 */
export default async function work({ call, witness, paceMs = 0, untilFile }, { callId, attempt }) {
  const note = (/** @type {'begin' | 'end'} */ at) => {
    const line = { at, call, key: callId, attempt, pid: process.pid };
    appendFileSync(witness, `${JSON.stringify(line)}\n`);
  };
  note('begin');
  await pause(paceMs);
  const isOver = () => untilFile === undefined || existsSync(untilFile);
  while (!isOver()) await pause(2);
  note('end');
  return null;
}
