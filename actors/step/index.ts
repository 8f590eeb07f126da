export { atCheckpoint, checkpointOf } from './checkpoint.ts';
export { seededGenerator, withReplacedGlobals } from './determinism.ts';
export {
  type Armings,
  armedId,
  type Effect,
  isLive,
  type MachineEvent,
  NO_ARMINGS,
  type Origin,
  STUBBED,
} from './effects.ts';
export { doneEvent, errorEvent } from './ending.ts';
export { messageOf, StepError, type StepErrorCode } from './error.ts';
export { type Migrated, migrate } from './migrate.ts';
export type { MigratedActor, Migration, StoredActor, StoredContext } from './migration.ts';
export {
  type SourceKind,
  type Steppable,
  type SteppedMachine,
  type TransitionLogic,
} from './registered.ts';
export type { CollectedAction } from './scope.ts';
export {
  type ActorState,
  bytesOver,
  type Delivery,
  INIT_EVENT,
  type Late,
  revive,
  type Step,
  step,
  unborn,
  wouldMove,
} from './step.ts';
export type { Notification } from './translate.ts';
