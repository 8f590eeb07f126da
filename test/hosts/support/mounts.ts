// Mounts: a small disk of its own for a test, which can be full or read-only. It needs root.

import { spawnSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Site } from './hosts.ts';

/** What `mount` shows as the source of these; the process that made it follows. */
const SOURCE = 'troupe-test-';

export interface Disk extends Site {
  /** Takes every block that is left. */
  fill(): void;
  /** Gives them back. */
  free(): void;
  /** Changes how it is mounted. @throws {Error} with what `mount` said. */
  remount(how: 'ro' | 'rw'): void;
}

/** A disk in memory; it is unmounted when the test ends, and by the next run when this process is killed before. */
export function diskForTest(megabytes: number): Disk {
  requireRoot();
  unmountLeftovers();
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'troupe-disk-')));
  const disk = join(folder, 'disk');
  mkdirSync(disk);
  run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, `${SOURCE}${process.pid}`, disk]);
  onTestFinished(() => {
    // Lazily: a process that is being ended may still have a file open.
    run('umount', ['--lazy', disk]);
    rmdirSync(disk);
    rmSync(folder, { recursive: true });
  });
  const filler = join(disk, 'filler');
  return {
    store: join(disk, 'troupe.db'),
    folder: disk,
    // The witness must not fail with the disk.
    ledger: join(folder, 'ledger'),
    fill: () => fill(filler),
    free: () => rmSync(filler),
    remount: (how) => run('mount', ['-o', `remount,${how}`, disk]),
  };
}

function requireRoot(): void {
  if (process.getuid?.() === 0) return;
  throw new Error('This test mounts a disk of its own: run the tests as root, as CI does.');
}

/** Zeros until there is no room for another byte. */
function fill(filler: string): void {
  const chunk = Buffer.alloc(4_096);
  for (;;) {
    try {
      writeFileSync(filler, chunk, { flag: 'a' });
    } catch (error) {
      if ((error as { code?: string }).code === 'ENOSPC') return;
      throw error;
    }
  }
}

/** Of test processes that were killed before they could unmount. */
function unmountLeftovers(): void {
  const lines = readFileSync('/proc/mounts', 'utf8').split('\n');
  for (const line of lines) {
    const [source = '', target = ''] = line.split(' ');
    if (!source.startsWith(SOURCE) || isAlive(Number(source.slice(SOURCE.length)))) continue;
    run('umount', ['--lazy', target]);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false; // there is no such process: we are root and may signal any
  }
}

function run(command: string, args: readonly string[]): void {
  const { status, stderr, error } = spawnSync(command, args, { encoding: 'utf8' });
  if (status === 0) return;
  throw new Error(`${command} ${args.join(' ')}: ${error?.message ?? stderr}`);
}
