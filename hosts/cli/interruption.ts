// Interruption: the first signal asks for a clean end, a second one ends the process at once (V9).

import { EXIT } from './exit-codes.ts';

const SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Signals within this time are one: npm and npx pass on to their child what the terminal has sent it already.
 * Milliseconds.
 */
const SAME_SIGNAL_MS = 500;

export class Interruption {
  private readonly controller = new AbortController();
  private readonly handle: (name: NodeJS.Signals) => void;
  private firstAtMs: number | undefined;

  /** Listens until it is disposed of. `onFirst` is called once. */
  constructor(onFirst: (name: NodeJS.Signals) => void) {
    this.handle = (name) => {
      if (this.firstAtMs === undefined) {
        this.firstAtMs = performance.now();
        onFirst(name);
        this.controller.abort();
      } else if (performance.now() - this.firstAtMs > SAME_SIGNAL_MS) {
        process.exit(EXIT.interrupted);
      }
    };
    for (const name of SIGNALS) process.on(name, this.handle);
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Ends as if a signal had come: nobody reads what is written any more. */
  interrupt(): void {
    this.controller.abort();
  }

  [Symbol.dispose](): void {
    for (const name of SIGNALS) process.off(name, this.handle);
  }
}
