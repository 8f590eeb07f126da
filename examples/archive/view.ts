// View: shows an archive's progress: one block that is drawn again on a terminal, a line for each file elsewhere.

import { progressBlock, progressLines } from './progress.ts';
import type { ArchiveContext } from './schemas.ts';

const COLUMNS_UNKNOWN = 80;

export class View {
  private shown = 0;
  private last: ArchiveContext | undefined;

  show(context: ArchiveContext, state: unknown): void {
    if (process.stdout.isTTY) this.draw(progressBlock(context, String(state), width()));
    else for (const line of progressLines(this.last, context)) console.log(line);
    this.last = context;
  }

  /** What is shown stays; what comes next is written below it. */
  leave(): void {
    this.shown = 0;
  }

  private draw(lines: readonly string[]): void {
    const erasure = this.shown === 0 ? '' : `\u001b[${this.shown}A\r\u001b[J`;
    process.stdout.write(`${erasure}${lines.map((line) => `${line}\n`).join('')}`);
    this.shown = lines.length;
  }
}

function width(): number {
  return process.stdout.columns || COLUMNS_UNKNOWN;
}
