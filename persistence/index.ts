export * from './address.ts';
export { canonicalPath, type OpenMode } from './connection.ts';
export * from './errors.ts';
export {
  type HostLock,
  type Liveness,
  lockFileOf,
  probeHost,
  removeLockFile,
  takeHostLock,
} from './liveness.ts';
export * from './rows.ts';
export { APPLICATION_ID, STORE_SCHEMA } from './schema.ts';
export { asStorageError, isBusy, isStorageFault, sqliteCode } from './storage-error.ts';
export { Store } from './store.ts';
export type { ActorFilter } from './tables/actors.ts';
export type { NewJournalRow } from './tables/journal.ts';
export { BUSY_RETRY_MS, COURTESY_MS_MAX, WaitingFile } from './waiting-file.ts';
