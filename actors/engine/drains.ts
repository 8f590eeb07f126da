// Drains: who waits until all that was ready at some moment has been stepped (V1, V9).

import type { Store } from '../../persistence/index.ts';

interface Drain {
  /** The newest message of that moment. */
  readonly untilSeq: number;
  readonly resolve: () => void;
}

export class Drains {
  private drains: Drain[] = [];

  get isEmpty(): boolean {
    return this.drains.length === 0;
  }

  /** Settles when every message up to this one that may be stepped has been. */
  add(untilSeq: number): Promise<void> {
    return new Promise((resolve) => this.drains.push({ untilSeq, resolve }));
  }

  /** Settles those whose messages are gone. */
  settle(store: Store, machines: readonly string[], nowMs: number): void {
    this.drains = this.drains.filter(({ untilSeq, resolve }) => {
      const isLeft = machines.some((name) => store.messages.isReadyUntil(name, untilSeq, nowMs));
      if (!isLeft) resolve();
      return isLeft;
    });
  }

  /** Nothing will be stepped any more. */
  giveUp(): void {
    for (const { resolve } of this.drains.splice(0)) resolve();
  }
}
