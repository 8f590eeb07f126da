// Settings: the options of an exploration, checked before anything is made of them.

import {
  aFunction,
  aList,
  anObject,
  anything,
  aText,
  callDefinitions,
  definitions,
  eachOf,
  eitherOf,
  type Forms,
  refuse,
  requireForm,
  requireForms,
  wholeNumber,
} from '../forms.ts';
import { ACCEPTABLE_KINDS, type Explorable, type ExploreOptions } from './options.ts';

const LISTS = eachOf(aList, 'an object with a list for each source');

const FORMS: Readonly<Record<keyof ExploreOptions, Forms[string]>> = {
  input: anything,
  inputs: aList,
  events: eitherOf(aList, aFunction),
  results: LISTS,
  errors: LISTS,
  invariants: eachOf(aFunction, 'an object with a function for each invariant'),
  abstract: aFunction,
  until: aFunction,
  accepts: aList,
  statesMax: wholeNumber(),
  depthMax: wholeNumber(),
  parent: aText,
  machines: definitions,
  calls: callDefinitions,
  onProgress: aFunction,
};

const aMachine = {
  is: (value: unknown) =>
    anObject.is(value) && ('root' in Object(value) || Object(value).kind === 'machine'),
  words: 'a machine of XState, or what defineMachine returns',
};

/** @throws {TroupeError} `invalid_option` with what is possible instead. */
export function requireOptions(explorable: Explorable, options: ExploreOptions): void {
  requireForm('the first argument', explorable, aMachine);
  requireForms('', options, FORMS);
  requireAcceptable(options);
  requireOneInput(options);
}

function requireAcceptable({ accepts = [] }: ExploreOptions): void {
  const odd = accepts.find((kind) => !ACCEPTABLE_KINDS.includes(kind));
  if (odd === undefined) return;
  const known = ACCEPTABLE_KINDS.join(', ');
  refuse(`accepts: '${odd}' is nothing that could be meant. Only these are: ${known}.`);
}

function requireOneInput({ input, inputs }: ExploreOptions): void {
  if (inputs?.length === 0) refuse('inputs is empty. List at least one, or leave it out.');
  if (input === undefined || inputs === undefined) return;
  refuse('input and inputs are both given. List all in inputs.');
}
