// The formatting of the command line: pure, so it is tried without a terminal.

import { describe, expect, it } from 'vitest';
import { failureLine, failureOf } from '../../hosts/cli/errors.ts';
import { FollowModel } from '../../hosts/cli/follow/model.ts';
import { actorText } from '../../hosts/cli/format/actor.ts';
import { actorsTable } from '../../hosts/cli/format/actors.ts';
import { effectsText } from '../../hosts/cli/format/effects.ts';
import { blockLines, moveLine } from '../../hosts/cli/format/follow.ts';
import { describeState, statePath } from '../../hosts/cli/format/state.ts';
import { colourPaint, plainPaint } from '../../hosts/cli/format/style.ts';
import { table } from '../../hosts/cli/format/table.ts';
import { fit, printable, widthOf, wrap } from '../../hosts/cli/format/text.ts';
import { ago, duration, localTime, until } from '../../hosts/cli/format/time.ts';
import { commandLine, quote } from '../../hosts/cli/shell.ts';
import type { ActorSummary, ActorView } from '../../hosts/embedded/index.ts';
import { TroupeError } from '../../persistence/index.ts';
import ticket from './modules/ticket.ts';

const NOW_MS = new Date(2026, 2, 1, 12, 30, 11).getTime();
const wide = { width: undefined, paint: plainPaint };
const narrow = (width: number) => ({ width, paint: plainPaint });

describe('[H5] text', () => {
  it('[H5] what is stored cannot steer the terminal', () => {
    expect(printable('a\u001b[2Jb\nc\u202e\u0000')).toBe('a\\u001b[2Jb\\nc\\u202e\\u0000');
  });

  it('[H5] widths count what a terminal shows', () => {
    expect(['plain', 'überblick', '漢字', '👍🏽', 'é'].map(widthOf)).toEqual([5, 9, 4, 2, 1]);
    expect(widthOf(colourPaint('bad', 'red'))).toBe(3);
  });

  it.each([
    ['archive/photos', 14, 'end', 'archive/photos'],
    ['archive/photos', 8, 'end', 'archive…'],
    ['archive/photos', 8, 'middle', 'arch…tos'],
    ['漢字漢字', 5, 'end', '漢字…'],
    ['abc', 1, 'end', '…'],
    ['abc', 0, 'end', ''],
  ] as const)('[H5] %s cut to %i at its %s is %s', (text, width, where, cut) => {
    expect(fit(text, width, where)).toBe(cut);
  });

  it('[H5] lines break between words, and within one that is too long', () => {
    expect(wrap('one two three', 7)).toEqual(['one two', 'three']);
    expect(wrap('abcdefghij k', 4)).toEqual(['abcd', 'efgh', 'ij k']);
    expect(wrap('', 4)).toEqual(['']);
  });
});

describe('[H5] times', () => {
  it.each([
    [0, '0.0 s'],
    [950, '0.9 s'],
    [12_345, '12 s'],
    [184_000, '3 min 4 s'],
    [7_200_000, '2 h'],
    [86_399_000, '23 h 59 min'],
    [2_592_000_000, '30 d'],
    [-5, '0.0 s'],
  ])('[H5] %i ms is %s', (ms, text) => {
    expect(duration(ms)).toBe(text);
  });

  it('[H5] a time is local, with its date when it is not today', () => {
    expect(localTime(NOW_MS - 1_000, NOW_MS)).toBe('12:30:10');
    expect(localTime(NOW_MS + 86_400_000, NOW_MS)).toBe('2026-03-02 12:30:11');
    expect(ago(NOW_MS - 3_000, NOW_MS)).toBe('3.0 s ago');
    expect(until(NOW_MS + 60_000, NOW_MS)).toBe('in 1 min');
    expect(until(NOW_MS - 2_000, NOW_MS)).toBe('overdue by 2.0 s');
  });
});

