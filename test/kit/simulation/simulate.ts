// Simulate: runs the real engine, supervisor and store in one thread on simulated time, with everything that may go wrong,
// and checks afterwards that nothing was lost, doubled or done too early. All of it follows from one seed.

import { createRegistry, type Registry } from '../../../actors/registry/index.ts';
import { checkAll, type Moment } from './audit/checks.ts';
import type { Evidence } from './audit/evidence.ts';
import { CheckedCalls } from './checked-calls.ts';
import { Client } from './client.ts';
import { Course } from './course.ts';
import { Disk } from './disk.ts';
import { FaultPlan } from './faults.ts';
import { Ledger, type Told } from './ledger.ts';
import { Operator } from './operator.ts';
import type { SimulateOptions, SimulationFinding, SimulationReport } from './options.ts';
import { Patience } from './patience.ts';
import { Processes } from './processes.ts';
import { randomOf } from './random.ts';
import { reportOf } from './report.ts';
import { Requests } from './requests.ts';
import { requireOptions, type Settings, settingsOf } from './settings.ts';
import { settled, Timeline } from './timeline.ts';
import { World } from './world.ts';
import { unknownEvents } from './world-events.ts';

/** What is due is stepped within this. Milliseconds. */
const REST_MS = 5;

/** Time after the last fault in which everything must come to rest, on top of the limits of a call. Milliseconds. */
const HEAL_MS = 20_000;

/** The longest claim limit that is waited for. Milliseconds. */
const CLAIM_MS_MAX = 120_000;

