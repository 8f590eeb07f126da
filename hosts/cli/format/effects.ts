// Effects: what a step ordered, in a few words. Effects come from stored JSON, so nothing is taken for granted. Pure.

import { duration } from './time.ts';

type Stored = Readonly<Record<string, unknown>>;

/** Named one by one; beyond that an effect kind is counted. */
const NAMED_MAX = 3;

/** `call listFiles, after approvalLimit in 24 h` */
export function effectsText(effects: readonly unknown[]): string {
  const byKind = new Map<string, string[]>();
  for (const effect of effects) {
    const stored = (typeof effect === 'object' && effect !== null ? effect : {}) as Stored;
    const kind = text(stored['kind']) || 'error';
    byKind.set(kind, [...(byKind.get(kind) ?? []), objectOf(kind, stored)]);
  }
  return [...byKind].flatMap(([kind, objects]) => named(WORDS[kind] ?? kind, objects)).join(', ');
}

const WORDS: Readonly<Record<string, string>> = {
  schedule: 'timer',
  unschedule: 'cancel timer',
  cancelCall: 'cancel call',
  error: '',
};

function named(word: string, objects: readonly string[]): string[] {
  if (objects.length > NAMED_MAX) return [`${word} ×${objects.length}`];
  return objects.map((object) => `${word} ${object}`.trim());
}

function objectOf(kind: string, effect: Stored): string {
  switch (kind) {
    case 'send':
      return `${typeOf(effect['event'])} to ${text(effect['to'])}`;
    case 'schedule':
      return `${timerName(text(effect['incarnation']))} in ${duration(Number(effect['delayMs']))}`;
    case 'unschedule':
      return timerName(text(effect['incarnation']));
    case 'cancelCall':
      return text(effect['incarnation']);
    case 'call':
      return text(effect['source']);
    case 'spawn':
    case 'stop':
      return text(effect['address']);
    case 'emit':
      return typeOf(effect['event']);
    case 'notify':
      return text(effect['action']);
    case 'error':
      return `${text(effect['code'])} ${text(effect['message'])}`.trim();
    default:
      return JSON.stringify(effect);
  }
}

/** `xstate.after.approvalLimit.archive.deciding@6` is the timer approvalLimit of the state archive.deciding. */
export function timerName(id: string): string {
  return id.replace(/^xstate\.after\./, '').replace(/@\d+(#\d+)?$/, '');
}

function typeOf(event: unknown): string {
  return text((event as Stored | null | undefined)?.['type']);
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
