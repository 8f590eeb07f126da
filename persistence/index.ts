export * from './address.ts';
export {
  type Connection,
  canonicalPath,
  makeSchema,
  type OpenMode,
  prepareConnection,
} from './connection.ts';
export * from './errors.ts';
export {
  Inspection,
  type LiveActors,
  NAMED_MAX,
  type NamedQuestion,
  type OpenCalls,
  type WaitingRows,
} from './inspection.ts';
export {
  type HostLock,
  type HostLocks,
  hostLockFiles,
  inodeOf,
  type Liveness,
  lockFileOf,
  lockFilesOf,
  probeHost,
  takeHostLock,
} from './liveness.ts';
export * from './rows.ts';
export { APPLICATION_ID, LAYOUT, type Layout, STORE_SCHEMA } from './schema.ts';
export {
  type NotedStep,
  noteFileOf,
  type StepNote,
  type StepNotes,
  stepNoteFiles,
} from './step-note.ts';
export { asStorageError, isBusy, isStorageFault, sqliteCode } from './storage-error.ts';
export { Store, type StoreParts } from './store.ts';
export type { StoreFiles } from './store-files.ts';
export type { ActorFilter } from './tables/actors.ts';
export type { NewJournalRow } from './tables/journal.ts';
export { MessagesTable, type NewMessage, REDELIVER_SCOPE } from './tables/messages.ts';
export { BUSY_RETRY_MS, COURTESY_MS_MAX, type Tickets, WaitingLine } from './waiting-line.ts';