describe('[H5] states', () => {
  it.each([
    ['open', 'open'],
    [{ deleting: 'unlinking' }, 'deleting.unlinking'],
    [{ left: 'a', right: { deep: 'b' }, none: {} }, 'left.a right.deep.b none'],
    [null, '-'],
    [undefined, '(not born)'],
  ])('[H5] %j reads as %s', (value, path) => {
    expect(statePath(value)).toBe(path);
  });

  it('[H5] a known machine says what its state is for; an unknown state says nothing', () => {
    expect(describeState(ticket.machine, 'open')).toEqual({
      descriptions: ['Somebody has to close it.'],
      tags: ['person', 'timer'],
    });
    expect(describeState(ticket.machine, { gone: 'away' })).toEqual({ descriptions: [], tags: [] });
  });
});

describe('[H5] tables', () => {
  const columns = [
    { title: 'NAME', widthMin: 4, cut: 'middle' },
    { title: 'N', align: 'right' },
    { title: 'NOTE', widthMin: 4 },
  ] as const;
  const rows = [[{ text: 'a-long-name' }, { text: '7' }, { text: 'a note' }]];

  it('[H5] columns are aligned and lines have no spaces at their end', () => {
    expect(table(columns, rows, wide)).toEqual(['NAME         N  NOTE', 'a-long-name  7  a note']);
    expect(table(columns, [[{ text: 'a' }, { text: '' }, { text: '' }]], wide)[1]).toBe('a');
  });

  it('[H5] nothing is wider than the terminal, whatever its width', () => {
    for (let width = 1; width < 30; width++) {
      for (const line of table(columns, rows, narrow(width))) {
        expect(widthOf(line)).toBeLessThanOrEqual(width);
      }
    }
    expect(table(columns, rows, narrow(18))[1]).toBe('a-l…ame  7  a note');
    expect(table(columns, rows, narrow(10))[1]).toBe('a-l…ame  7');
  });
});

const summary: ActorSummary = {
  address: 'ticket/a',
  machine: 'ticket',
  version: 1,
  parent: undefined,
  revision: 3,
  status: 'active',
  state: 'open',
  tags: ['person', 'timer'],
  noHost: false,
  createdAtMs: NOW_MS - 60_000,
  updatedAtMs: NOW_MS - 5_000,
};

const view: ActorView = {
  isStubbed: false,
  ...summary,
  context: { by: 'ann' },
  output: undefined,
  error: undefined,
  stuck: undefined,
  messages: [],
  timers: [],
  calls: [],
};

const facts = {
  actor: view,
  description: undefined,
  children: {},
  isStepped: true,
  hostText: 'process 7 steps this store',
  interventions: [],
};

describe('[H5] actors', () => {
  it('[H5] the list fits a terminal of 60 columns by cutting addresses in the middle', () => {
    const address = `archive-file/${'x'.repeat(80)}@2`;
    const lines = actorsTable([{ ...summary, address }], NOW_MS, narrow(60));
    expect(lines[1]).toMatch(/^archive-…x+@2 +active +open +person timer/);
    expect(lines.every((line) => widthOf(line) <= 60)).toBe(true);
  });

  it('[H5] an actor shows its open calls, not those that have ended', () => {
    const call = { id: 'c', host: 'h', error: undefined, orderedAtMs: NOW_MS - 9_000 };
    const calls = [
      { ...call, source: 'hash', class: 'read', status: 'done', attempt: 1 },
      { ...call, source: 'pack', class: 'replayable', status: 'claimed', attempt: 2 },
      { ...call, source: 'look', class: 'read', status: 'ordered', attempt: 0 },
    ].map((each) => ({ ...each, startedAtMs: NOW_MS - 4_000 })) as unknown as ActorView['calls'];
    const lines = actorText({ ...facts, actor: { ...view, tags: [], calls } }, NOW_MS, wide);
    expect(lines).toEqual(
      expect.arrayContaining([
        'waits for  the end of a call',
        'calls      pack, class replayable, attempt 2: runs, started 4.0 s ago',
        '           look, class read, attempt 1: waits for a free thread, ordered 9.0 s ago',
      ]),
    );
    expect(lines.join('\n')).not.toContain('hash');
  });

  it('[H5] a message without a host waits for a host', () => {
    const message = { seq: 4, kind: 'event', from: undefined, readyAtMs: NOW_MS } as const;
    const actor = { ...view, messages: [{ ...message, event: { type: 'CLOSE' } }] };
    const lines = actorText({ ...facts, actor, isStepped: false }, NOW_MS, wide);
    expect(lines).toContain('waits for  a host: messages lie in its mailbox');
    expect(lines).toContain('mailbox    1, until a host steps them: CLOSE');
  });

  it('[H5] a large context is cut, and says so', () => {
    const context = Object.fromEntries(Array.from({ length: 90 }, (_, n) => [`key${n}`, n]));
    const lines = actorText({ ...facts, actor: { ...view, context } }, NOW_MS, narrow(50));
    expect(lines.at(-1)).toBe('           … 52 more lines; --json gives all');
    expect(lines.every((line) => widthOf(line) <= 50)).toBe(true);
  });
});

