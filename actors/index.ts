export { checkActors } from './check.ts';
export * from './exports.ts';
export { openTroupe, type TroupePorts } from './open-troupe.ts';
export type {
  Attempt,
  AttemptEnd,
  Boundaries,
  Boundary,
  CallPool,
  Clock,
  Cut,
  Entropy,
  RunningAttempt,
  ThrownData,
  Watchdog,
} from './ports.ts';
