// Progress without a terminal, on a clock of the test.

import { afterEach, expect, it, vi } from 'vitest';
import { Output } from '../../hosts/cli/output.ts';
import { Progress } from '../../hosts/cli/progress.ts';

afterEach(() => vi.restoreAllMocks());

/** What is written to stderr when a line is told every 4 s of a minute. */
function told(options: Partial<Output['options']>): string[] {
  const written: string[] = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    written.push(String(text));
    return true;
  });
  let nowMs = 0;
  const output = new Output({ json: false, quiet: false, verbose: false, ...options });
  const progress = new Progress(output, () => nowMs);
  for (; nowMs < 60_000; nowMs += 4_000) progress.tell(`at ${nowMs / 1_000} s`);
  return written;
}

it('[H5] where nothing can be drawn in place a line comes every 10 s, as soon as there is one', () => {
  const lines = [12, 24, 36, 48].map((seconds) => `troupe: at ${seconds} s\n`);
  expect(told({})).toEqual(lines);
});

it.each([[{ json: true }], [{ quiet: true }]])('[H5] with %j nothing is said', (options) => {
  expect(told(options)).toEqual([]);
});