/**
 * Runs one simulation: machines in a world under faults, and the checks of what is left. A run of 400 journal rows takes well
 * under a second; `findings` is empty when all is well, and the same seed with the same code finds the same again.
 * @throws {TroupeError} what `openTroupe` throws of machines; `invalid_option` for an option that is none, also during the run,
 * when `world.spawn` names a machine or an input that no host would take, or a call of the world answers with a promise or what
 * is no JSON. What the world's other functions throw. The reason of `signal`.
 * @example
 * const report = await simulate({ seed: 1, machines: [door], world: { events: { door: [{ type: 'OPEN' }, { type: 'SHUT' }] } } });
 * expect(report.findings).toEqual([]);
 */
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
  private readonly registry: Registry;
  private readonly settings: Settings;
  readonly timeline = new Timeline();
  readonly faults: FaultPlan;
  readonly ledger: Ledger;
  readonly disk: Disk;
  private readonly client: Client;
  private readonly operator: Operator;
  readonly processes: Processes;
  private readonly course: Course;
  private readonly patience: Patience;
  private readonly findings: SimulationFinding[] = [];
  private readonly told: Told[] = [];
  private readonly notes: string[] = [];
  private readonly checkedCalls: CheckedCalls;
  private readonly signal: AbortSignal | undefined;
  /** Steps that were taken while things went wrong. */
  private steps = 0;
  /** Whether everything has come to rest after the last fault. Machines that never rest do not let it. */
  private isAtRest = false;

  constructor(options: SimulateOptions) {
    requireOptions(options);
    this.signal = options.signal;
    this.registry = createRegistry(options.machines, options.calls ?? []);
    const settings = settingsOf(options, this.registry);
    const { seed, machines, calls, rates, script, steps, hosts } = settings;
    this.settings = settings;
    this.checkedCalls = new CheckedCalls(settings.world.calls ?? {}, this.registry);
    const { timeline } = this;
    const passedMs = () => timeline.passedMs;
    const random = randomOf(`${seed}/course`);
    const faults = new FaultPlan(rates, script, randomOf(`${seed}/faults`), passedMs);
    this.faults = faults;
    this.ledger = new Ledger(passedMs);
    this.disk = new Disk({ kind: settings.store, timeline, faults, random });
    const world = this.worldOf();
    const asking = randomOf(`${seed}/client`);
    const requests = new Requests({ ...options, world: settings.world }, asking);
    const client = new Client(asking, (request) => requests.refused(request));
    this.client = client;
    const onChange = () => this.course.reconnect();
    const { disk } = this;
    const onTold = (actor: string, value: unknown) => {
      const isInTransaction = disk.connection.inTransaction;
      this.told.push({ actor, value, afterRow: disk.rows(), isInTransaction });
    };
    const reports = { onTold, onChange };
    const shared = { timeline, disk, world, faults, machines, calls, random, hosts, ...reports };
    this.processes = new Processes(shared);
    const { processes } = this;
    this.operator = new Operator(randomOf(`${seed}/operator`));
    const { operator } = this;
    this.course = new Course({ timeline, faults, random, client, operator, requests, processes });
    const guard = () => this.requireGoingOn();
    this.patience = new Patience({ timeline, rows: () => this.rows(), steps, guard });
  }

  async run(): Promise<SimulationReport> {
    for (let host = 0; host < this.settings.hosts; host++) this.processes.start();
    this.course.goOn();
    await this.disturbed();
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
      groups: this.disk.groups,
      told: this.told,
      asked: this.client.asked,
      interventions: this.operator.asked,
      watched: this.client.watched,
      nowMs: this.timeline.wallMs + this.processes.aheadMs,
    };
  }

  close(): void {
    this.disk.close();
  }

  private worldOf(): World {
    const { timeline, faults, ledger, disk } = this;
    const { seed } = this.settings;
    const claimed = disk.connection
      .prepare(
        "SELECT 1 FROM calls WHERE id = ? AND attempt = ? AND host = ? AND status = 'claimed'",
      )
      .pluck();
    return new World({
      timeline,
      faults,
      ledger,
      seed,
      calls: this.checkedCalls.calls,
      isClaimed: (callId, attempt, host) =>
        !disk.connection.inTransaction && claimed.get(callId, attempt, host) !== undefined,
      onReply: (callId) => this.course.meet(callId),
    });
  }

  /** Things go wrong until there are enough rows. */
  private async disturbed(): Promise<void> {
    const { steps } = this.settings;
    const ending = await this.patience.until(() => this.rows() >= steps);
    if (ending === 'reached') return;
    if (ending === 'spinning') return this.foundSpinning();
    const { grownMs } = this.patience;
    const where = `after ${this.rows()} of ${steps} rows`;
    if (this.course.askedMs > grownMs) {
      const forMs = this.timeline.passedMs - grownMs;
      this.found(
        'rest',
        'V1',
        `${where} nothing was stepped for ${forMs} ms, whatever was asked for`,
      );
    } else {
      this.notes.push(
        `The run ended ${where}: nobody was left who takes anything. List more under world.events, or raise world.actorsMax.`,
      );
    }
  }

  /** Nothing goes wrong any more: everything must come to rest, or wait for somebody. */
  private async heal(): Promise<void> {
    const { timeline, faults, processes } = this;
    faults.isOver = true;
    this.steps = this.disk.steps();
    const untilMs = Math.max(timeline.passedMs, processes.resumedMs) + healMs(this.registry);
    this.course.retryUntil(untilMs);
    this.isAtRest = this.isRest(await this.patience.until(() => timeline.passedMs >= untilMs));
    const { length } = processes.serving;
    const { hosts } = this.settings;
    if (length === 0) this.found('ready', 'V1', 'no host serves in the end');
    else if (length < hosts) {
      this.found('ready', 'V1', `only ${length} of ${hosts} hosts serve in the end`);
    }
  }

  private async leave(): Promise<void> {
    // What is ready now is stepped; a timer that came due a moment ago, too.
    await settled();
    this.isAtRest &&= this.isRest(await this.patience.untilRest(REST_MS));
    // One that never rests would not let the time of its closing pass either.
    if (!this.isAtRest) return this.processes.killAll();
    this.findings.push(...this.check('alive'));
    this.processes.closeAll();
    await this.patience.until(() => !this.processes.isAny);
    if (this.processes.isAny) this.found('close', 'V9', 'the host does not close');
  }

  private isRest(ending: Awaited<ReturnType<Patience['until']>>): boolean {
    if (ending === 'spinning' || ending === 'quiet') this.foundSpinning();
    if (ending === 'restless') {
      this.notes.push(
        'Its machines never rest: what they wait for, and how a host leaves, was not checked.',
      );
    }
    return ending === 'reached';
  }

  private foundSpinning(): void {
    this.found('rest', 'V1', 'a host is busy without end, and no actor takes a step');
  }

  private check(when: Moment): readonly SimulationFinding[] {
    return checkAll(when, this.evidence());
  }

  private found(check: string, rule: string, message: string): void {
    this.findings.push({ check, rule, message });
  }

  private rows(): number {
    return this.disk.rows();
  }

  private requireGoingOn(): void {
    const { refusal } = this.checkedCalls;
    if (refusal !== undefined) throw refusal;
    this.signal?.throwIfAborted();
  }

  private report(): SimulationReport {
    const { findings, steps, isAtRest } = this;
    const { seed, world } = this.settings;
    const unknown = unknownEvents(world.events ?? {}, this.registry);
    const notes = [...this.notes, ...unknown, ...this.checkedCalls.notes];
    return reportOf(this, { seed, findings, notes, steps, isAtRest });
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
