// The whole corpus, in the order in which it is read.

import { acting } from './acting.ts';
import { contexts } from './contexts.ts';
import { describing } from './describing.ts';
import type { CorpusEntry } from './entry.ts';
import { eventless } from './eventless.ts';
import { finishing } from './finishing.ts';
import { guards } from './guards.ts';
import { history } from './history.ts';
import { invoking } from './invoking.ts';
import { nesting } from './nesting.ts';
import { reentering } from './reentering.ts';
import { sending } from './sending.ts';
import { spawning } from './spawning.ts';
import { timers } from './timers.ts';

export const corpus: readonly CorpusEntry[] = [
  ...nesting,
  ...history,
  ...guards,
  ...eventless,
  ...timers,
  ...reentering,
  ...sending,
  ...invoking,
  ...spawning,
  ...acting,
  ...finishing,
  ...describing,
  ...contexts,
];
