// Platform: what differs between operating systems. Linux is proven; the others only know where state would lie.

import { homedir, platform } from 'node:os';
import { join } from 'node:path';
import { TroupeError } from '../persistence/index.ts';

/** The folder for state that belongs to the user and no project: `$TROUPE_HOME`, else the system's place for it. */
export function stateFolder(environment: Readonly<Record<string, string | undefined>>): string {
  const named = environment['TROUPE_HOME'];
  if (named) return named;
  switch (platform()) {
    case 'darwin':
      return join(homedir(), 'Library', 'Application Support', 'troupe');
    case 'win32':
      return join(environment['LOCALAPPDATA'] ?? join(homedir(), 'AppData', 'Local'), 'troupe');
    default:
      return join(environment['XDG_STATE_HOME'] ?? join(homedir(), '.local', 'state'), 'troupe');
  }
}

/**
 * Refuses what nobody has proven yet. @throws {TroupeError} `unsupported_platform` on anything but Linux.
 */
export function requireProvenPlatform(what: string, found: string = platform()): void {
  if (found === 'linux') return;
  throw new TroupeError(
    'unsupported_platform',
    `${what} is proven on Linux only; this is ${found}. Run it on Linux, or in a Linux container.`,
    { details: { platform: found } },
  );
}
