// Check store: what would break if this code stepped a store (G4). It reads page by page, steps copies in memory and writes
// nothing.

import type { ActorRow, MessageRow, Store } from '../persistence/index.ts';
import { type LoadedActor, loadActor } from './engine/load-actor.ts';
import type { Clock } from './ports.ts';
import type { RegisteredMachine, Registry } from './registry/index.ts';
import { messageOf, StepError, type StepErrorCode, step, wouldMove } from './step/index.ts';
import { changedMachines, machineChanged, storedLines } from './stored-definitions.ts';

/** What would happen to an actor, or why a host with this code would not open the store. */
export type CheckCode =
  | StepErrorCode
  /** A host would be refused at open (G1). */
  | 'machine_changed'
  /** No machine of that name is registered: the actor would be left alone (G3). */
  | 'machine_unknown'
  /** The actor is in a newer version than the registered one: it would be left alone (G3). */
  | 'version_unknown'
  /** The row itself holds what no host writes. */
  | 'row_damaged';

/** One thing that would break. */
export interface CheckFinding {
  /** The actor that it happens to; absent for a machine as a whole. */
  readonly address: string | undefined;
  readonly machine: string;
  /** The version that the actor is stored in. */
  readonly version: number | undefined;
  readonly code: CheckCode;
  /** What is wrong. */
  readonly message: string;
  /** What to do. */
  readonly mend: string;
}

export interface CheckProgress {
  /** Live actors looked at so far. */
  readonly actors: number;
  readonly findings: number;
}

export interface CheckReport extends CheckProgress {
  /** How many findings there are of each code. */
  readonly byCode: Readonly<Partial<Record<CheckCode, number>>>;
}

export interface CheckListener {
  /** Called for each finding as it is found. */
  readonly onFinding?: (finding: CheckFinding) => void;
  /** Called after each page of 200 actors. */
  readonly onProgress?: (progress: CheckProgress) => void;
}

/** Rows in one read transaction, which stays short beside a host that writes. */
const PAGE_ROWS = 200;
const PAGE_MESSAGES = 2_000;

/** Looks at every live actor and every waiting message. Memory: one page. */
export async function checkStore(
  store: Store,
  registry: Registry,
  clock: Clock,
  listener: CheckListener,
): Promise<CheckReport> {
  const tally = new Tally(listener);
  for (const finding of store.read(() => machineFindings(store, registry))) tally.add(finding);
  await eachPage(clock, '', (after) => {
    const rows = store.read(() => store.actors.live(after, PAGE_ROWS));
    for (const row of rows) tally.look(actorFinding(store, registry, row));
    tally.tellProgress();
    return rows.length < PAGE_ROWS ? undefined : rows.at(-1)?.id;
  });
  await eachPage(clock, 0, (after) => {
    const { damaged, last } = store.read(() => store.messages.damaged(after, PAGE_MESSAGES));
    for (const message of damaged) tally.add(messageFinding(message));
    return last;
  });
  return tally.report;
}

class Tally {
  private actors = 0;
  private findings = 0;
  private readonly byCode: Partial<Record<CheckCode, number>> = {};
  private readonly listener: CheckListener;

  constructor(listener: CheckListener) {
    this.listener = listener;
  }

  get report(): CheckReport {
    return { actors: this.actors, findings: this.findings, byCode: this.byCode };
  }

  look(finding: CheckFinding | undefined): void {
    this.actors++;
    if (finding !== undefined) this.add(finding);
  }

  add(finding: CheckFinding): void {
    this.findings++;
    this.byCode[finding.code] = (this.byCode[finding.code] ?? 0) + 1;
    this.listener.onFinding?.(finding);
  }

  tellProgress(): void {
    this.listener.onProgress?.({ actors: this.actors, findings: this.findings });
  }
}

/** Page after page, with room for others on this thread between them, until one gives nothing to go on from. */
async function eachPage<T>(
  clock: Clock,
  first: T,
  page: (after: T) => T | undefined,
): Promise<void> {
  for (let after: T | undefined = first; after !== undefined; ) {
    after = page(after);
    await new Promise<void>((resolve) => clock.soon(resolve));
  }
}

function machineFindings(store: Store, registry: Registry): CheckFinding[] {
  return changedMachines(store, registry).map((changed) => {
    const { name, version } = changed.machine;
    const mend = `Raise the version to ${version + 1} and add migrations[${version}].`;
    const { message } = machineChanged(changed);
    return { address: undefined, machine: name, version, code: 'machine_changed', message, mend };
  });
}

function actorFinding(store: Store, registry: Registry, row: ActorRow): CheckFinding | undefined {
  if (!['active', 'stuck'].includes(row.status)) {
    const message = `Its status is '${row.status}', which no host writes.`;
    return findingOf(row, 'row_damaged', message);
  }
  const machine = registry.machines.get(row.machine);
  if (machine === undefined) {
    const message = `Machine '${row.machine}' is not among those that are checked.`;
    return findingOf(row, 'machine_unknown', message);
  }
  if (row.machine_version > machine.version) {
    const message = `It is stored in version ${row.machine_version} of machine '${row.machine}'; version ${machine.version} is at hand.`;
    return findingOf(row, 'version_unknown', message);
  }
  try {
    const lines = (version: number) => storedLines(store, machine.name, version);
    tryStep(machine, loadActor(machine, row, lines), row);
    return undefined;
  } catch (error) {
    const code = error instanceof StepError ? error.code : 'assertion_failed';
    return findingOf(row, code, messageOf(error));
  }
}

/** A step that nothing in the machine waits for: what it shows are eventless transitions, and that the actor is whole. */
const NO_OP = { type: 'troupe.check' };

function tryStep(machine: RegisteredMachine, { state }: LoadedActor, row: ActorRow): void {
  // A machine that takes any event would take this one for real and might miss what it brings.
  if (row.revision === 0 || wouldMove(machine, state, NO_OP)) return;
  step(machine, state, { event: NO_OP, atMs: row.updated_at, origin: { kind: 'event' } });
}

function findingOf(row: ActorRow, code: CheckCode, message: string): CheckFinding {
  const { id: address, machine, machine_version: version } = row;
  return { address, machine, version, code, message, mend: mendOf(code, row) };
}

function mendOf(code: CheckCode, { id, machine, machine_version: version }: ActorRow): string {
  switch (code) {
    case 'machine_unknown':
      return `Bring machine '${machine}' if this host is to step it; until then another host must.`;
    case 'version_unknown':
      return `Run the code that brings version ${version}; an older one leaves the actor alone.`;
    case 'migration_missing':
    case 'migration_failed':
    case 'migration_incomplete':
      return `Mend the migrations of machine '${machine}' from version ${version} on, and check again.`;
    case 'snapshot_damaged':
    case 'row_damaged':
    case 'event_damaged':
      return `Restore the store from a backup, or begin the work again under another id; troupe journal '${id}' shows what it did.`;
    case 'state_unknown':
    case 'context_invalid':
      return `Bring the state or the form back, or raise the version of machine '${machine}' and migrate.`;
    default:
      return `Mend machine '${machine}': it would park this actor with its next step.`;
  }
}

function messageFinding(message: Pick<MessageRow, 'seq' | 'actor' | 'machine'>): CheckFinding {
  return {
    address: message.actor,
    machine: message.machine,
    version: undefined,
    code: 'event_damaged',
    message: `The stored event of message ${message.seq} to it is not JSON.`,
    mend: `It parks the actor when it is stepped. Restore the store from a backup, or begin the work again under another id.`,
  };
}
