// Step watch: says which message this host is stepping, to its note and to its watchdog (V3).
//
// The note of one step is replaced by that of the next, and cleared when no step follows. A message that its own group wrote has
// no name once that group is lost: steps of such messages in a row share one note.

import type { MessageRow, StepNote } from '../../persistence/index.ts';
import type { Watchdog } from '../ports.ts';

export class StepWatch {
  private readonly note: StepNote;
  private readonly watchdog: Watchdog | undefined;
  private isStepping = false;
  private isNewNoted = false;

  constructor(note: StepNote, watchdog: Watchdog | undefined) {
    this.note = note;
    this.watchdog = watchdog;
  }

  /** @param isNew The message was written by the very group that steps it. */
  begin(message: MessageRow, isNew: boolean): void {
    this.isStepping = true;
    if (!isNew || !this.isNewNoted) this.note.write({ seq: message.seq, isNew });
    this.isNewNoted = isNew;
    this.watchdog?.begin(message);
  }

  end(): void {
    if (!this.isStepping) return;
    this.isStepping = false;
    this.isNewNoted = false;
    this.note.clear();
    this.watchdog?.end();
  }
}
