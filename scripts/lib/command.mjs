// Command: a script that is run by hand: its help, its signals and its exit code.

import { isMain } from './files.mjs';

/** @typedef {(args: string[], interruption: AbortSignal) => Promise<boolean>} Work */

/** Exit code after a signal. */
const INTERRUPTED = 130;

/**
 * Runs a script's command, when it was started itself: exit 0 when it returns true, 1 when not or when it throws, 130 after
 * a signal. `--help` prints its help, and so does an option that is none.
 * @param {string} url  the script's `import.meta.url`
 * @param {string} help
 * @param {Work} work
 * @param {{ waits?: boolean }} [options]  `waits`: a signal is left to the work; else it ends all at once
 */
export async function runCommand(url, help, work, { waits = false } = {}) {
  if (!isMain(url)) return;
  const args = process.argv.slice(2);
  if (args.includes('--help')) return console.log(help);
  const interruption = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.on(signal, () => {
      if (!waits) process.exit(INTERRUPTED);
      interruption.abort();
    });
  }
  const code = await codeOf(() => work(args, interruption.signal), help);
  process.exitCode = interruption.signal.aborted ? INTERRUPTED : code;
}

/**
 * @param {() => Promise<boolean>} work
 * @param {string} help
 */
async function codeOf(work, help) {
  try {
    return (await work()) ? 0 : 1;
  } catch (error) {
    const isOption = /** @type {{ code?: string }} */ (error).code?.startsWith('ERR_PARSE_ARGS');
    console.error(error instanceof Error ? error.message : error);
    if (isOption) console.error(help);
    return 1;
  }
}
