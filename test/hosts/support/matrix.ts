// Matrix: two or three hosts on one store, of which one after the other is killed while jobs and sends come in.
//
// Every host is killed when the ledger, a boundary or the time says so, and a new one takes its place at once. Jobs are
// spawned and counters are counted by whichever host is asked; what a dying host left unanswered is asked of another.

import type { Boundary } from '../../../actors/index.ts';
import { explainKill, type Kill } from '../../crash/plan.ts';
import { until } from '../../kit/index.ts';
import { type Program, rowsOf } from '../../supervision/support/process.ts';
import {
  hostsOf,
  isStopped,
  type Sent,
  type Site,
  siteForTest,
  start,
  startBare,
} from './hosts.ts';
import { beginsOf } from './ledger.ts';

/** One store, from its first hosts to its end. */
export interface Run {
  readonly hosts: 2 | 3;
  readonly kills: readonly Kill[];
  /** Suspends one host before the first of these kills and wakes it after the last, by their place in `kills`. */
  readonly suspended?: readonly [from: number, to: number];
}

export interface RunEnd {
  readonly site: Site;
  readonly killed: ReadonlySet<number>;
  readonly sent: readonly Sent[];
  readonly jobs: readonly string[];
}

/** Jobs that are open at once. More than two hosts run, so that a new one finds work. */
const OPEN_JOBS = 16;

/** How long a call takes, so that hosts die inside it. Milliseconds. */
const PACE_MS = 15;

/** Past it a kill is taken for one that cannot happen. Milliseconds. */
const KILL_LIMIT_MS = 15_000;

const COUNTERS = ['counter/a', 'counter/b', 'counter/c'];

/** Goes through all kills of a run and to the end of all its jobs; every host has left then. */
export async function runMatrix(run: Run): Promise<RunEnd> {
  const matrix = new Matrix(siteForTest());
  await matrix.begin(run.hosts);
  const feeding = matrix.feed();
  try {
    for (const [index, kill] of run.kills.entries()) {
      if (index === run.suspended?.[0]) await matrix.suspend();
      await matrix.kill(kill).catch((error: unknown) => {
        throw new Error(`at kill ${index + 1}, ${explainKill(kill)}`, { cause: error });
      });
      if (index === run.suspended?.[1]) matrix.wake();
    }
  } finally {
    // Who sleeps would keep what was asked of it.
    matrix.wake();
    matrix.stopFeeding();
    await feeding;
  }
  return matrix.end();
}

class Matrix {
  private readonly site: Site;
  private readonly killed = new Set<number>();
  private readonly sent: Sent[] = [];
  private readonly jobs: string[] = [];
  private steady: Program[] = [];
  private sleeping: Program | undefined;
  private isFeeding = true;
  private turn = 0;

  constructor(site: Site) {
    this.site = site;
  }

  async begin(hosts: number): Promise<void> {
    // The victim of each kill is one more.
    const others = Array.from({ length: hosts - 1 }, () => start(this.site.store));
    this.steady = await Promise.all(others);
    for (const address of COUNTERS) {
      await this.ask('spawn', 'counter', address.slice('counter/'.length));
    }
  }

  /** Keeps jobs open and counters busy. */
  async feed(): Promise<void> {
    while (this.isFeeding) {
      if (this.openJobs() < OPEN_JOBS) await this.spawnJob();
      await Promise.all(COUNTERS.map((address) => this.count(address)));
    }
  }

  stopFeeding(): void {
    this.isFeeding = false;
  }

  /** Starts a host that dies so, or lets one of the others die when only its calls or the time decide. */
  async kill(kill: Kill): Promise<void> {
    const victim = startBare();
    this.killed.add(victim.pid);
    const killAt = kill.kind === 'boundary' ? kill : undefined;
    const opening = victim.ask('open', { store: this.site.store, killAt, graceMs: 0 });
    // It may be meant to die before it has opened.
    const opened = opening.then(
      () => 'opened',
      (error: { code: string }) => error.code,
    );
    if (kill.kind === 'boundary') await this.untilDead(victim, kill.boundary, opened);
    else await this.untilKilled(victim, kill, opened);
  }

