export type { Coverage } from './coverage.ts';
export { explore } from './explore.ts';
export type {
  AcceptableKind,
  ContextOf,
  Edge,
  Explorable,
  ExploredState,
  ExploreFinding,
  ExploreLimit,
  ExploreOptions,
  ExploreProgress,
  ExploreReport,
  FindingKind,
  Invariant,
} from './options.ts';
export { journalOf, type Path, type PathStep } from './path.ts';
export type { Stimulus } from './stimulus.ts';
