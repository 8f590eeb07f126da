// Replay: what `troupe replay` and `troupe show --at` print. Pure.

import type { Divergence, PastActor, Replay } from '../../embedded/index.ts';
import { jsonLines, type Section, sectionLines } from './actor.ts';
import { statePath } from './state.ts';
import type { Frame } from './table.ts';
import { counted, fit, printable } from './text.ts';
import { ago, localTime } from './time.ts';

/** What the replays so far come to. */
export interface Replayed {
  readonly actors: number;
  readonly steps: number;
  readonly divergences: number;
  /** Actors that could not be replayed. */
  readonly failures: number;
}

export function replayedLines(replay: Replay): string[] {
  const { address, from, steps, checkpoints, mended, divergence } = replay;
  const begin = from === 0 ? 'its birth' : `the checkpoint of revision ${from}`;
  const mendedLines = mended.map(
    (seq) => `  row ${seq} tells of a message that parked the actor; this code can step it`,
  );
  if (divergence === undefined) {
    const compared = `${many(steps, 'step')} and ${many(checkpoints, 'checkpoint')}`;
    return [
      `${printable(address)} is equal to its journal: ${compared} from ${begin}`,
      ...mendedLines,
    ];
  }
  const { seq, revision, what } = divergence;
  return [
    `${printable(address)} differs from its journal at row ${seq}, revision ${revision}, in ${what}; equal from ${begin} for ${many(steps, 'step')}`,
    ...differenceLines(divergence),
    ...mendedLines,
  ];
}

function differenceLines({ differences, isCut }: Divergence): string[] {
  const lines = differences.flatMap(({ path, journal, replay }) => [
    `  ${printable(path)}`,
    `    journal  ${printable(journal ?? '(nothing)')}`,
    `    replay   ${printable(replay ?? '(nothing)')}`,
  ]);
  return isCut ? [...lines, '  … and more'] : lines;
}

export function replayProgress(replayed: Replayed, address: string, { width }: Frame): string {
  const line = `${replaySummary(replayed)}  ${printable(address)}`;
  return width === undefined ? line : fit(line, width - 1);
}

export function replaySummary({ actors, steps, divergences, failures }: Replayed): string {
  const unreplayed = failures === 0 ? '' : `, ${counted(failures)} could not be replayed`;
  return `${many(actors, 'actor')} with ${many(steps, 'step')} replayed, ${counted(divergences)} differ${unreplayed}`;
}

function many(count: number, word: string): string {
  return `${counted(count)} ${word}${count === 1 ? '' : 's'}`;
}

export function pastText(past: PastActor, nowMs: number, frame: Frame): string[] {
  const { timers, calls, actors } = past.armings;
  const event = (past.event ?? {}) as { readonly type?: unknown };
  const at = `${localTime(past.atMs, nowMs)} (${ago(past.atMs, nowMs)})`;
  const sections: Section[] = [
    ['machine', [`${past.machine}, version ${past.version}`]],
    ['parent', past.parent === undefined ? [] : [past.parent]],
    ['status', [past.status]],
    ['state', [statePath(past.state)]],
    ['tags', past.tags.length === 0 ? [] : [past.tags.join(', ')]],
    ['revision', [`${past.revision}, ${at}`]],
    ['event', [`${String(event.type)} (row ${past.seq})`]],
    ['timers', Object.keys(timers)],
    ['calls', Object.values(calls)],
    ['children', Object.values(actors)],
    ['context', jsonLines(past.context)],
    ['output', jsonLines(past.output)],
    ['error', jsonLines(past.error)],
  ];
  return [
    frame.paint('bold', printable(`${past.address} at revision ${past.revision}`)),
    ...sections.flatMap((section) => sectionLines(section, frame)),
  ];
}
