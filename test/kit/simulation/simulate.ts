// Simulate: runs the real engine, supervisor and store in one thread on simulated time, with everything that may go wrong,
// and checks afterwards that nothing was lost, doubled or done too early. All of it follows from one seed.

import { createHash } from 'node:crypto';
import type { Boundary } from '../../../actors/index.ts';
import { createRegistry, type Registry } from '../../../actors/registry/index.ts';
import { checkAll, type Moment } from './audit/checks.ts';
import type { Evidence } from './audit/evidence.ts';
import { Client } from './client.ts';
import { Disk } from './disk.ts';
import { FAULT_RATES, FaultPlan } from './faults.ts';
import { Ledger, type Told } from './ledger.ts';
import type { Finding, SimulateOptions, SimulationReport } from './options.ts';
import { HostProcess } from './process.ts';
import { type Random, randomOf } from './random.ts';
import { Requests } from './requests.ts';
import { settled, Timeline } from './timeline.ts';
import { World } from './world.ts';

/** Steps of a run when it is not told. */
const STEPS = 400;

/** Pause between two requests from outside, and before a process is started again. Milliseconds. */
const PAUSE_MS = [0, 4_000] as const;
const RESTART_MS = [0, 10_000] as const;

/** Part of the answers of calls before which, at the same moment, their actor is sent something: it may have moved on. */
const MEETINGS = 0.2;

/** Requests that come at the same moment, at most. */
const BURST_MAX = 4;

/** Time that passes when nothing happens. Milliseconds. */
const IDLE_MS = 10_000;

/** What is due is stepped within this. Milliseconds. */
const REST_MS = 5;

/** How far the wall clock is changed at most. Milliseconds. */
const JUMP_MS = 120_000;

/** Things that happen in a row without a step of an actor, at most: then no more steps come. */
const IDLE_TASKS_MAX = 5_000;

/** Journal rows that one part of a run may write for each of its steps: then its machines never rest. */
const ROWS_PER_STEP = 10;

/** Time after the last fault in which everything must come to rest, on top of the limits of a call. Milliseconds. */
const HEAL_MS = 20_000;

/** The longest claim limit that is waited for. Milliseconds. */
const CLAIM_MS_MAX = 120_000;

/** Runs one simulation. @throws {TroupeError} when machines or calls are refused; what the world's own functions throw outside of calls. */
export async function simulate(options: SimulateOptions): Promise<SimulationReport> {
  const { report, close } = await simulateOpen(options);
  close();
  return report;
}

/** A run whose store is still open. */
export interface OpenRun {
  readonly report: SimulationReport;
  readonly evidence: Evidence;
  /** Closes the store and removes it. */
  readonly close: () => void;
}

/** As `simulate`, and what its checks looked at can still be looked at. @throws what `simulate` throws. */
export async function simulateOpen(options: SimulateOptions): Promise<OpenRun> {
  const simulation = new Simulation(options);
  const close = () => simulation.close();
  try {
    const report = await simulation.run();
    return { report, evidence: simulation.evidence(), close };
  } catch (error) {
    close();
    throw error;
  }
}

class Simulation {
  private readonly options: SimulateOptions;
  private readonly seed: string;
  private readonly timeline = new Timeline();
  private readonly random: Random;
  private readonly faults: FaultPlan;
  private readonly ledger: Ledger;
  private readonly disk: Disk;
  private readonly world: World;
  private readonly registry: Registry;
  private readonly client: Client;
  private readonly requests: Requests;
  private readonly boundaries: Partial<Record<Boundary, number>> = {};
  private readonly findings: Finding[] = [];
  private readonly told: Told[] = [];
  /** Steps that were taken while things went wrong. */
  private steps = 0;
  private process: HostProcess | undefined;
  private readonly rows: () => number;
  private processes = 0;
  /** Whether time could pass after the last fault. Machines that never rest do not let it. */
  private isAtRest = false;
  private isOver = false;

  constructor(options: SimulateOptions) {
    this.options = options;
    this.seed = String(options.seed);
    this.registry = createRegistry(options.machines, options.calls ?? []);
    const passedMs = () => this.timeline.passedMs;
    this.random = randomOf(`${this.seed}/course`);
    const rates = { ...FAULT_RATES, ...options.faults };
    const drawn = randomOf(`${this.seed}/faults`);
    this.faults = new FaultPlan(rates, options.script ?? [], drawn, passedMs);
    this.ledger = new Ledger(passedMs);
    const { timeline, faults, random, ledger, seed } = this;
    this.disk = new Disk({ kind: options.store ?? 'memory', timeline, faults, random });
    const last = this.disk.connection.prepare('SELECT max(seq) FROM journal').pluck();
    this.rows = () => Number(last.get() ?? 0);
    const claimed = this.disk.connection
      .prepare("SELECT 1 FROM calls WHERE id = ? AND attempt = ? AND host = ? AND status = 'claimed'")
      .pluck();
    this.world = new World({
      timeline,
      faults,
      ledger,
      seed,
      calls: options.world?.calls ?? {},
      isClaimed: (callId, attempt, host) =>
        !this.disk.connection.inTransaction && claimed.get(callId, attempt, host) !== undefined,
      onReply: (callId) => this.meet(callId),
    });
    const asking = randomOf(`${seed}/client`);
    this.requests = new Requests(options, asking);
    this.client = new Client(asking, (request) => this.requests.refused(request));
  }

  async run(): Promise<SimulationReport> {
    this.startProcess();
    this.ask();
    await this.until(() => this.rows() >= (this.options.steps ?? STEPS));
    await this.heal();
    await this.leave();
    this.findings.push(...this.check(this.isAtRest ? 'closed' : 'killed'));
    return this.report();
  }

