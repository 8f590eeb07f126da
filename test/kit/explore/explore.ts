// Explore: looks at every state that a machine can reach, breadth first, through the very step that a host takes.
//
// Tried at each state: the events from outside, the actor's messages to itself, due timers, answers and failures of calls and
// children, and late or doubled answers. Each step is taken from memory and from the stored text, as before and after a
// crash. Children that are machines are not looked into; what they may answer is tried. Equal input gives an equal report.

import { TroupeError } from '../../../actors/index.ts';
import { step } from '../../../actors/step/index.ts';
import { assert } from '../../../persistence/index.ts';
import { Attempts } from './attempt.ts';
import { Checks } from './checks.ts';
import { Marks } from './coverage.ts';
import { Findings } from './findings.ts';
import { growthOf } from './growth.ts';
import { type StepFunction, Steps } from './memory.ts';
import {
  ACCEPTABLE_KINDS,
  type ContextOf,
  type Explorable,
  type ExploreOptions,
  type ExploreReport,
  STATES_MAX,
} from './options.ts';
import { Search } from './search.ts';
import { type Subject, subjectOf } from './subject.ts';

/**
 * Explores a machine. Runs nothing of the outside: no call, no timer, no custom action.
 * @throws {TroupeError} what `openTroupe` throws of machines; `invalid_input`, `invalid_event` for what the machine's
 * schemas refuse; `invalid_option` for a limit out of its range, both `input` and `inputs`, or an answer that no call can
 * give.
 * @example
 * const report = explore(door, { invariants: { safe: ({ value, context }) => value !== 'open' || context.isUnlocked } });
 * expect(report.findings).toEqual([]);
 */
export function explore<TExplorable extends Explorable>(
  explorable: TExplorable,
  options: ExploreOptions<ContextOf<TExplorable>> = {},
): ExploreReport {
  return exploreWith(step, explorable, options as unknown as ExploreOptions);
}

/** For tests of the exploration itself: with another step. */
export function exploreWith(
  stepFunction: StepFunction,
  explorable: Explorable,
  options: ExploreOptions,
): ExploreReport {
  requireLimits(options);
  requireAcceptable(options);
  requireOneInput(options);
  const subject = subjectOf(explorable, options);
  const { steppable, name, schemas } = subject.machine;
  assert(steppable.kind === 'machine', `${name} has states`);
  const address = `${name}/explored`;
  const findings = new Findings(address, options);
  const checks = new Checks(steppable.machine, schemas, options, findings);
  const marks = new Marks(steppable.machine);
  const steps = new Steps(subject.machine, stepFunction, address, options.parent);
  const attempts = new Attempts(steppable.machine, steps);
  const search = new Search({ subject, options, attempts, checks, findings, marks });
  search.run();
  return reportOf(subject, options, search, findings, marks);
}

function requireLimits({ statesMax, depthMax }: ExploreOptions): void {
  for (const [name, value] of Object.entries({ statesMax, depthMax })) {
    if (value === undefined || (Number.isSafeInteger(value) && value >= 1)) continue;
    throw new TroupeError('invalid_option', `${name} is ${value}. It is a whole number from 1.`);
  }
}

function requireAcceptable({ accepts = [] }: ExploreOptions): void {
  const odd = accepts.find((kind) => !ACCEPTABLE_KINDS.includes(kind));
  if (odd === undefined) return;
  const known = ACCEPTABLE_KINDS.join(', ');
  throw new TroupeError(
    'invalid_option',
    `accepts: '${odd}' is nothing that could be meant. Only these are: ${known}.`,
  );
}

function requireOneInput({ input, inputs }: ExploreOptions): void {
  if (inputs?.length === 0) {
    throw new TroupeError('invalid_option', 'inputs is empty. List at least one, or leave it out.');
  }
  if (input === undefined || inputs === undefined) return;
  throw new TroupeError('invalid_option', 'input and inputs are both given. List all in inputs.');
}

function reportOf(
  { machine, limits, notes }: Subject,
  options: ExploreOptions,
  search: Search,
  findings: Findings,
  marks: Marks,
): ExploreReport {
  const reached = [...limits, ...search.limits];
  return {
    machine: machine.name,
    findings: findings.all,
    isComplete: reached.length === 0,
    limits: reached,
    notes: [...notes, ...notesOf(search, options), ...findings.accepted],
    states: search.points.length,
    steps: search.steps,
    late: search.late,
    depth: search.points.at(-1)?.depth ?? 0,
    coverage: marks.coverage,
  };
}

function notesOf({ limits, points }: Search, { statesMax, depthMax }: ExploreOptions): string[] {
  const notes: string[] = [];
  if (limits.has('states')) {
    const growth = growthOf(points);
    const grows = growth === '' ? '' : ` In the context ${growth}.`;
    notes.push(
      `There are more than ${statesMax ?? STATES_MAX} states; the rest was not looked at.${grows} Raise statesMax, list fewer variants, or leave out of the states what does not matter (abstract).`,
    );
  }
  if (limits.has('depth')) {
    notes.push(`Paths of more than ${depthMax} steps were not looked at (depthMax).`);
  }
  if (limits.has('timers')) {
    notes.push(
      'A timer is armed again while earlier ones of its id are live, without end: where more than 2 of one id were live, nothing more was tried. Cancel it before it is armed again.',
    );
  }
  if (limits.has('mailbox')) {
    notes.push(
      'The actor can send to itself faster than it takes: where many such messages waited, nothing else was let in between.',
    );
  }
  return notes;
}
