export { type CallContext, CallFailure, type CallFunction, callFunction } from './contract.ts';
export type { WorkerAnswer, WorkerLog, WorkerTask } from './worker.ts';

/** The module that every worker thread runs. `.ts` and `.js` stand for each other. */
export const workerEntry = new URL('./worker.ts', import.meta.url);
