// User name: who sits at this machine, as its operating system knows them.

import { userInfo } from 'node:os';

/** The name of the user of this process; their number where the system has no name for them. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch (error) {
    // A container may run under a number that no user has.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SYSTEM_ERROR') throw error;
    return `user ${process.getuid?.() ?? 'unknown'}`;
  }
}
