export { answer } from './answer.ts';
export { CallDesk } from './call-desk.ts';
export { type CallError, changesNothing, settleInterrupted } from './settlement.ts';
export { answerStub, type StubAnswer } from './stub.ts';
export { ThreadPool } from './thread-pool.ts';
