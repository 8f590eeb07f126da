// The limits of the engine: one named constant each, with its unit (K7, K10, C1, C3, T3).

/** Microsteps of one macrostep before an eventless loop is cut and the actor parked (K7). */
export const MICROSTEPS_MAX = 1_000;

/** Size of one event as JSON. Bytes of UTF-8. */
export const EVENT_BYTES_MAX = 1_048_576;

/** Size of one stored snapshot as JSON. Bytes of UTF-8. */
export const SNAPSHOT_BYTES_MAX = 4_194_304;

/** Effects that one step may order. */
export const STEP_EFFECTS_MAX = 1_000;

/** All that one step writes: snapshot, event, effects. Bytes of UTF-8. */
export const STEP_WRITES_BYTES_MAX = 8_388_608;

/** All that one commit group writes before it is closed. Bytes of UTF-8; the step that passes it is the last of its group. */
export const GROUP_WRITES_BYTES_MAX = 16_777_216;

/** Steps in one commit group. */
export const GROUP_STEPS_MAX = 256;

/**
 * Groups in which each part has a savepoint, after something threw in one that had none: what throws once often throws again,
 * and then a group would be run twice each time.
 */
export const GUARDED_GROUPS = 50;

/** Time that a commit group may spend stepping before it is closed. Milliseconds. */
export const GROUP_MS_MAX = 8;

/** Longest time of one step before the host's process is ended (V3). Milliseconds. */
export const STEP_MS_MAX = 10_000;

/** Hosts that may die in the step of one message; at the last of them its actor is parked (V3). */
export const DEATHS_MAX = 2;

/**
 * Groups in which a host steps only what was on disk before, after another died in the step of a message that was not: in
 * that time what killed it comes again, and has a name (V3).
 */
export const CAREFUL_GROUPS = 1_000;

/** Callbacks and observables of one source that listen at once on one host; more wait for a place as calls do (C1). */
export const LISTENERS_MAX = 1_000;

/** Events of listeners that wait for their transaction on one host. Beyond them they are dropped, with a warning (K9a). */
export const LISTENER_EVENTS_MAX = 10_000;

/** Messages that may wait for one actor before outside sends get `mailbox_full`. Inside messages are always taken. */
export const MAILBOX_MESSAGES_MAX = 10_000;

/** Longest delay of a timer. Milliseconds: a thousand years, so that a due time stays an exact integer. */
export const DELAY_MS_MAX = 31_556_952_000_000;

/** Longest sleep until the loop looks again at what is due, so that a changed clock delays nothing for longer (T3). Milliseconds. */
export const ALARM_MS_MAX = 30_000;

/** How often a host asks whether another process has written. Milliseconds. */
export const POLL_MS = 20;

/** How often a host looks whether another one has died. Milliseconds. */
export const HOST_PROBE_MS = 500;

/** Default, shortest and longest time of one call (C3). Milliseconds. */
export const CALL_LIMIT_MS = 30_000;
export const CALL_LIMIT_MS_MIN = 1_000;
export const CALL_LIMIT_MS_MAX = 120_000;

/** Time between the abort signal and the end of the thread (C3). Milliseconds. */
export const CALL_ABORT_GRACE_MS = 2_000;

/** What is kept of the code and the message of an error that is too large for an event. Characters each. */
export const CALL_ERROR_CHARACTERS_MAX = 10_000;

/** Time in which a call must be claimed before it is withdrawn as `not_started` (C1). Milliseconds. */
export const CALL_CLAIM_LIMIT_MS = 60_000;

/** Calls of one definition that one host runs at once, when the definition does not say. */
export const CALL_CONCURRENCY = 2;
export const CALL_CONCURRENCY_MAX = 64;

/** Promises of machines that one host runs at once on its own thread. */
export const PROMISE_CONCURRENCY = 64;

/** Attempts of a read or replayable call that keeps ending its thread or its host. Then it is answered as failed or unknown. */
export const CALL_ATTEMPTS_MAX = 20;

/** Time that running calls get at shutdown (V9), by default and at most. Milliseconds. */
export const SHUTDOWN_GRACE_MS = 5_000;
export const SHUTDOWN_GRACE_MS_MAX = 600_000;

/** Time in which a host that leaves tries to write the ends of its calls. Milliseconds. */
export const SHUTDOWN_WRITE_MS_MAX = 5_000;

/** Actors kept in memory between steps. The least recently stepped leaves first; it is read again from the store. */
export const CACHED_ACTORS_MAX = 10_000;

/** Stored text of all cached actors together. Characters. */
export const CACHED_CHARACTERS_MAX = 67_108_864;

/** Steps between two checkpoints of an actor in the journal (J2). */
export const CHECKPOINT_REVISIONS = 100;

/** Nesting of JSON data before it counts as circular. Levels. */
export const JSON_DEPTH_MAX = 500;

/** Waits between two attempts at a storage that fails (V7). Milliseconds. */
export const STORAGE_RETRY_MS_MIN = 50;
export const STORAGE_RETRY_MS_MAX = 2_000;

/** How long callers wait to learn whether a commit that failed is on disk; then they are told that it is unknown (V7). Milliseconds. */
export const DOUBT_MS_MAX = 10_000;

/** How long a writer waits for readers so that a large WAL can be emptied, and how long it lets it grow when they do not go (V10). Milliseconds. */
export const WAL_WAIT_MS_MAX = 1_000;
export const WAL_REST_MS = 10_000;
