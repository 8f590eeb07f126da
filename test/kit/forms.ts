// Forms: the options of the kit as a caller in plain JavaScript may get them wrong, refused with what is possible instead.

import { inspect } from 'node:util';
import { TroupeError } from '../../actors/index.ts';

/** What a value must be, and how a person is told. */
export interface Form {
  readonly is: (value: unknown) => boolean;
  /** After "It is": `a function`. */
  readonly words: string;
}

/** The form of each part of an object, by its name. Every part may be left out. */
export type Forms = Readonly<Record<string, Form>>;

/** Characters of a wrong value that are shown. */
const SHOWN_MAX = 60;

export const anything: Form = { is: () => true, words: 'anything' };

export const aFunction: Form = {
  is: (value) => typeof value === 'function',
  words: 'a function',
};

export const aText: Form = { is: (value) => typeof value === 'string', words: 'a text' };

export const aList: Form = { is: Array.isArray, words: 'a list' };

export const anObject: Form = {
  is: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  words: 'an object',
};

/** An object whose parts are all of one form, whatever their names are. */
export function eachOf(form: Form, words: string): Form {
  return {
    is: (value) => anObject.is(value) && Object.values(value as object).every(form.is),
    words,
  };
}

export function eitherOf(one: Form, other: Form): Form {
  return {
    is: (value) => one.is(value) || other.is(value),
    words: `${one.words} or ${other.words}`,
  };
}

export const aSignal: Form = {
  is: (value) => value instanceof AbortSignal,
  words: 'an AbortSignal',
};

export const definitions: Form = {
  is: (value) => Array.isArray(value) && value.every((each) => isDefinition(each)),
  words: 'a list of what defineMachine returns',
};

export const callDefinitions: Form = {
  is: (value) => Array.isArray(value) && value.every((each) => isDefinition(each, 'call')),
  words: 'a list of what defineCall returns',
};

function isDefinition(value: unknown, kind = 'machine'): boolean {
  return anObject.is(value) && (value as { readonly kind?: unknown }).kind === kind;
}

export function wholeNumber(max = Number.MAX_SAFE_INTEGER): Form {
  const range = max === Number.MAX_SAFE_INTEGER ? 'from 1' : `from 1 to ${max}`;
  return {
    is: (value) => Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= max,
    words: `a whole number ${range}`,
  };
}

/**
 * @param path The object's name in what is thrown; empty for the options themselves.
 * @throws {TroupeError} `invalid_option` for another value than an object, an unknown name, or a part of another form.
 */
export function requireForms(path: string, value: unknown, forms: Forms): void {
  requireForm(path === '' ? 'options' : path, value, anObject);
  for (const [name, part] of Object.entries(value as object) as [string, unknown][]) {
    requireKnown(path === '' ? 'option' : `${path}:`, name, Object.keys(forms));
    const form = forms[name];
    if (form === undefined || part === undefined) continue;
    requireForm(path === '' ? name : `${path}.${name}`, part, form);
  }
}

/** @throws {TroupeError} `invalid_option`. */
export function requireForm(name: string, value: unknown, form: Form): void {
  if (!form.is(value)) refuse(`${name} is ${shown(value)}. It is ${form.words}.`);
}

/** @throws {TroupeError} `invalid_option` with the known names. */
export function requireKnown(what: string, name: string, known: readonly string[]): void {
  if (known.includes(name)) return;
  const list =
    known.length === 0 ? 'There are none.' : `Known are: ${[...new Set(known)].join(', ')}.`;
  refuse(`${what} '${name}' is unknown. ${list}`);
}

/** @throws {TroupeError} `invalid_option`, always. */
export function refuse(message: string): never {
  throw new TroupeError('invalid_option', message);
}

/** A wrong value in a few characters. */
export function shown(value: unknown): string {
  const text = inspect(value, { depth: 2, breakLength: Number.POSITIVE_INFINITY });
  return text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text;
}
