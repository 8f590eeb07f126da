export type { Difference, Divergence } from './divergence.ts';
export { type Past, type PastActor, pastActor, pastOf } from './past.ts';
export { type ReadingPorts, unknownActor } from './reading.ts';
export { type Replay, type ReplayOptions, replayActor, replayRows } from './replay.ts';
