// Kit: what a test of durable machines needs. Shipped as `troupe/testing`; it needs no test runner.

export * from './explore/index.ts';
export {
  type ScriptedAttempt,
  type ScriptedPool,
  type ScriptedPoolOptions,
  scriptedPool,
} from './scripted-pool.ts';
export { seededEntropy } from './seeded-entropy.ts';
export * from './simulation/index.ts';
export { type TemporaryStore, temporaryStore } from './temporary-store.ts';
export { openTestTroupe, type TestTroupe, type TestTroupeOptions } from './test-troupe.ts';
export { UNTIL_LIMIT_MS, type UntilOptions, until } from './until.ts';
export { VIRTUAL_START_MS, type VirtualClock, virtualClock } from './virtual-clock.ts';
