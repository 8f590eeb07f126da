// Output: stdout carries data only; notices, logs and errors go to stderr (H5).

import { type Failure, failureJson, failureLine } from './errors.ts';
import { colourPaint, type Paint, plainPaint } from './format/style.ts';
import type { Frame } from './format/table.ts';
import { printable } from './format/text.ts';
import { Screen } from './screen.ts';

export interface OutputOptions {
  readonly json: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
}

export class Output {
  readonly options: OutputOptions;
  /** The terminal that a block may be drawn on; undefined when stdout is none, or is for a program. */
  readonly screen: Screen | undefined;
  private readonly paint: Paint;

  constructor(options: OutputOptions) {
    this.options = options;
    const isLive = process.stdout.isTTY && !options.json && !options.quiet;
    this.screen = isLive ? new Screen(process.stdout) : undefined;
    this.paint = wantsColour() ? colourPaint : plainPaint;
  }

  /** How wide lines may be, and how they are coloured. Where stdout is no terminal nothing is cut. */
  get frame(): Frame {
    const width = process.stdout.isTTY ? process.stdout.columns || 80 : undefined;
    return { width, paint: this.paint };
  }

  /** One line of data, whose parts are printable. */
  line(text: string): void {
    this.above(() => process.stdout.write(`${text}\n`));
  }

  lines(texts: readonly string[]): void {
    for (const text of texts) this.line(text);
  }

  /** One JSON value on one line. */
  json(value: unknown): void {
    this.line(JSON.stringify(value));
  }

  /** A word to the person at the terminal. Silent for programs and with --quiet. */
  notice(text: string): void {
    if (!this.options.quiet && !this.options.json) this.toStderr(`troupe: ${printable(text)}`);
  }

  /** Only with --verbose. */
  detail(text: string): void {
    if (this.options.verbose) this.notice(text);
  }

  /** A log line of a host: JSON where programs read. */
  log(json: string, text: string): void {
    this.toStderr(this.options.json ? json : `troupe: ${printable(text)}`);
  }

  failure(failure: Failure): void {
    this.toStderr(this.options.json ? failureJson(failure) : failureLine(failure));
    if (this.options.verbose && !this.options.json && failure.stack !== undefined) {
      this.toStderr(failure.stack);
    }
  }

  private toStderr(text: string): void {
    this.above(() => process.stderr.write(`${text}\n`));
  }

  private above(write: () => void): void {
    if (this.screen === undefined) write();
    else this.screen.above(write);
  }
}

/** https://no-color.org: set and not empty means none. */
function wantsColour(): boolean {
  return process.stdout.isTTY && !process.env['NO_COLOR'] && process.env['TERM'] !== 'dumb';
}
