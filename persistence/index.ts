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
  type HostLock,
  type HostLocks,
  hostLockFiles,
  type Liveness,
  lockFileOf,
  takeHostLock,
} from './liveness.ts';
export * from './rows.ts';
export { APPLICATION_ID, LAYOUT, type Layout, STORE_SCHEMA } from './schema.ts';
export { asStorageError, isBusy, isStorageFault, sqliteCode } from './storage-error.ts';
export { Store, type StoreParts } from './store.ts';
export type { StoreFiles } from './store-files.ts';
export type { ActorFilter } from './tables/actors.ts';
export type { NewJournalRow } from './tables/journal.ts';
export { BUSY_RETRY_MS, COURTESY_MS_MAX, type Waiting } from './waiting-file.ts';