it('[H5] effects are named in a few words, and counted when they are many', () => {
  const spawn = { kind: 'spawn', address: 'file/a.1@2' };
  expect(effectsText([spawn, spawn, spawn, spawn])).toBe('spawn ×4');
  expect(
    effectsText([
      { kind: 'call', source: 'pay' },
      { kind: 'schedule', incarnation: 'xstate.after.limit.a.b@3', delayMs: 60_000 },
      { kind: 'send', to: 'b/1', event: { type: 'GO' } },
      { code: 'machine_threw', message: 'no' },
    ]),
  ).toBe('call pay, timer limit.a.b in 1 min, send GO to b/1, machine_threw no');
});

describe('[H5] following', () => {
  const change = {
    seq: 1,
    address: 'ticket/a',
    revision: 1,
    atMs: NOW_MS,
    message: 1,
    event: {},
    origin: 'event',
    incarnation: undefined,
    sender: undefined,
    cause: undefined,
    effects: [],
    emitted: [],
    status: 'active',
  } as const;

  it('[H5] a change that moves nothing is not shown', () => {
    const model = new FollowModel();
    const opened = model.take({ ...change, kind: 'step', state: 'open' });
    expect(opened && moveLine(opened, NOW_MS, wide)).toBe('12:30:11.000 ticket/a open');
    expect(model.take({ ...change, kind: 'step', state: 'open' })).toBeUndefined();
    expect(model.take({ ...change, kind: 'late', state: undefined })).toBeUndefined();
    const stuck = model.take({ ...change, kind: 'stuck', state: 'open' });
    expect(stuck && moveLine(stuck, NOW_MS, wide)).toBe('12:30:11.000 ticket/a open (stuck)');
  });

  it('[H5] the block fits its terminal and counts what it leaves out', () => {
    const model = new FollowModel();
    model.take({ ...change, kind: 'step', state: 'open' });
    for (let index = 0; index < 30; index++) {
      const address = `subtask/a.${index}@1`;
      model.take({ ...change, address, kind: 'step', state: 'open' });
      if (index < 5) model.end(address, 'done');
    }
    const block = { root: 'ticket/a', machines: [ticket], actors: model.all };
    const lines = blockLines({ ...block, rows: 12, nowMs: NOW_MS + 2_000 }, narrow(60));
    expect(lines.length).toBeLessThan(12);
    expect(lines[1]).toMatch(/^ticket\/a +open +person timer +2\.0 s$/);
    expect(lines.at(-2)).toBe('  18 more at work, 5 done');
    expect(lines.at(-1)).toBe('Somebody has to close it.');
  });
});

it('[H5] an error is one line, whatever its message holds', () => {
  const error = new TroupeError('machine_refused', "Machine 'a' is not durable:\n  b: c\n  d: e");
  const failure = failureOf(error);
  expect(failure && failureLine(failure)).toBe(
    "troupe: Machine 'a' is not durable: b: c; d: e (machine_refused)",
  );
  expect(failureOf(new RangeError('odd'))).toMatchObject({ code: 'unexpected', exitCode: 1 });
});

it('[H5] a command line that is printed can be typed', () => {
  expect(quote("it's here")).toBe(`'it'\\''s here'`);
  expect(
    commandLine('npx troupe run', 'a b.ts', { id: 'x', input: '{"a":1}', store: undefined }),
  ).toBe(`npx troupe run 'a b.ts' --id x --input '{"a":1}'`);
});
