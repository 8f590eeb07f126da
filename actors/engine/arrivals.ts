// Arrivals: messages that came in the group that runs. Most are stepped in it and are never a row of their own: their journal
// row tells of them. What is left becomes a row before the commit, so that nothing is lost (K2).
//
// T4  their numbers come from the store's counter, and go on where it stands.
// K5  what came for an actor that ended in the same group has nowhere to go, as any other message that meets it.

import type { MessageRow, NewMessage, Store } from '../../persistence/index.ts';

export class Arrivals {
  private readonly messages: Store['messages'];
  private readonly machines: ReadonlySet<string>;
  private readonly waiting = new Map<number, MessageRow>();
  private lastSeq: number | undefined;

  /** @param machines Those that this host steps: what is for others becomes a row at once. */
  constructor({ messages }: Store, machines: ReadonlySet<string>) {
    this.messages = messages;
    this.machines = machines;
  }

  /** Takes a message; one that may not be stepped now becomes a row. @returns its sequence number. */
  take(message: NewMessage): number {
    const seq = (this.lastSeq ?? this.messages.lastSeq()) + 1;
    this.lastSeq = seq;
    const row = this.messages.arrival(message, seq);
    const isForNow = !message.held && message.kind !== 'timer' && this.machines.has(row.machine);
    if (isForNow) this.waiting.set(seq, row);
    else this.messages.insertRow(row);
    return seq;
  }

  /** Those that have not been stepped. */
  all(): readonly MessageRow[] {
    return [...this.waiting.values()];
  }

  /** Takes one out to step it; false when it is none of these. */
  remove(seq: number): boolean {
    return this.waiting.delete(seq);
  }

  /** Writes what is left as rows. Must be called before the commit. */
  close(): void {
    for (const row of this.waiting.values()) this.messages.insertRow(row);
    this.waiting.clear();
    if (this.lastSeq !== undefined) this.messages.keepLastSeq(this.lastSeq);
  }
}
