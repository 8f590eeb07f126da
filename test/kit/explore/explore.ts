// Explore: looks at every state that a machine can reach, breadth first, through the very step that a host takes.
//
// Tried at each state: the events from outside, the actor's messages to itself, due timers, answers and failures of calls and
// children, and late or doubled answers. Each step is taken from memory and from the stored text, as before and after a
// crash. Children that are machines are not looked into; what they may answer is tried. Equal input gives an equal report.

import { step } from '../../../actors/step/index.ts';
import { assert } from '../../../persistence/index.ts';
import { Attempts } from './attempt.ts';
import { Checks } from './checks.ts';
import { Marks } from './coverage.ts';
import { Findings } from './findings.ts';
import { type StepFunction, Steps } from './memory.ts';
import { notesOf } from './notes.ts';
import type { ContextOf, Explorable, ExploreOptions, ExploreReport } from './options.ts';
import { Search } from './search.ts';
import { requireOptions } from './settings.ts';
import { type Subject, subjectOf } from './subject.ts';

/**
 * Explores a machine. Runs nothing of the outside: no call, no timer, no custom action.
 * @throws {TroupeError} what `openTroupe` throws of machines; `invalid_input`, `invalid_event` for what the machine's
 * schemas refuse, also for a listed event that no state knows; `invalid_option` for an option that is none or out of its
 * range, both `input` and `inputs`, or an answer that no call can give.
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
  requireOptions(explorable, options);
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
