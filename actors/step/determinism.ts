// Determinism: while a step runs, the clock and the randomness of the language answer from the step (K1).
//
// A step is synchronous, so nothing but machine code can see the replaced globals; they are put back before it returns.

export interface Stamp {
  /** The stamped time. Milliseconds since 1970. */
  readonly atMs: number;
  /** What seeds the generator: actor and revision. */
  readonly seed: string;
}

/** Runs machine code under a stamp. The globals are restored also when it throws. */
export function underStamp<T>(stamp: Stamp, run: () => T): T {
  const random = lazyGenerator(stamp.seed);
  const saved = {
    Date: globalThis.Date,
    random: Math.random,
    now: performance.now,
    crypto: Object.getOwnPropertyDescriptor(globalThis, 'crypto'),
  };
  globalThis.Date = stampedDate(saved.Date, stamp.atMs);
  Math.random = random;
  performance.now = () => stamp.atMs;
  Object.defineProperty(globalThis, 'crypto', {
    configurable: true,
    get: () => stampedCrypto(random),
  });
  try {
    return run();
  } finally {
    globalThis.Date = saved.Date;
    Math.random = saved.random;
    performance.now = saved.now;
    if (saved.crypto) Object.defineProperty(globalThis, 'crypto', saved.crypto);
  }
}

function stampedDate(RealDate: DateConstructor, atMs: number): DateConstructor {
  return new Proxy(RealDate, {
    construct: (target, args: unknown[], newTarget) =>
      Reflect.construct(target, args.length === 0 ? [atMs] : args, newTarget) as object,
    apply: (target) => new target(atMs).toString(),
    get: (target, property, receiver) =>
      property === 'now' ? () => atMs : (Reflect.get(target, property, receiver) as unknown),
  });
}

/** The synchronous part of `crypto`. Its other members are absent: what they give could not be given again. */
function stampedCrypto(random: () => number) {
  return {
    getRandomValues: <T extends ArrayBufferView>(array: T): T => {
      fillBytes(array, random);
      return array;
    },
    randomUUID: () => seededUuid(random),
  };
}

function fillBytes(array: ArrayBufferView, random: () => number): void {
  const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
  for (let index = 0; index < bytes.length; index++) bytes[index] = Math.floor(random() * 256);
}

function seededUuid(random: () => number): string {
  const digits = (count: number) =>
    Array.from({ length: count }, () => Math.floor(random() * 16).toString(16)).join('');
  const variant = (8 + Math.floor(random() * 4)).toString(16);
  return `${digits(8)}-${digits(4)}-4${digits(3)}-${variant}${digits(3)}-${digits(12)}`;
}

/** A generator in [0, 1) that is seeded only when machine code first asks. */
function lazyGenerator(seed: string): () => number {
  let generator: (() => number) | undefined;
  return () => {
    generator ??= mulberry32(fnv1a(seed));
    return generator();
  };
}

function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash >>> 0;
}

/** mulberry32, a public-domain generator of 32 bits of state. */
function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
