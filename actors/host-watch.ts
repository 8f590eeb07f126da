// Host watch: what a host looks at in the others while it runs. Who has died is settled without waiting for the next start (V5,
// C5), and a host that has been fenced learns it although it has nothing to write (V4).

import type { Logger } from 'pino';
import type { HostRow, Store } from '../persistence/index.ts';
import type { Group } from './engine/group.ts';
import { provenDead, settleHosts } from './host-end.ts';
import { HOST_PROBE_MS } from './limits.ts';
import type { Clock } from './ports.ts';
import { messageOf } from './step/index.ts';

export interface HostWatchPorts {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
  /** The incarnation of this host. */
  readonly host: string;
  readonly admit: (run: (group: Group) => void) => Promise<void>;
  /** Called when this host has no row any more. */
  readonly onFenced: () => void;
}

export class HostWatch {
  private readonly ports: HostWatchPorts;
  private disarm = () => {};
  private isStopped = false;
  /** The others at the last look. */
  private others = new Set<string>();
  private isSettling = false;

  constructor(ports: HostWatchPorts) {
    this.ports = ports;
  }

  /** Looks now, and then every HOST_PROBE_MS. */
  start(): void {
    this.look();
    if (this.isStopped) return;
    this.disarm = this.ports.clock.after(HOST_PROBE_MS, () => this.start());
  }

  stop(): void {
    this.isStopped = true;
    this.disarm();
  }

  private look(): void {
    const { store, host, log, onFenced } = this.ports;
    try {
      const hosts = store.hosts.all();
      const others = hosts.filter(({ incarnation }) => incarnation !== host);
      if (others.length === hosts.length) onFenced();
      else this.judge(others);
    } catch (error) {
      // The storage is away: the engine meets it and says so, and another look follows.
      log.debug({ error: messageOf(error) }, 'the other hosts could not be looked at');
    }
  }

  private judge(others: readonly HostRow[]): void {
    const dead = provenDead(this.ports.store, others);
    const names = new Set(others.map(({ incarnation }) => incarnation));
    // Who left settled its calls itself; a row that an operator removed did not.
    const isMissed = [...this.others].some((name) => !names.has(name));
    if (dead.length > 0 || isMissed) void this.settle(dead, names);
    else this.others = names;
  }

  private async settle(dead: readonly HostRow[], others: Set<string>): Promise<void> {
    if (this.isSettling) return;
    this.isSettling = true;
    const { store, log, admit } = this.ports;
    try {
      await admit((group) => settleHosts(group, dead, log));
      this.others = others;
      for (const host of dead) {
        store.hostLocks.remove(host);
        store.stepNotes.remove(host.incarnation);
      }
    } catch (error) {
      log.debug(
        { error: messageOf(error) },
        'dead hosts could not be settled; another look follows',
      );
    } finally {
      this.isSettling = false;
    }
  }
}
