// What an exploration tells a person. Pure.

import type {
  ExploreFinding,
  ExploreLimit,
  ExploreProgress,
  ExploreReport,
} from '../../../test/kit/index.ts';
import { statePath } from './state.ts';
import { type Column, type Frame, table } from './table.ts';
import { counted, countOf, fit, printable, wrap } from './text.ts';

export function progressLine({ states, queue, steps }: ExploreProgress, { width }: Frame): string {
  const line = `${countOf(states, 'state')}  ${counted(queue)} in the queue  ${countOf(steps, 'step')}`;
  return width === undefined ? line : fit(line, width - 1);
}

/** The findings with the way to each, then what was covered; where nobody could be born there is nothing to cover. */
export function reportLines(report: ExploreReport, frame: Frame): string[] {
  return [
    ...report.findings.flatMap((finding, index) => [
      ...findingLines(finding, index + 1, frame),
      '',
    ]),
    ...(report.states === 0 ? [] : [...coverageLines(report, frame), '']),
    ...report.notes.flatMap((note) => wrapped(note, '', frame)),
    totalLine(report),
    ...incompleteLines(report, frame),
  ];
}

function findingLines(
  { kind, message, state, path }: ExploreFinding,
  number: number,
  frame: Frame,
): string[] {
  const where = state === null ? '' : ` in ${printable(statePath(state))}`;
  return [
    frame.paint('bad', `${number}  ${kind}${where}`),
    ...wrapped(message, '   ', frame),
    ...path.map(({ text, state: after }, index) => {
      const step = `   ${index + 1}. ${printable(text)} → ${printable(statePath(after))}`;
      return frame.width === undefined ? step : fit(step, frame.width);
    }),
  ];
}

const COLUMNS: readonly Column[] = [
  { title: 'COVERED' },
  { title: 'COUNT', align: 'right' },
  { title: 'OF', align: 'right' },
];

function coverageLines({ coverage: { states, transitions } }: ExploreReport, frame: Frame) {
  const rows = [
    [{ text: 'states' }, { text: counted(states.visited) }, { text: counted(states.total) }],
    [
      { text: 'transitions' },
      { text: counted(transitions.taken) },
      { text: counted(transitions.total) },
    ],
  ];
  return [
    ...table(COLUMNS, rows, frame),
    ...states.missed.flatMap((name) => wrapped(`never entered: ${name}`, '  ', frame)),
    ...transitions.missed.flatMap((name) => wrapped(`never taken: ${name}`, '  ', frame)),
  ];
}

function totalLine({ states, steps, findings, isComplete }: ExploreReport): string {
  const found = findings.length === 0 ? 'nothing found' : `${counted(findings.length)} found`;
  const end = isComplete ? 'complete' : 'not complete';
  return `${countOf(states, 'state')}  ${countOf(steps, 'step')}  ${found}  ${end}`;
}

/** What lets it go further, by what held it back. */
const REMEDIES: Readonly<Record<ExploreLimit, string>> = {
  birth: 'mend its birth, or give it an input in the file of --events',
  states:
    'raise --states-max, list fewer variants, or say in code what of the context does not matter (docs/testing.md)',
  depth: 'let it look further',
  timers: 'cancel a timer before it is armed again',
  mailbox: 'let the actor send less to itself',
  events: 'list payloads under "events" in the file of --events',
  results: 'list answers under "results" in the file of --events',
};

/** The last word: whoever reads no other line must not take it for proof. */
function incompleteLines({ isComplete, limits }: ExploreReport, frame: Frame): string[] {
  if (isComplete) return [];
  const remedies = limits.map((limit) => REMEDIES[limit]).join('; ');
  return wrapped(
    `Not complete: what lies beyond was not looked at. To see more, ${remedies}.`,
    '',
    frame,
  );
}

function wrapped(text: string, indent: string, { width }: Frame): string[] {
  const room = width === undefined ? Number.POSITIVE_INFINITY : Math.max(width - indent.length, 1);
  return wrap(printable(text), room).map((line) => indent + line);
}
