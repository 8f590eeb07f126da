// Until: waits for a condition, never for a while.

/** How long `until` waits when it is not told. Milliseconds. */
export const UNTIL_LIMIT_MS = 10_000;

/** Looks without a pause before the first; a virtual clock settles within these. */
const EAGER_LOOKS = 50;

/** Pause between later looks. Milliseconds. */
const PAUSE_MS = 2;

export interface UntilOptions {
  /** Milliseconds of real time; default 10_000. */
  readonly limitMs?: number;
  /** What is waited for, for the error. */
  readonly what?: string;
}

/**
 * Settles with the first truthy answer of `condition`. @throws {Error} when there is none within the limit; what
 * `condition` throws.
 */
export async function until<T>(
  condition: () => T | Promise<T>,
  options: UntilOptions = {},
): Promise<Exclude<T, undefined | null | false | 0 | ''>> {
  const limitMs = options.limitMs ?? UNTIL_LIMIT_MS;
  const untilMs = performance.now() + limitMs;
  for (let looks = 0; ; looks++) {
    const answer = await condition();
    if (answer) return answer as Exclude<T, undefined | null | false | 0 | ''>;
    if (performance.now() > untilMs) {
      throw new Error(`waited ${limitMs} ms in vain for ${options.what ?? condition.toString()}`);
    }
    await new Promise<void>((resolve) => {
      if (looks < EAGER_LOOKS) setImmediate(resolve);
      else setTimeout(resolve, PAUSE_MS);
    });
  }
}
