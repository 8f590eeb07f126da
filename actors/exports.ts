// What users of the library may hold: definitions, the Troupe, views and errors.

export {
  type ActorAddress,
  type ActorStatus,
  type ErrorCode,
  type Outcome,
  TroupeError,
} from '../persistence/index.ts';
export type { CallError, StubAnswer } from './calls/index.ts';
export type { CheckOptions } from './check.ts';
export type { CheckCode, CheckFinding, CheckProgress, CheckReport } from './check-store.ts';
export {
  type AnyCallDefinition,
  type CallClass,
  type CallDefinition,
  type CallOptions,
  defineCall,
} from './define-call.ts';
export {
  type AnyMachineDefinition,
  defineMachine,
  type EventOf,
  type InputOf,
  type MachineDefinition,
  type MachineOptions,
  type MachineSchemas,
  type PromiseOptions,
} from './define-machine.ts';
export type { SendReceipt } from './engine/admission.ts';
export type { Fork, ForkOptions } from './fork.ts';
export type { Intervened, Intervention } from './intervention.ts';
export type { TroupeOptions } from './open-troupe.ts';
export type {
  RedeliverIntervention,
  SkipIntervention,
  Skipped,
  Stopped,
  StuckActor,
  StuckOptions,
} from './repair/index.ts';
export type { Difference, Divergence, PastActor, Replay, ReplayOptions } from './replay/index.ts';
export type { MigratedActor, Migration, StoredActor, StoredContext } from './step/index.ts';
export {
  type JournalOptions,
  type ListOptions,
  type SendOptions,
  type SpawnedActor,
  type SpawnOptions,
  Troupe,
} from './troupe.ts';
export type {
  ActorSummary,
  ActorView,
  CallView,
  JournalEntry,
  MachineView,
  StuckReason,
  Undeliverable,
  WaitingMessage,
} from './view.ts';
export type { Change, WatchOptions } from './watch.ts';
