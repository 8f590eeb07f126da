// Actor: the text of `troupe show`: what an actor is, and why it waits. Pure.

import type {
  ActorView,
  CallView,
  JournalEntry,
  StuckReason,
  WaitingMessage,
} from '../../embedded/index.ts';
import { commandLine } from '../shell.ts';
import { timerName } from './effects.ts';
import { interventionText } from './intervention.ts';
import { type StateDescription, statePath, toneOf } from './state.ts';
import type { Frame } from './table.ts';
import { fit, pad, printable, wrapIndented } from './text.ts';
import { ago, localTime, until } from './time.ts';

export interface ActorFacts {
  readonly actor: ActorView;
  /** What its machine says of its state, where the machine is known. */
  readonly description: StateDescription | undefined;
  /** Its children by status. */
  readonly children: Readonly<Record<string, number>>;
  /** True when a living host steps the store. */
  readonly isStepped: boolean;
  readonly hostText: string;
  /** What operators have done to it, newest first. */
  readonly interventions: readonly JournalEntry[];
}

const LABEL_WIDTH = 11;
const JSON_LINES_MAX = 40;
const JSON_LINE_CHARACTERS_MAX = 2_000;

const WAITS: Readonly<Record<string, string>> = {
  call: 'the end of a call',
  timer: 'a timer',
  person: 'the decision of a person',
  outside: 'another actor or system',
};

const STUBBED = 'a stubbed fork, or born below one: nothing that it orders acts on the outside';

export type Section = readonly [label: string, lines: readonly string[]];

export function actorText(facts: ActorFacts, nowMs: number, frame: Frame): string[] {
  const sections: Section[] = [
    ...headOf(facts, nowMs),
    ...stuckOf(facts.actor),
    [
      'operators',
      facts.interventions.map(
        (entry) => `${localTime(entry.atMs, nowMs)} ${interventionText(entry.event)}`,
      ),
    ],
    ['timers', facts.actor.timers.map((timer) => timerText(timer, nowMs))],
    ['calls', openCalls(facts.actor).map((call) => callText(call, nowMs, facts.isStepped))],
    ['mailbox', mailboxText(facts)],
    ['children', childrenText(facts)],
    ['context', jsonLines(facts.actor.context)],
    ['output', jsonLines(facts.actor.output)],
    ['error', jsonLines(facts.actor.error)],
  ];
  return [
    frame.paint('bold', printable(facts.actor.address)),
    ...sections.flatMap((section) => sectionLines(section, frame)),
  ];
}

function headOf(facts: ActorFacts, nowMs: number): Section[] {
  const { actor, description, hostText } = facts;
  const changed = `${localTime(actor.updatedAtMs, nowMs)} (${ago(actor.updatedAtMs, nowMs)})`;
  return [
    ['machine', [`${actor.machine}, version ${actor.version}`]],
    ['parent', actor.parent === undefined ? [] : [actor.parent]],
    ['status', [actor.status, ...(actor.isStubbed ? [STUBBED] : [])]],
    ['noHost', noHostOf(actor)],
    ['state', [statePath(actor.state), ...(description?.descriptions ?? [])]],
    ['waits for', waitsFor(facts)],
    ['tags', actor.tags.length === 0 ? [] : [actor.tags.join(', ')]],
    ['revision', [`${actor.revision}, ${changed}`]],
    ['host', [hostText]],
  ];
}

function noHostOf({ noHost, machine, version }: ActorView): string[] {
  return noHost
    ? [
        `The machines of this configuration do not bring ${machine} in version ${version}: a host with them leaves this actor alone, and what comes to it waits.`,
      ]
    : [];
}

/** By its tags; a machine without tags of waiting is judged by what is open. */
function waitsFor({ actor, isStepped }: ActorFacts): string[] {
  if (actor.status !== 'active') return [];
  if (actor.messages.length > 0 && !isStepped) return ['a host: messages lie in its mailbox'];
  const byTag = actor.tags.flatMap((tag) => WAITS[tag] ?? []);
  if (byTag.length > 0) return [byTag.join(', or ')];
  const open = [
    ...(openCalls(actor).length > 0 ? [WAITS['call'] ?? ''] : []),
    ...(actor.timers.length > 0 ? [WAITS['timer'] ?? ''] : []),
  ];
  return [open.length > 0 ? open.join(', or ') : 'an event'];
}

