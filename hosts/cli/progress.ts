// Progress: how far a long command has come: drawn in place on a terminal, elsewhere a line on stderr now and then.

import type { Output } from './output.ts';

/** Pause between two lines where nothing can be drawn in place. Milliseconds. */
const PAUSE_MS = 10_000;

export class Progress {
  private readonly output: Output;
  private readonly now: () => number;
  private toldMs: number;

  /** @param now Milliseconds that never go back. */
  constructor(output: Output, now: () => number = () => performance.now()) {
    this.output = output;
    this.now = now;
    this.toldMs = now();
  }

  tell(line: string): void {
    const { screen } = this.output;
    if (screen !== undefined) {
      screen.draw([line]);
      return;
    }
    if (this.now() - this.toldMs < PAUSE_MS) return;
    this.toldMs = this.now();
    this.output.notice(line);
  }

  end(): void {
    this.output.screen?.draw([]);
  }
}
