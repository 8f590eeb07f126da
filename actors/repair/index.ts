export { type RedeliverIntervention, redeliver } from './redeliver.ts';
export { retry } from './retry.ts';
export { type SkipIntervention, type Skipped, skip } from './skip.ts';
export { type Stopped, stop } from './stop.ts';
export { type StuckActor, type StuckOptions, stuckActors } from './stuck-actors.ts';
