// Children: programs that run side by side, whose lines are told apart by a name, and that end before we do.

import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** @typedef {(line: string) => void} Print */

export class Children {
  /** @type {Set<import('node:child_process').ChildProcess>} */
  running = new Set();

  /**
   * @param {AbortSignal} interruption  outside of a terminal a signal comes to us alone: then they get it, too
   * @param {Print} out  gets what they print
   * @param {Print} aside  gets what they print to stderr
   */
  constructor(
    interruption,
    out = (line) => process.stdout.write(`${line}\n`),
    aside = (line) => process.stderr.write(`${line}\n`),
  ) {
    this.interruption = interruption;
    this.out = out;
    this.aside = aside;
    interruption.addEventListener('abort', () => {
      for (const child of this.running) child.kill('SIGINT');
    });
  }

  /**
   * Runs Node to its end, unless we were interrupted.
   * @param {string} name  stands before each line
   * @param {string[]} command
   * @returns {Promise<boolean>} whether it succeeded
   */
  run(name, command) {
    if (this.interruption.aborted) return Promise.resolve(false);
    const child = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'pipe'] });
    this.running.add(child);
    createInterface({ input: child.stdout }).on('line', (line) => this.out(`${name}: ${line}`));
    createInterface({ input: child.stderr }).on('line', (line) => this.aside(`${name}: ${line}`));
    return new Promise((resolve) => {
      child.once('close', (code) => {
        this.running.delete(child);
        resolve(code === 0);
      });
    });
  }
}