  evidence(): Evidence {
    return {
      connection: this.disk.connection,
      registry: this.registry,
      ledger: this.ledger.entries,
      told: this.told,
      asked: this.client.asked,
      watched: this.client.watched,
      nowMs: this.timeline.wallMs,
    };
  }

  close(): void {
    this.disk.close();
  }

  private count(): number {
    const sql = "SELECT count(*) FROM journal WHERE kind = 'step'";
    return this.disk.connection.prepare(sql).pluck().get() as number;
  }

  /** Lets things happen until a condition holds. @returns false when nothing more comes of them, or no end of steps. */
  private async until(isDone: () => boolean): Promise<boolean> {
    let rows = this.rows();
    const rowsMax = rows + ROWS_PER_STEP * (this.options.steps ?? STEPS);
    for (let tasks = 0; tasks < IDLE_TASKS_MAX; tasks++) {
      if (isDone()) return true;
      await this.timeline.next(IDLE_MS);
      if (this.rows() === rows) continue;
      rows = this.rows();
      tasks = 0;
      if (rows > rowsMax) return false;
    }
    return false;
  }

  private startProcess(): void {
    const { timeline, disk, world, faults, options } = this;
    this.process = new HostProcess({
      number: ++this.processes,
      timeline,
      disk,
      world,
      faults,
      machines: options.machines,
      calls: options.calls,
      onBoundary: (boundary) => {
        this.boundaries[boundary] = (this.boundaries[boundary] ?? 0) + 1;
      },
      onReady: ({ troupe }) => {
        if (troupe) this.client.connect(troupe);
      },
      onTold: (actor, value) => {
        const isInTransaction = this.disk.connection.inTransaction;
        this.told.push({ actor, value, afterRow: this.rows(), isInTransaction });
      },
      onGone: () => {
        this.process = undefined;
        this.client.disconnect();
        if (this.isOver) return;
        timeline.after(this.random.whole(...RESTART_MS), () => this.startProcess());
      },
    });
    this.process.start();
  }

  /** One action from outside, and so on. */
  private ask(): void {
    if (this.faults.isOver) return;
    this.timeline.after(this.random.whole(...PAUSE_MS), () => {
      if (this.faults.isOver) return;
      if (this.faults.happens('clockJump', 'wall clock')) {
        this.timeline.jump(this.random.whole(-JUMP_MS, JUMP_MS));
      }
      if (this.faults.happens('shutdown', 'process')) this.process?.close();
      this.request();
      this.ask();
    });
  }

  private request(): void {
    this.client.retry();
    if (this.random.chance(0.1)) return this.client.askAgain();
    const requests = this.random.chance(0.1) ? this.random.whole(2, BURST_MAX) : 1;
    for (let count = 0; count < requests; count++) {
      const request = this.requests.next();
      if (request !== undefined) this.client.ask(request);
    }
  }

  private meet(callId: string): void {
    if (this.faults.isOver || !this.random.chance(MEETINGS)) return;
    const request = this.requests.send(callId.slice(0, callId.indexOf('#')));
    if (request !== undefined) this.client.ask(request);
  }

  /** Nothing goes wrong any more: everything must come to rest, or wait for somebody. */
  private async heal(): Promise<void> {
    this.faults.isOver = true;
    this.steps = this.count();
    const untilMs = this.timeline.passedMs + healMs(this.registry);
    this.retry(untilMs);
    this.isAtRest = await this.until(() => this.timeline.passedMs >= untilMs);
    if (this.process?.troupe === undefined) this.found('ready', 'V1', 'no host serves in the end');
  }

  private retry(untilMs: number): void {
    this.client.retry();
    if (this.timeline.passedMs >= untilMs) return;
    this.timeline.after(PAUSE_MS[1], () => this.retry(untilMs));
  }

  private async leave(): Promise<void> {
    // What is ready now is stepped; a timer that came due a moment ago, too.
    await settled();
    while (this.isAtRest && (await this.timeline.next(REST_MS)));
    if (this.isAtRest) this.findings.push(...this.check('alive'));
    this.isOver = true;
    // One that never rests would not let the time of its closing pass either.
    if (!this.isAtRest) return this.process?.kill();
    this.process?.close();
    await this.until(() => this.process === undefined);
    if (this.process !== undefined) this.found('close', 'V9', 'the host does not close');
  }

  private check(when: Moment): readonly Finding[] {
    return checkAll(when, this.evidence());
  }

  private found(check: string, rule: string, message: string): void {
    this.findings.push({ check, rule, message });
  }

  private report(): SimulationReport {
    const { connection } = this.disk;
    const journal = connection.prepare('SELECT * FROM journal ORDER BY seq').all();
    const statuses = connection
      .prepare('SELECT status, count(*) AS number FROM actors GROUP BY status ORDER BY status')
      .all() as { readonly status: string; readonly number: number }[];
    return {
      seed: this.seed,
      findings: this.findings,
      steps: this.steps,
      injected: this.faults.injected,
      isAtRest: this.isAtRest,
      processes: this.processes,
      boundaries: this.boundaries,
      passedMs: this.timeline.passedMs,
      actors: Object.fromEntries(statuses.map(({ status, number }) => [status, number])),
      ledger: this.ledger.entries,
      digest: createHash('sha256').update(JSON.stringify(journal)).digest('hex'),
    };
  }
}

/** Long enough for every call that is ordered or runs to come to its end. */
function healMs({ machines }: Registry): number {
  const limits = [...machines.values()].flatMap((machine) =>
    [...machine.calls.values()].map(
      ({ limitMs, claimLimitMs }) => limitMs + Math.min(claimLimitMs, CLAIM_MS_MAX),
    ),
  );
  return HEAL_MS + Math.max(0, ...limits);
}
