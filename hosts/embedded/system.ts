// System: the real clock and the real randomness. Only hosts read them.

import { randomBytes } from 'node:crypto';
import type { Clock, Entropy } from '../../actors/index.ts';

export const systemClock: Clock = {
  now: () => Date.now(),
  after: (delayMs, run) => {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
  soon: (run) => {
    setImmediate(run);
  },
};

/** A ULID: 48 bits of time and 80 of randomness in Crockford's base 32, so that newer ones sort after older ones. */
export const systemEntropy: Entropy = {
  incarnation: () =>
    encode(BigInt(Date.now()), 10) + encode(BigInt(`0x${randomBytes(10).toString('hex')}`), 16),
};

const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

function encode(value: bigint, length: number): string {
  let rest = value;
  let text = '';
  for (let index = 0; index < length; index++) {
    text = (DIGITS[Number(rest % 32n)] ?? '0') + text;
    rest /= 32n;
  }
  return text;
}
