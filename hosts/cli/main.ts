#!/usr/bin/env node
// Main: the binary `troupe`.

import { runCli } from './program.ts';

/** A user's module may keep something open; by then everything is written. Milliseconds. */
const LEAVE_MS = 1_000;

// Who reads our output may have gone: `troupe journal … | head`. A command that runs on listens for itself.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE' && process.stdout.listenerCount('error') === 1) process.exit(0);
});

process.exitCode = await runCli(process.argv.slice(2));
setTimeout(() => process.exit(), LEAVE_MS).unref();