function stuckOf({ stuck, address, revision, status }: ActorView): Section[] {
  if (status !== 'stuck') return [];
  if (stuck === undefined) {
    return [
      ['stuck', ['Why is damaged; its mailbox is kept.', ...waysOut(address, revision, undefined)]],
    ];
  }
  return [
    [
      'stuck',
      [
        `${stuck.code}: ${stuck.message}`,
        `It could not take ${stuck.event || 'its birth'} (message ${stuck.messageSeq}) in the state ${statePath(stuck.state)}. Nothing of that step was kept; its snapshot, mailbox and timers are as they were before, and no other actor is touched.`,
        ...waysOut(address, revision, stuck),
      ],
    ],
  ];
}

/** The command lines that deal with a stuck actor, as they can be typed but for the reason. */
function waysOut(address: string, revision: number, stuck: StuckReason | undefined): string[] {
  const line = (command: string, message?: number) =>
    `troupe ${commandLine(command, address, {
      revision: String(revision),
      message: message === undefined ? undefined : String(message),
      reason: 'WHY',
    })}`;
  const retry = `When what the error names is mended: ${line('retry')}`;
  const stop = `To end it: ${line('stop')}`;
  if (stuck === undefined || stuck.event === 'xstate.init') return [retry, stop];
  return [retry, `To go on without that message: ${line('skip', stuck.messageSeq)}`, stop];
}

function openCalls({ calls }: ActorView): CallView[] {
  return calls.filter(({ status }) =>
    ['ordered', 'claimed', 'cancelling', 'stubbed'].includes(status),
  );
}

/** Of a call whose host has ended nobody knows how it went. */
function progressOf(call: CallView, isStepped: boolean): string {
  if (!isStepped) return 'ran when its host ended; the next host settles it';
  return call.status === 'cancelling' ? 'was asked to stop' : 'runs';
}

function callText(call: CallView, nowMs: number, isStepped: boolean): string {
  if (call.status === 'stubbed') {
    return `${call.source}, class ${call.class}: stubbed, it will not run (${call.id})`;
  }
  const since =
    call.startedAtMs === undefined || call.status === 'ordered'
      ? `waits for a free thread, ordered ${ago(call.orderedAtMs, nowMs)}`
      : `${progressOf(call, isStepped)}, started ${ago(call.startedAtMs, nowMs)}`;
  return `${call.source}, class ${call.class}, attempt ${Math.max(call.attempt, 1)}: ${since}`;
}

function timerText(timer: WaitingMessage, nowMs: number): string {
  const type = eventType(timer);
  return `${timerName(type)} ${until(timer.readyAtMs, nowMs)} (${localTime(timer.readyAtMs, nowMs)})`;
}

function mailboxText({ actor, isStepped }: ActorFacts): string[] {
  const { messages } = actor;
  if (messages.length === 0) return [];
  const shown = messages.slice(0, 5).map(eventType).join(', ');
  const more = messages.length > 5 ? `, and ${messages.length - 5} more` : '';
  const why = actor.status === 'stuck' ? ', held' : isStepped ? '' : ', until a host steps them';
  return [`${messages.length}${why}: ${shown}${more}`];
}

function eventType({ event }: WaitingMessage): string {
  const type = (event as { readonly type?: unknown } | null | undefined)?.type;
  return typeof type === 'string' ? type : '(damaged)';
}

function childrenText({ children, actor }: ActorFacts): string[] {
  const counts = Object.entries(children).map(([status, count]) => `${count} ${status}`);
  return counts.length === 0 ? [] : [`${counts.join(', ')}: troupe ls --parent ${actor.address}`];
}

export function jsonLines(value: unknown): string[] {
  if (value === undefined) return [];
  const lines = (JSON.stringify(value, undefined, 2) ?? '')
    .split('\n')
    .map((line) => fit(line, JSON_LINE_CHARACTERS_MAX));
  if (lines.length <= JSON_LINES_MAX) return lines;
  const hidden = lines.length - JSON_LINES_MAX;
  return [...lines.slice(0, JSON_LINES_MAX), `… ${hidden} more lines; --json gives all`];
}

export function sectionLines([label, lines]: Section, { width, paint }: Frame): string[] {
  const room = width === undefined ? Number.POSITIVE_INFINITY : Math.max(width - LABEL_WIDTH, 10);
  const wrapped = lines.flatMap((line) => wrapIndented(printable(line), room));
  const tone = label === 'status' ? toneOf(lines[0] ?? '') : label === 'stuck' ? 'bad' : 'plain';
  return wrapped.map((line, index) => {
    const name = pad(index === 0 ? label : '', LABEL_WIDTH);
    return `${paint('dim', name)}${paint(tone, line)}`.trimEnd();
  });
}
