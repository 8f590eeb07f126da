// Determinism: while a step runs, the clock and the randomness of the language answer from the step (K1).
//
// A step is synchronous, so nothing but machine code can see the stamped globals; they are put back before it returns. Steps
// of one batch share one replacement: between them the replaced globals answer as the real ones do.

export interface Stamp {
  /** The stamped time. Milliseconds since 1970. */
  readonly atMs: number;
  /** What seeds the generator: actor and revision. */
  readonly seed: string;
}

/** The stamp of the step that runs; a step is synchronous, so there is never more than one. */
let running: { readonly atMs: number; readonly random: () => number } | undefined;

/** Runs machine code under a stamp. The globals are restored also when it throws. */
export function underStamp<T>({ atMs, seed }: Stamp, run: () => T): T {
  const saved = running;
  running = { atMs, random: seededGenerator(seed) };
  try {
    return withReplacedGlobals(run);
  } finally {
    running = saved;
  }
}

/** What the globals were before they were replaced; undefined while they are the language's own. */
let real: Globals | undefined;

/** Runs several steps, synchronously, with the globals replaced once. Without it each step replaces them by itself. */
export function withReplacedGlobals<T>(run: () => T): T {
  if (real !== undefined) return run();
  real = replaceGlobals();
  try {
    return run();
  } finally {
    restoreGlobals(real);
    real = undefined;
  }
}

interface Globals {
  readonly Date: DateConstructor;
  readonly random: () => number;
  readonly now: () => number;
  readonly crypto: PropertyDescriptor | undefined;
}

function replaceGlobals(): Globals {
  const found = {
    Date: globalThis.Date,
    random: Math.random,
    now: performance.now,
    crypto: Object.getOwnPropertyDescriptor(globalThis, 'crypto'),
  };
  globalThis.Date = STAMPED_DATE;
  Math.random = stampedRandom;
  performance.now = stampedElapsed;
  Object.defineProperty(globalThis, 'crypto', STAMPED_CRYPTO);
  return found;
}

function restoreGlobals({ Date, random, now, crypto }: Globals): void {
  globalThis.Date = Date;
  Math.random = random;
  performance.now = now;
  if (crypto) Object.defineProperty(globalThis, 'crypto', crypto);
}

function stampedNow(): number {
  return running?.atMs ?? real?.Date.now() ?? 0;
}

/** The process's own monotonic clock, unless a step runs. */
function stampedElapsed(): number {
  return running?.atMs ?? real?.now.call(performance) ?? 0;
}

function stampedRandom(): number {
  return running?.random() ?? real?.random() ?? 0;
}

const STAMPED_DATE = new Proxy(globalThis.Date, {
  construct: (target, args: unknown[], newTarget) =>
    Reflect.construct(target, args.length === 0 ? [stampedNow()] : args, newTarget) as object,
  apply: (target) => new target(stampedNow()).toString(),
  get: (target, property, receiver) =>
    property === 'now' ? stampedNow : (Reflect.get(target, property, receiver) as unknown),
});

/** The synchronous part of `crypto`. Its other members are absent: what they give could not be given again. */
const STAMPED_CRYPTO: PropertyDescriptor = {
  configurable: true,
  value: {
    getRandomValues: <T extends ArrayBufferView>(array: T): T => {
      fillBytes(array, stampedRandom);
      return array;
    },
    randomUUID: () => seededUuid(stampedRandom),
  },
};

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

/** A generator in [0, 1) that is seeded only when it is first asked. */
export function seededGenerator(seed: string): () => number {
  let generator: (() => number) | undefined;
  return () => {
    generator ??= sfc32(cyrb128(seed));
    return generator();
  };
}

type Seed = [number, number, number, number];

/** cyrb128, a public-domain hash of a text to 128 bits: with fewer, ids made of it would soon meet. */
function cyrb128(text: string): Seed {
  let [a, b, c, d] = [1_779_033_703, 3_144_134_277, 1_013_904_242, 2_773_480_762] as Seed;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    a = b ^ Math.imul(a ^ code, 597_399_067);
    b = c ^ Math.imul(b ^ code, 2_869_860_233);
    c = d ^ Math.imul(c ^ code, 951_274_213);
    d = a ^ Math.imul(d ^ code, 2_716_044_179);
  }
  a = Math.imul(c ^ (a >>> 18), 597_399_067);
  b = Math.imul(d ^ (b >>> 22), 2_869_860_233);
  c = Math.imul(a ^ (c >>> 17), 951_274_213);
  d = Math.imul(b ^ (d >>> 19), 2_716_044_179);
  return [a ^ b ^ c ^ d, b ^ a, c ^ a, d ^ a];
}

/** Rounds after which no bit of the result is that of the seed alone. */
const WARM_UP_ROUNDS = 12;

/** sfc32, a public-domain generator of 128 bits of state. */
function sfc32([a, b, c, d]: Seed): () => number {
  const next = (): number => {
    const sum = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + sum) | 0;
    return (sum >>> 0) / 4_294_967_296;
  };
  for (let round = 0; round < WARM_UP_ROUNDS; round++) next();
  return next;
}
