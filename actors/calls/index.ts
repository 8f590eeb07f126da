export { answer, CallDesk } from './call-desk.ts';
export { type CallError, settleInterrupted } from './settlement.ts';
export { ThreadPool } from './thread-pool.ts';
