// Screen: a block of lines at the end of a terminal that is drawn again in place, with ordinary lines above it.

import type { WriteStream } from 'node:tty';
import { widthOf } from './format/text.ts';

const CLEAR_BELOW = '\u001b[J';
const COLUMNS_UNKNOWN = 80;
const ROWS_UNKNOWN = 24;

export class Screen {
  private readonly stream: WriteStream;
  private shown: readonly string[] = [];

  constructor(stream: WriteStream) {
    this.stream = stream;
  }

  /** Some terminals report 0 columns. */
  get columns(): number {
    return this.stream.columns || COLUMNS_UNKNOWN;
  }

  get rows(): number {
    return this.stream.rows || ROWS_UNKNOWN;
  }

  /** Draws the block. Its lines must not be wider than the terminal. */
  draw(lines: readonly string[]): void {
    this.stream.write(`${this.erasure()}${lines.map((line) => `${line}\n`).join('')}`);
    this.shown = lines;
  }

  /** Writes something above the block, to this terminal by whatever stream. */
  above(write: () => void): void {
    const block = this.shown;
    this.draw([]);
    write();
    if (block.length > 0) this.draw(block);
  }

  /** Leaves the block where it is; what comes next is written below it. */
  leave(): void {
    this.shown = [];
  }

  /** The terminal may have become narrower since: then a line of the block takes several rows now. */
  private erasure(): string {
    const rows = this.shown.reduce(
      (sum, line) => sum + Math.max(Math.ceil(widthOf(line) / this.columns), 1),
      0,
    );
    return rows === 0 ? '' : `\u001b[${rows}A\r${CLEAR_BELOW}`;
  }
}