  private async untilDead(
    victim: Program,
    boundary: Boundary,
    opened: Promise<string>,
  ): Promise<void> {
    if (boundary === 'close.beforeLeave') {
      await opened;
      victim.ask('close').catch(() => {});
    }
    const limit = until(timer(KILL_LIMIT_MS), { limitMs: 2 * KILL_LIMIT_MS });
    const exit = await Promise.race([victim.exited, limit.then(() => undefined)]);
    if (exit?.signal !== 'SIGKILL') throw new Error(`it did not die: ${JSON.stringify(exit)}`);
  }

  private async untilKilled(
    victim: Program,
    kill: Exclude<Kill, { readonly kind: 'boundary' }>,
    opened: Promise<string>,
  ): Promise<void> {
    const spawning: Promise<void>[] = [];
    let isTime: () => boolean | Promise<boolean> = timer(kill.kind === 'time' ? kill.ms : 0);
    if (kill.kind === 'call') {
      // Jobs of its own, so that it has calls to die in, and more of them when others were quicker; whoever lives goes on
      // with them.
      await opened;
      isTime = () => {
        const begun = beginsOf(this.site, kill.call).filter(({ pid }) => pid === victim.pid);
        if (begun.length >= kill.count) return true;
        if (this.openJobs() < OPEN_JOBS + kill.count) spawning.push(this.spawnJob(victim));
        return false;
      };
    }
    await until(isTime, { limitMs: KILL_LIMIT_MS, what: explainKill(kill) });
    await victim.kill();
    await Promise.all([opened, ...spawning]);
  }

  /** One of the steady hosts stops itself after a commit, so that it sleeps with claimed calls but not with the store. */
  async suspend(): Promise<void> {
    const sleeping = this.steady.pop();
    if (sleeping === undefined) throw new Error('no host is left to sleep');
    this.sleeping = sleeping;
    // It may sleep before it has answered: the answer comes when it wakes.
    sleeping.ask('stopAt', 'perform.done').catch(() => {});
    await until(() => isStopped(sleeping), { what: 'a host that sleeps' });
  }

  wake(): void {
    if (this.sleeping === undefined) return;
    this.sleeping.signal('SIGCONT');
    this.steady.push(this.sleeping);
    this.sleeping = undefined;
  }

  /** Waits for the end of all that was begun; then the hosts leave. */
  async end(): Promise<RunEnd> {
    await until(() => this.openJobs() === 0, { limitMs: KILL_LIMIT_MS, what: 'the last job' });
    for (const address of COUNTERS) await this.ask('send', address, { type: 'END' }, 'end');
    await until(() => rowsOf(this.site.store, 'SELECT 1 FROM messages').length === 0);
    // Who leaves does not look after the dead.
    await until(() => hostsOf(this.site.store).every(({ pid }) => !this.killed.has(pid)), {
      what: 'the settling of the last dead host',
    });
    await Promise.all(this.steady.map((host) => host.ask('close')));
    const { site, killed, sent, jobs } = this;
    return { site, killed, sent, jobs };
  }

  private openJobs(): number {
    const open = "SELECT 1 FROM actors WHERE machine = 'job' AND status = 'active'";
    return rowsOf(this.site.store, open).length;
  }

  /** @param victim Is asked first; when it dies, one of the others is asked again. */
  private async spawnJob(victim?: Program): Promise<void> {
    const id = String(this.jobs.push(`job/${this.jobs.length}`) - 1);
    const input = { witness: this.site.ledger, paceMs: PACE_MS };
    try {
      await victim?.ask('spawn', 'job', id, input);
    } catch (error) {
      if ((error as { code: string }).code !== 'died') throw error;
    }
    await this.ask('spawn', 'job', id, input);
  }

  private async count(address: string): Promise<void> {
    const messageId = `${address}-${this.sent.length}-${this.turn}`;
    const { seq } = await this.ask<{ seq: number }>('send', address, { type: 'COUNT' }, messageId);
    this.sent.push({ is: 'written', messageId, seq });
  }

  /** Asks the steady hosts in turn. */
  private ask<T>(method: string, ...args: readonly unknown[]): Promise<T> {
    const host = this.steady[this.turn++ % this.steady.length];
    if (host === undefined) throw new Error('no host is left');
    return host.ask<T>(method, ...args);
  }
}

function timer(ms: number): () => boolean {
  const untilMs = performance.now() + ms;
  return () => performance.now() >= untilMs;
}
