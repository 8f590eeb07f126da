// Process: one life of a host in a simulation, from its start to its close, its own stop or its death.

import { pino } from 'pino';
import {
  type Boundary,
  openTroupe,
  type Troupe,
  type TroupeOptions,
} from '../../../actors/index.ts';
import { workerEntry } from '../../../adapters/index.ts';
import type { Disk, Opener } from './disk.ts';
import type { FaultPlan } from './faults.ts';
import type { SimulatedStore } from './simulated-store.ts';
import type { Timeline } from './timeline.ts';
import type { SimulatedProcess, World } from './world.ts';

export interface ProcessParts {
  readonly number: number;
  /** What its wall clock is ahead of the timeline's. Milliseconds. */
  readonly aheadMs: number;
  readonly timeline: Timeline;
  readonly disk: Disk;
  readonly world: World;
  readonly faults: FaultPlan;
  readonly machines: TroupeOptions['machines'];
  readonly calls: TroupeOptions['calls'];
  readonly onBoundary: (boundary: Boundary) => void;
  /** Called with what a log action of an actor says. */
  readonly onTold: (actor: string, value: unknown) => void;
  /** Called once, when it serves. */
  readonly onReady: () => void;
  /** Called once, when nothing of it is left. */
  readonly onGone: (why: string) => void;
}

/** What a dying process throws, so that nothing after the boundary runs. */
class Death extends Error {}

export class HostProcess implements Opener, SimulatedProcess {
  readonly name: string;
  readonly number: number;
  incarnation = '';
  isDead = false;
  suspendedUntilMs = 0;
  readonly aheadMs: number;
  /** The open host, while it serves. */
  troupe: Troupe | undefined;
  private readonly parts: ProcessParts;
  private readonly pool: ReturnType<World['poolOf']>;
  private store: SimulatedStore | undefined;
  private incarnations = 0;

  constructor(parts: ProcessParts) {
    this.parts = parts;
    this.number = parts.number;
    this.aheadMs = parts.aheadMs;
    this.name = `process ${parts.number}`;
    this.pool = parts.world.poolOf(this);
  }

  start(): void {
    const { machines, calls, disk, timeline } = this.parts;
    const options = {
      store: disk.file,
      graceMs: 1_000,
      onFatal: (error: Error) => this.gone(`it stopped: ${error.message}`),
      ...(machines ? { machines } : {}),
      ...(calls ? { calls } : {}),
    };
    const ports = {
      clock: timeline.clockOf(this),
      entropy: { incarnation: () => this.nextIncarnation() },
      log: pino({ level: 'info' }, { write: (line) => this.told(line) }),
      workerEntry,
      pid: this.number,
      pool: this.pool,
      openStore: () => {
        this.store = disk.open(this);
        return this.store;
      },
      boundary: (boundary: Boundary) => this.pass(boundary),
    };
    openTroupe(options, ports).then(
      (troupe) => this.opened(troupe),
      (error: unknown) => this.gone(`it did not open: ${String(error)}`),
    );
  }

  /** Closes it as a signal does. */
  close(): void {
    const { troupe } = this;
    this.troupe = undefined;
    troupe?.close().then(
      () => this.gone('it closed'),
      (error: unknown) => this.gone(`it could not leave: ${String(error)}`),
    );
  }

  /** The process ends, as by `kill -9`. */
  kill(): void {
    this.gone('it was killed');
  }

  /** The process ends here and now, inside of what it does. @throws {Death} always. */
  die(): never {
    this.kill();
    throw new Death(this.name);
  }

  private nextIncarnation(): string {
    this.incarnation = `p${this.number}-${++this.incarnations}`;
    return this.incarnation;
  }

  /** A log line of a machine names its actor, and has a value. */
  private told(line: string): void {
    const { actor, value } = JSON.parse(line) as { actor?: string; value?: unknown };
    if (actor !== undefined && value !== undefined) this.parts.onTold(actor, value);
  }

  private opened(troupe: Troupe): void {
    if (this.isDead) return;
    this.troupe = troupe;
    this.parts.onReady();
  }

  private pass(boundary: Boundary): void {
    if (this.isDead) throw new Death(this.name);
    this.parts.onBoundary(boundary);
    if (this.parts.faults.happens('crash', boundary)) this.die();
  }

  /** Whatever its end was: its process leaves nothing behind but what is on disk and on the wire. */
  private gone(why: string): void {
    if (this.isDead) return;
    this.isDead = true;
    this.troupe = undefined;
    this.store?.abandon();
    this.pool.crash();
    this.parts.onGone(why);
  }
}
