// Follow: what `troupe run` shows while it goes on: a line for each move, or one block that is drawn again. Pure.

import type { AnyMachineDefinition } from '../../embedded/index.ts';
import type { Followed, Moved } from '../follow/model.ts';
import { describeState, statePath, toneOf } from './state.ts';
import { type Cell, type Column, type Frame, table } from './table.ts';
import { printable, wrap } from './text.ts';
import { duration, preciseTime } from './time.ts';

/** `23:13:05.123 archive/photos listing → packing` */
export function moveLine({ before, after }: Moved, atMs: number, { paint }: Frame): string {
  const to = statePath(after.state);
  const from =
    before === undefined || statePath(before.state) === to ? '' : statePath(before.state);
  const path = from === '' ? to : `${from} → ${to}`;
  const status = after.status === 'active' ? '' : ` (${after.status})`;
  return [
    paint('dim', preciseTime(atMs)),
    printable(after.address),
    paint(toneOf(after.status), printable(`${path}${status}`)),
  ].join(' ');
}

const COLUMNS: readonly Column[] = [
  { title: 'ACTOR', widthMin: 12, cut: 'middle' },
  { title: 'STATE', widthMin: 8, cut: 'middle' },
  { title: 'WAITS FOR', widthMin: 6 },
  { title: 'SINCE', align: 'right' },
];

export interface Block {
  readonly root: string;
  readonly actors: readonly Followed[];
  readonly machines: readonly AnyMachineDefinition[];
  readonly rows: number;
  readonly nowMs: number;
}

/** The actor, those below it that are at work as far as there is room, and how many are not shown. */
export function blockLines(block: Block, frame: Frame): string[] {
  const root = block.actors.find(({ address }) => address === block.root);
  const others = block.actors.filter(({ address }) => address !== block.root);
  const atWork = others.filter(({ status }) => status === 'active' || status === 'stuck');
  const description = root === undefined ? [] : descriptionLines(block, root, frame);
  const room = Math.max(block.rows - description.length - 4, 1);
  const shown = atWork
    .toSorted((a, b) => Number(b.status === 'stuck') - Number(a.status === 'stuck'))
    .slice(0, room);
  const rows = [...(root === undefined ? [] : [root]), ...shown].map((actor) =>
    rowOf(block, actor),
  );
  return [
    ...table(COLUMNS, rows, frame),
    ...summaryLine(others, atWork.length - shown.length, frame),
    ...description,
  ];
}

function rowOf({ root, machines, nowMs }: Block, actor: Followed): Cell[] {
  const indent = actor.address === root ? '' : '  ';
  const tags = describe(machines, actor)?.tags ?? [];
  const state = actor.status === 'active' ? '' : ` (${actor.status})`;
  return [
    { text: `${indent}${printable(actor.address)}`, tone: indent === '' ? 'bold' : 'plain' },
    { text: `${printable(statePath(actor.state))}${state}`, tone: toneOf(actor.status) },
    { text: printable(tags.join(' ')) },
    { text: duration(nowMs - actor.sinceMs), tone: 'dim' },
  ];
}

function summaryLine(others: readonly Followed[], hidden: number, { paint }: Frame): string[] {
  const ended = new Map<string, number>();
  for (const { status } of others) {
    if (status !== 'active' && status !== 'stuck') ended.set(status, (ended.get(status) ?? 0) + 1);
  }
  const parts = [
    ...(hidden > 0 ? [`${hidden} more at work`] : []),
    ...[...ended].map(([status, count]) => `${count} ${status}`),
  ];
  return parts.length === 0 ? [] : [paint('dim', `  ${parts.join(', ')}`)];
}

function descriptionLines({ machines }: Block, root: Followed, { width, paint }: Frame): string[] {
  const said = describe(machines, root)?.descriptions.at(-1);
  if (said === undefined || root.status !== 'active') return [];
  return wrap(printable(said), width ?? 80).map((line) => paint('dim', line));
}

function describe(machines: readonly AnyMachineDefinition[], { address, state }: Followed) {
  const machine = machines.find(({ name }) => address.startsWith(`${name}/`));
  return machine && describeState(machine.machine, state);
}
