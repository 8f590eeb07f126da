#!/usr/bin/env node
// Main: the binary `troupe`.

import { runCli } from './program.ts';

/** A user's module may keep something open; by then everything is written. Milliseconds. */
const LEAVE_MS = 1_000;

// Who reads our output may have gone: `troupe journal … | head`. The command goes on to its end, which its exit code tells; one
// that runs on for itself listens, too.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_DESTROYED') throw error;
});

process.exitCode = await runCli(process.argv.slice(2));
setTimeout(() => process.exit(), LEAVE_MS).unref();
