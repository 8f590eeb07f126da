// Call errors: what an `onError` of these machines reads from what a call failed with.

/** Whether it did not happen, never began, or nobody knows. Anything that does not say is unknown. */
export function outcomeOf(error: unknown): 'failed' | 'notStarted' | 'unknown' {
  const outcome = partOf(error, 'outcome');
  return outcome === 'failed' || outcome === 'notStarted' ? outcome : 'unknown';
}

/** One line for a report. */
export function reasonOf(error: unknown): string {
  const message = partOf(error, 'message');
  return typeof message === 'string' ? message : 'it failed without a message';
}

function partOf(error: unknown, key: string): unknown {
  return typeof error === 'object' && error !== null
    ? (error as Readonly<Record<string, unknown>>)[key]
    : undefined;
}

/** Doubles the first wait with each failure, up to the longest. Milliseconds. */
export function backoffMs(
  failures: number,
  { retryMs, retryMsMax }: { readonly retryMs: number; readonly retryMsMax: number },
): number {
  return Math.min(retryMs * 2 ** Math.max(failures - 1, 0), retryMsMax);
}
